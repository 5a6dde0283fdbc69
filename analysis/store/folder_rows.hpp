// SPDX-License-Identifier: Apache-2.0
// What the plan says of the study itself, as rows of the database.
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

// What a plan folder holds, as rows of its database.

/// Makes the rows say what the folder says, those of the sources apart. Files that have not changed
/// since the collect before are not read again.
IngestSummary write_folder(const contract::PlanDir& folder, const contract::Plan& plan,
                           Sources& sources, SQLite::Database& database);

}  // namespace dlscale::analysis
