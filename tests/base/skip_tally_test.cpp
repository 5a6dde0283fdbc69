// SPDX-License-Identifier: Apache-2.0
#include "base/skip_tally.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;

TEST_CASE("skips are counted by reason, and the first of each reason is the example") {
  base::SkipTally tally;
  CHECK(tally.empty());
  CHECK(base::describe_skipped(tally).empty());
  tally.add({"file", "has no measurement", "b.log"});
  tally.add({"class", "has no folder", "dog"});
  tally.add({"file", "has no measurement", "a.log", 2});
  tally.add({"class", "has no folder", "cat"});
  CHECK(tally.total() == 5);
  CHECK(base::describe_skipped(tally) ==
        "Skipped 3 files: has no measurement; example: b.log\n"
        "Skipped 2 classes: has no folder; example: dog\n");
}

TEST_CASE("skips with the same noun and general reason are counted together") {
  base::SkipTally tally;
  for (const char* why : {"has 2 of 3 columns", "has 1 of 3 columns"}) {
    tally.add({"line", why, "a.csv", 1, base::general_reason(why)});
  }
  tally.add({"row", "has 1 of 3 columns", "b.csv", 1, base::general_reason("has 1 of 3 columns")});
  CHECK(base::describe_skipped(tally) ==
        "Skipped 2 lines: has 2 of 3 columns; example: a.csv\n"
        "Skipped 1 row: has 1 of 3 columns; example: b.csv\n");
}

TEST_CASE("the smallest example is kept for skips found in any order") {
  base::SkipTally tally(base::SkipTally::Example::smallest);
  for (const char* file : {"c", "a", "b"}) tally.add({"file", "is hidden", file});
  CHECK(base::describe_skipped(tally) == "Skipped 3 files: is hidden; example: a\n");
}

TEST_CASE("numbers and quoted texts are not part of a general reason") {
  CHECK(base::general_reason("") == "");
  CHECK(base::general_reason("accuracy is 76.5, above 1") == "accuracy is #, above #");
  CHECK(base::general_reason("2.5e+12 samples/s cannot be") == "# samples/s cannot be");
  CHECK(base::general_reason("loss is no number: \"N/A 3\"") == "loss is no number: #");
  CHECK(base::general_reason("ends in a \" alone, 1.") == "ends in a \" alone, #.");
}
