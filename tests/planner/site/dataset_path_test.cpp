// SPDX-License-Identifier: Apache-2.0
#include "planner/site/dataset_path.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::planner;

TEST_CASE("a site's variables are filled in, others stay for the job") {
  const std::map<std::string, std::string> variables{{"DATA", "/p/data"}, {"A_1", "x"}};
  CHECK(fill_in_variables("$DATA/imagenet", variables) == "/p/data/imagenet");
  CHECK(fill_in_variables("${DATA}net/$A_1", variables) == "/p/datanet/x");
  CHECK(fill_in_variables("$SCRATCH/$DATA", variables) == "$SCRATCH//p/data");
  CHECK(fill_in_variables("$DATA2", variables) == "$DATA2");
  CHECK(fill_in_variables("a$", variables) == "a$");
  CHECK(fill_in_variables("${DATA", variables) == "${DATA");
  CHECK(fill_in_variables("$$DATA $1 \\$", variables) == "$/p/data $1 \\$");
  CHECK(fill_in_variables("", variables).empty());
}

TEST_CASE("the variables of a path are named in order") {
  CHECK(variables_in("$A/b/${C_2}x$") == std::vector<std::string>{"A", "C_2"});
  CHECK(variables_in("/plain").empty());
}
