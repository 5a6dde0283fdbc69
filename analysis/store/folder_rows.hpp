// SPDX-License-Identifier: Apache-2.0
// Writes the content of a plan folder to the tables of the database.
#pragma once

#include "analysis/store/ingest.hpp"
#include "analysis/store/sources.hpp"
#include "contract/plan/plan.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Replaces the rows of the tables `study` and `study_axis` by the data of the plan.
void write_study(SQLite::Database& database, const contract::Plan& plan);

// Update of the database from the files of the plan folder.

/// Updates the rows of all tables except `source` to match the files of the plan folder. `sources`
/// knows which files have changed since the previous collect, and the other files are not read
/// again. Returns the numbers of read and unchanged files and the problems.
IngestSummary write_folder(const contract::PlanDir& folder, const contract::Plan& plan,
                           Sources& sources, SQLite::Database& database);

}  // namespace dlscale::analysis
