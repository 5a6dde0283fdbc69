// SPDX-License-Identifier: Apache-2.0
// Tests of [trainer] and the free parameters of its command.
#include <catch2/catch.hpp>

#include "planner/study/derive.hpp"
#include "tests/planner/shown_points.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using test::StudyText;

namespace {

const std::string kTrainer = "[trainer]\ncommand = \"train {{batch_per_gpu}}\"\n";
const std::string kTrainerMatrix = "model = \"vit_b_16\"\ngpus = 1\nbatch_per_gpu = 8\n";

std::string trainer_error(const StudyText& study) {
  return test::error_of([&] { planner::expand(test::read(study)); });
}

}  // namespace

TEST_CASE("an external trainer can have unknown names, data sets and parameters") {
  const auto study = test::read(
      {.matrix = kTrainerMatrix + "parameters.drop = [0, 0.1]\nparameters.style = [\"a\", \"b c\"]",
       .training = "dataset.kind = \"laion\"\nlr_schedule_unused = 1",
       .rest = ""},
      {"training={dataset={kind=\"laion\"},parameters={amp=true,size=3}}", "trainer.command=train",
       "trainer.log_format=timm", "trainer.launcher=torchrun"});
  const auto points = planner::expand(study).points;
  REQUIRE(points.size() == 4);
  const auto& run = points[3].run;
  CHECK(run.trainer.command == "train");
  CHECK(run.trainer.log_format == "timm");
  CHECK(run.trainer.launcher == "torchrun");
  CHECK(run.model == "vit_b_16");
  CHECK(run.parameters == std::map<std::string, std::string>{
                              {"amp", "true"}, {"drop", "0.1"}, {"size", "3"}, {"style", "b c"}});
  CHECK(run.lr.peak == 0);
  CHECK_NOTHROW(contract::validate(run, "f"));
}

TEST_CASE("settings of an external trainer have no defaults") {
  const auto run_of = [](const StudyText& text) {
    const auto study = test::read(text);
    return planner::expand(study).points.at(0).run;
  };
  const auto silent = run_of({.matrix = kTrainerMatrix, .training = "", .rest = kTrainer});
  for (const std::string& name :
       {silent.framework, silent.loader, silent.dataset.kind, silent.lr_schedule.kind,
        silent.optimizer.kind, silent.precision, silent.last_batch, silent.lr.scale}) {
    CHECK(name == "");
  }
  CHECK(silent.epochs == 0);
  CHECK_NOTHROW(contract::validate(silent, "f"));
  const auto said = run_of({.matrix = kTrainerMatrix + "framework = \"fsdp\"",
                            .training = "epochs = 90\nlr.base = 0.1\ndataset.kind = \"cifar10\"",
                            .rest = kTrainer});
  CHECK(said.framework == "fsdp");
  CHECK(said.epochs == 90);
  CHECK(said.lr.scale == "none");
  CHECK(planner::steps_per_epoch(said) == 6250);
}

TEST_CASE("a study of a script without a batch is rejected with an example") {
  const std::string matrix = "model = \"vit_b_16\"\ngpus = 1\n";
  CHECK(trainer_error({.matrix = matrix, .training = "", .rest = kTrainer}) ==
        "s.toml:3:1: matrix.batch_per_gpu: missing; give the batch that the script uses per GPU, "
        "for example batch_per_gpu = [64], or give global_batch and study.scaling = \"strong\"");
  CHECK_THAT(trainer_error({.study = "name = \"s\"\nscaling = \"strong\"",
                            .matrix = matrix,
                            .training = "",
                            .rest = kTrainer}),
             Catch::EndsWith("missing; give the batch that the script uses on all GPUs together, "
                             "for example global_batch = [256]"));
}

TEST_CASE("conditions can use parameters") {
  const auto study = test::read(
      {.matrix = kTrainerMatrix + "parameters.drop = { from = 0, to = 1, step = 0.5 }",
       .training = "parameters.size = 3",
       .rest =
           kTrainer + "[[exclude]]\nwhen = 'parameters.drop * parameters.size > 2'\nwhy = 'x'"});
  CHECK(test::shown(study, {"parameters.drop"}) == std::vector<std::string>{"0", "0.5"});
}

