// SPDX-License-Identifier: Apache-2.0
#include "planner/script/run_values.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using planner::ExternalCommand;

TEST_CASE("a command is filled with the values and parameters of each run") {
  ExternalCommand command("train {{model}} {{size}}", {});
  contract::RunSpec run;
  run.model = "vit";
  run.parameters = {{"size", "a b"}};
  CHECK(command.of(run) == "train vit 'a b'");
  run.parameters = {{"depth", "3"}, {"size", "2"}};
  run.model = "swin";
  CHECK(command.of(run) == "train swin 2");
}

TEST_CASE("an error in a command is reported at its location in the study") {
  const base::Location where{"s.toml", 11, 7};
  const auto error = [&](const char* text) {
    return test::error_of([&] { ExternalCommand(text, where).of({}); });
  };
  CHECK(error("train\n  {{modle}}")
            .rfind("s.toml:11:7: trainer.command: unknown name \"modle\"; did you mean \"model\"?",
                   0) == 0);
  CHECK(error("train {{{model}}}") ==
        "s.toml:11:7: trainer.command: {{{ is not allowed here; only {{{line}}} may be unquoted");
}

TEST_CASE("a command cannot use values that the study does not set") {
  contract::RunSpec run;
  run.epochs = 0;
  run.framework = "";
  for (const std::string name : {"epochs", "framework"}) {
    ExternalCommand command("train {{model}} {{ " + name + " }}", {"s.toml", 11, 7});
    CHECK(test::error_of([&] { command.of(run); }) ==
          "s.toml:11:7: trainer.command: the study does not set " + name);
  }
  CHECK(ExternalCommand("train {{dataset_path}}", {}).of(run) == "train ''");
  run.parameters["epochs"] = "9";
  CHECK(ExternalCommand("train {{epochs}}", {}).of(run) == "train 9");
}
