// SPDX-License-Identifier: Apache-2.0
// Writes the contents of a plan folder and of its plan as rows of the database.
#pragma once

#include "analysis/store/ingest.hpp"
#include "analysis/store/sources.hpp"
#include "contract/plan/plan.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Replaces the rows of the tables `study` and `study_axis`.
void write_study(SQLite::Database& database, const contract::Plan& plan);

// Contents of a plan folder as rows of its database.

/// Updates the rows of all tables except `source` to match the folder. Files that have not changed
/// since the previous collect are not read again.
IngestSummary write_folder(const contract::PlanDir& folder, const contract::Plan& plan,
                           Sources& sources, SQLite::Database& database);

}  // namespace dlscale::analysis
