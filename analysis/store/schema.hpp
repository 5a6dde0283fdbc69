// SPDX-License-Identifier: Apache-2.0
// The tables of results.sqlite and how older files are brought up to date.
#pragma once

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Marks a file as ours ("dlsc"), in SQLite's header field for it.
inline constexpr int kApplicationId = 0x646c7363;

int schema_version();

/// Applies the migrations a database lacks, in one transaction. Migrations only add.
void migrate(SQLite::Database& database);

}  // namespace dlscale::analysis
