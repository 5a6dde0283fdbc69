// SPDX-License-Identifier: Apache-2.0
#include "planner/site/run_paths.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::planner;

TEST_CASE("variables of the site are replaced, and other variables are left for the job") {
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

TEST_CASE("the paths of a run are its data, its weights and its model script") {
  dlscale::contract::RunSpec run;
  CHECK(paths_of(run).empty());
  run.dataset.path = "$DATA/mnist";
  run.weights = "$DATA/w.safetensors";
  run.model = "script:$DATA/net.pt";
  fill_in_paths(run, {{"DATA", "/p"}});
  std::string text;
  for (const auto& [key, prefix, path] : paths_of(run)) {
    text += std::string(key) + "=" + prefix + path + "\n";
  }
  CHECK(text ==
        "training.dataset.path=/p/mnist\ntraining.weights=/p/w.safetensors\n"
        "matrix.model=script:/p/net.pt\n");
  run.model = "$DATA";
  fill_in_paths(run, {{"DATA", "/p"}});
  CHECK(run.model == "$DATA");
}

TEST_CASE("the variables of a path are listed in order") {
  CHECK(variables_in("$A/b/${C_2}x$") == std::vector<std::string>{"A", "C_2"});
  CHECK(variables_in("/plain").empty());
}
