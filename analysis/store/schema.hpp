// SPDX-License-Identifier: Apache-2.0
// Creates the tables and views of results.sqlite.
#pragma once

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Application id ("dlsc") in SQLite's file header that marks a database of dlscale.
inline constexpr int kApplicationId = 0x646c7363;

/// Version of the schema. A database of another version is rebuilt from the files. Increase the
/// version with every change of a table, a view or the meaning of rows.
inline constexpr int kSchemaVersion = 12;

/// Creates the tables and views of a new database in one transaction.
void create_schema(SQLite::Database& database);

}  // namespace dlscale::analysis
