// SPDX-License-Identifier: Apache-2.0
// What the plan says of the study itself, as rows of the database.
#pragma once

#include "contract/plan/plan.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Replaces the rows of the tables `study` and `study_axis`.
void write_study(SQLite::Database& database, const contract::Plan& plan);

}  // namespace dlscale::analysis
