// SPDX-License-Identifier: Apache-2.0
// Readers for the tables that commands print with `--format json`. Each row is a dictionary.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/dlscale_program.hpp"

namespace dlscale::test {

using Row = nlohmann::json;

/// Returns the rows of the table. Fails if the command failed or did not print the table.
inline std::vector<Row> told_rows(const Ran& ran, const std::string& table) {
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  const Row report = Row::parse(ran.out);
  for (const Row& each : report.at("tables")) {
    if (each.at("id") == table) return each.at("rows").get<std::vector<Row>>();
  }
  FAIL("there is no table " + table);
  return {};
}

/// Returns the only row with these values.
inline const Row& row_with(const std::vector<Row>& rows, const Row& values) {
  const Row* found = nullptr;
  for (const Row& row : rows) {
    bool has_all = true;
    for (const auto& [key, value] : values.items()) has_all = has_all && row.at(key) == value;
    if (!has_all) continue;
    INFO("two rows with " << values.dump());
    REQUIRE(found == nullptr);
    found = &row;
  }
  INFO("no row with " << values.dump());
  REQUIRE(found != nullptr);
  return *found;
}

inline double number(const Row& row, const char* column) {
  return row.at(column).get<double>();
}

inline std::string text(const Row& row, const char* column) {
  return row.at(column).get<std::string>();
}

}  // namespace dlscale::test
