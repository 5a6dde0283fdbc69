// SPDX-License-Identifier: Apache-2.0
// What the plan says of the study itself, as rows of the database.
#pragma once

#include "analysis/store/ingest.hpp"
#include "analysis/store/seen_files.hpp"
#include "contract/plan/plan.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Replaces the rows of the tables `study` and `study_axis`.
void write_study(SQLite::Database& database, const contract::Plan& plan);

// What a plan folder holds, as rows of its database.

/// Makes the rows say what the folder says. What `seen` calls unchanged is not read again.
IngestSummary write_folder(const contract::PlanDir& folder, const contract::Plan& plan,
                           SeenFiles& seen, SQLite::Database& database);

}  // namespace dlscale::analysis
