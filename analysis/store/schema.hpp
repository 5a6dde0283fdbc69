// SPDX-License-Identifier: Apache-2.0
// Creates the tables and views of results.sqlite.
#pragma once

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Application id in the header of an SQLite file that marks a database of dlscale. Its bytes spell
/// "dlsc".
inline constexpr int kApplicationId = 0x646c7363;

/// Version of the schema. A database with another version is rebuilt from the files of the plan
/// folder. Increase the version with every change of a table, of a view or of the meaning of rows.
inline constexpr int kSchemaVersion = 17;

/// Creates the tables and views of a new database in one transaction.
void create_schema(SQLite::Database& database);

}  // namespace dlscale::analysis
