// SPDX-License-Identifier: Apache-2.0
#include "planner/script/run_values.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/planner/study_text.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using planner::ExternalCommand;

TEST_CASE("a command is filled with the values and parameters of each run") {
  ExternalCommand command("train {{model}} {{size}}", {});
  contract::RunSpec run;
  run.model = "vit";
  run.parameters = {{"size", "a b"}};
  CHECK(command.of(run, {}) == "train vit 'a b'");
  run.parameters = {{"depth", "3"}, {"size", "2"}};
  run.model = "swin";
  CHECK(command.of(run, {}) == "train swin 2");
}

TEST_CASE("an error in a command is reported at its location in the study") {
  const base::Location where{"s.toml", 11, 7};
  const auto error = [&](const char* text) {
    return test::error_of([&] { ExternalCommand(text, where).of({}, {}); });
  };
  CHECK(error("train\n  {{modle}}")
            .rfind("s.toml:11:7: trainer.command: unknown name \"modle\"; did you mean \"model\"?",
                   0) == 0);
  CHECK(error("train {{batchsize}}")
            .rfind("s.toml:11:7: trainer.command: unknown name \"batchsize\"; did you mean "
                   "\"batch_per_gpu\"?",
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
    CHECK(test::error_of([&] { command.of(run, {}); }) ==
          "s.toml:11:7: trainer.command: the study does not set " + name);
  }
  CHECK(ExternalCommand("train {{dataset_path}}", {}).of(run, {}) == "train ''");
  run.parameters["epochs"] = "9";
  CHECK(ExternalCommand("train {{epochs}}", {}).of(run, {}) == "train 9");
}

TEST_CASE("a command can name folders, resources and axes of its run") {
  contract::RunSpec run;
  run.run_id = "g2-x-r1";
  run.gpus = 8;
  run.resources = {.nodes = 2, .ranks_per_node = 4, .cores_per_rank = 3};
  run.point = {{"optimizer.momentum", "0.9"}};
  run.environment = {{"NCCL_ALGO", "Ring"}};
  ExternalCommand command(
      "a {{ranks}} {{nodes}} {{ranks_per_node}} {{cores_per_rank}} {{gpus_per_node}} "
      "{{study_folder}} {{plan_folder}} {{run_folder}} {{optimizer.momentum}} "
      "{{environment.NCCL_ALGO}}",
      {});
  CHECK(command.of(run, {"/my study", "/plan", 6}) ==
        "a 8 2 4 3 6 '/my study' /plan /plan/runs/g2-x-r1 0.9 Ring");
}

TEST_CASE("values that are known only in the job become variables of the shell") {
  ExternalCommand command("a {{launch_folder}}/x {{master_address}}:{{master_port}}", {});
  CHECK(command.of({}, {}) == "a \"$launch_folder\"/x \"$master_address\":\"$master_port\"");
  ExternalCommand quoted("a '{{launch_folder}}'", {"s.toml", 11, 7});
  CHECK(test::error_of([&] {
          quoted.of({}, {});
        }).rfind("s.toml:11:7: trainer.command: {{launch_folder}}: the value is known only", 0) ==
        0);
  contract::RunSpec run;
  run.parameters = {{"ranks", "x"}, {"launch_folder", "y"}};
  CHECK(ExternalCommand("{{ranks}} {{launch_folder}}", {}).of(run, {}) == "x y");
}

TEST_CASE("words that name files of the study's folder become absolute paths") {
  const test::TempDir dir;
  base::write_file_atomically(dir / "train.py", "");
  base::write_file_atomically(dir / "model", "");
  const std::string folder = dir.path().string(), file = (dir / "train.py").string();
  const auto placed = [&](const char* text) { return planner::with_paths(text, folder); };
  CHECK(placed("python train.py --x other.py") == "python " + file + " --x other.py");
  CHECK(placed("./train.py;train.py") == file + ";" + file);
  for (const std::string same : {"echo > train.py", "sh -c 'python train.py'", "a-train.py",
                                 "--file=train.py", "x {{ model }} \"train.py\"", "../train.py"}) {
    CHECK(placed(same.c_str()) == same);
  }
  CHECK(planner::with_paths("train.py", "") == "train.py");
  CHECK(planner::with_paths("train.py model", folder, {{.to = "model"}}) == file + " model");
}

TEST_CASE("the named files of a command are the words that become absolute paths") {
  const test::TempDir dir;
  base::write_file_atomically(dir / "train.py", "");
  base::write_file_atomically(dir / "model", "");
  const std::string folder = dir.path().string();
  using Words = std::vector<std::string>;
  CHECK(planner::named_files("python ./train.py --x other.py model", folder) ==
        Words{"./train.py", "model"});
  CHECK(planner::named_files("train.py model", folder, {{.to = "model"}}) == Words{"train.py"});
  CHECK(planner::named_files("echo 'train.py' > model", folder).empty());
}