TEST_CASE("trainer.read takes the name of a log format, a format file or a format in the study") {
  const auto study_with = [](const std::string& read) {
    return test::read({.matrix = kTrainerMatrix, .training = "", .rest = kTrainer + read});
  };
  CHECK(study_with("read = \"timm\"").read_format == "timm");
  CHECK(study_with("read = \"timm\"").trainer.log_format.empty());
  CHECK(study_with("read = \"timm\"").log_format.text.empty());
  const planner::Study own = study_with("read = { line = [\"step\"], factor = { wall_s = 2 } }");
  CHECK(own.log_format.file == "s.toml, trainer.read");
  CHECK_THAT(own.log_format.text, Catch::Contains("line = [\"step\"]"));
  const std::string file = std::string(DLSCALE_SOURCE_DIR) + "/share/log_formats/llmc.toml";
  const planner::Study from_file = study_with("read = \"" + file + "\"");
  CHECK(from_file.log_format.file == file);
  CHECK_THAT(from_file.log_format.text, Catch::Contains("name = \"llmc\""));
}

TEST_CASE("a malformed trainer.read is rejected with location and key") {
  CHECK(trainer_error({.rest = kTrainer + "read = \"tim\""})
            .rfind("s.toml:13:8: trainer.read: unknown log format \"tim\"; did you mean \"timm\"?",
                   0) == 0);
  CHECK(trainer_error({.rest = kTrainer + "read = \"none.toml\""}) ==
        "s.toml:13:8: trainer.read: none.toml: no such file");
  CHECK(
      trainer_error({.rest = kTrainer + "read = \"timm\"\nlog_format = \"timm\""}) ==
      "s.toml:13:8: trainer.read: cannot be combined with log_format; remove one of the two keys");
  CHECK(trainer_error({.rest = kTrainer + "read = 3"}).rfind("s.toml:13:8: trainer.read: ", 0) ==
        0);
}

TEST_CASE("a malformed [trainer] or parameter is rejected with location and key") {
  CHECK(trainer_error({.rest = "[trainer]\nlauncher = \"plain\""}) ==
        "s.toml:11:1: trainer: command is missing");
  CHECK(trainer_error({.rest = "[trainer]\ncommand = \"\""}) ==
        "s.toml:12:11: trainer.command: must not be empty");
  CHECK(trainer_error({.rest = "[trainer]\ncommand = \" \\t\\n\""}) ==
        "s.toml:12:11: trainer.command: must not be empty");
  CHECK(trainer_error({.rest = kTrainer + "launcher = \"torch\""})
            .rfind("s.toml:13:12: trainer.launcher: unknown launcher \"torch\"", 0) == 0);
  CHECK(trainer_error({.rest = kTrainer + "log_format = \"a b\""})
            .rfind("s.toml:13:14: trainer.log_format: unknown log format \"a b\"", 0) == 0);
  CHECK(trainer_error({.rest = kTrainer + "log_format = \"tim\""}) ==
        "s.toml:13:14: trainer.log_format: unknown log format \"tim\"; did you mean \"timm\"? "
        "(known: dlscale, timm, mlperf, dllogger, torchvision, horovod, tf_cnn_benchmarks, "
        "pytorch_ddp, deepspeed, mxnet, torch7, megatron, torchtitan, nanogpt)");
  CHECK(trainer_error({.training = "lr = { base = 1 }\nparameters.x = 1"}) ==
        "s.toml:9:16: training.parameters.x: requires an external trainer; set [trainer] command");
  CHECK(trainer_error({.matrix = kTrainerMatrix + "parameters.x = [1, \"a\"]", .rest = kTrainer}) ==
        "s.toml:7:20: matrix.parameters.x[1]: expected a number like the first value, found a "
        "string");
  CHECK(trainer_error({.matrix = kTrainerMatrix + "parameters.2x = 1", .rest = kTrainer}) ==
        "s.toml:7:17: matrix.parameters.2x: the name of a parameter may contain only letters, "
        "digits and _, and must not begin with a digit");
  CHECK(trainer_error({.matrix = "model = \"a/b\"\ngpus = 1\nbatch_per_gpu = 8", .rest = kTrainer})
            .rfind("s.toml:4:9: matrix.model: may contain only letters, digits and . _ -", 0) == 0);
}
