// SPDX-License-Identifier: Apache-2.0
// The tables and views of results.sqlite.
#pragma once

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Marks a file as ours ("dlsc"), in SQLite's header field for it.
inline constexpr int kApplicationId = 0x646c7363;

/// A database of another version is made again from the files. To be raised with every change of a
/// table or view, and of what rows mean.
inline constexpr int kSchemaVersion = 12;

/// Makes the tables and views of a new database, in one transaction.
void create_schema(SQLite::Database& database);

}  // namespace dlscale::analysis
