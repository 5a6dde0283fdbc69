// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::base;

TEST_CASE("a spec error reads as file, line, column, key and message") {
  const SpecError error({"study.toml", 12, 9}, "matrix.modle", "unknown key");
  CHECK(std::string(error.what()) == "study.toml:12:9: matrix.modle: unknown key");
  CHECK(error.exit_code() == 2);
  CHECK(error.where().line == 12);
  CHECK(error.key_path() == "matrix.modle");
}

TEST_CASE("unknown parts of a location are left out of the message") {
  CHECK(std::string(SpecError({"run.json"}, "gpus", "missing").what()) ==
        "run.json: gpus: missing");
  CHECK(std::string(SpecError({"a.toml", 3, 0}, "", "odd").what()) == "a.toml:3: odd");
  CHECK(std::string(SpecError({}, "gpus", "missing").what()) == "gpus: missing");
}

TEST_CASE("each kind of error has its exit code") {
  CHECK(UsageError("x").exit_code() == 2);
  CHECK(RunError("x").exit_code() == 1);
  CHECK(RunError("x", 3).exit_code() == 3);
}

TEST_CASE("a byte offset is converted to a line and a column that start at 1") {
  const std::string text = "ab\ncd\n\nx";
  const auto at = [&](std::size_t offset) {
    const Location where = locate("f", text, offset);
    return std::make_pair(where.line, where.column);
  };
  CHECK(at(0) == std::make_pair(1, 1));
  CHECK(at(1) == std::make_pair(1, 2));
  CHECK(at(3) == std::make_pair(2, 1));
  CHECK(at(7) == std::make_pair(4, 1));
  CHECK(at(999) == std::make_pair(4, 2));
}

TEST_CASE("a message stays on one line if its values contain line breaks") {
  const dlscale::base::SpecError error({"f", 1, 2}, "key", "no \"a\nb\tc\"");
  CHECK(std::string(error.what()) == "f:1:2: key: no \"a\\nb\\x09c\"");
}
