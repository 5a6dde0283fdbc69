// SPDX-License-Identifier: Apache-2.0
#include "planner/script/command_warnings.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using Lines = std::vector<std::string>;

namespace {

/// Study in a temporary folder that contains the file train.py. The section [trainer] begins in
/// line 3, and its first key is the command in line 4.
struct CommandStudy {
  std::string trainer;  ///< lines of [trainer]
  std::string matrix = "gpus = 1\nbatch_per_gpu = 8";
  std::string rest = "";

  /// Returns the warnings of the plan, without the path of the temporary folder.
  Lines warnings() const {
    const test::TempDir dir;
    base::write_file_atomically(dir / "train.py", "");
    base::write_file_atomically(dir / "run.yaml", "batch: {{batch_per_gpu}}\n");
    Lines found = test::plan_texts("[study]\nname = 's'\n[trainer]\n" + trainer + "\n[matrix]\n" +
                                       matrix + "\n" + rest,
                                   "scheduler = 'local'\ndevice = 'cpu'\n", dir)
                      .plan.warnings;
    const std::string folder = dir.path().string() + "/";
    for (std::string& text : found) {
      for (std::size_t at; (at = text.find(folder)) != std::string::npos;) {
        text.erase(at, folder.size());
      }
    }
    return found;
  }
};

Lines warnings_of_command(const std::string& command, const std::string& launcher = "plain") {
  return CommandStudy{"command = '" + command + "'\nlauncher = '" + launcher + "'"}.warnings();
}

const std::string kAtCommand = "study.toml:4:11: trainer.command: ";

}  // namespace

TEST_CASE("an axis whose values give the same command is a warning with its place") {
  const std::string same =
      "runs with different values of this axis have the same command, so the axis has no effect; ";
  const auto warnings = [](const std::string& command, const std::string& matrix,
                           const std::string& rest = "") {
    return CommandStudy{"command = '" + command + "'\nlauncher = 'torchrun'", matrix, rest}
        .warnings();
  };
  const std::string batches = "gpus = [1, 2]\nbatch_per_gpu = [32, 64]";
  CHECK(warnings("train.py --batch-size 32", batches) ==
        Lines{"study.toml:8:17: matrix.batch_per_gpu: " + same +
              "write {{batch_per_gpu}} in the command"});
  CHECK(warnings("train.py --batch-size {{batch_per_gpu}}", batches).empty());
  CHECK(warnings("train.py --batch-size {{global_batch}}", batches).empty());
  // The names of the run and of its folder differ, but the script cannot learn the batch from them.
  CHECK(
      warnings("train.py --out {{run_folder}} --tag {{run_id}} --seed {{seed}}", batches).size() ==
      1);
  CHECK(warnings("train.py {{run_folder}}/run.json", batches).empty());
  CHECK(warnings("train.py", "gpus = [1, 2]\nbatch_per_gpu = 8").empty());
  const Lines rate = warnings("train.py", "gpus = 1\nbatch_per_gpu = 8\nlr.base = [0.1, 0.2]");
  REQUIRE(rate.size() == 1);
  CHECK_THAT(rate[0], Catch::Contains("matrix.lr.base: ") && Catch::Contains("{{lr.base}}"));
  CHECK(warnings("train.py --lr {{lr_peak}}", "gpus = 1\nbatch_per_gpu = 8\nlr.base = [0.1, 0.2]")
            .empty());
}

TEST_CASE("configuration files and environment variables pass the values of axes") {
  const std::string trainer =
      "command = 'train.py'\nlauncher = 'torchrun'\n[[trainer.files]]\ntemplate = 'run.yaml'\n"
      "to = 'run.yaml'";
  CHECK(CommandStudy{trainer, "gpus = 1\nbatch_per_gpu = [32, 64]"}.warnings().empty());
  const Lines precisions =
      CommandStudy{trainer, "gpus = 1\nbatch_per_gpu = 8\nprecision = ['fp32', 'bf16']"}.warnings();
  REQUIRE(precisions.size() == 1);
  CHECK_THAT(precisions[0], Catch::Contains("have the same command and the same files, so"));
  CHECK(CommandStudy{"command = 'train.py'\nlauncher = 'torchrun'",
                     "gpus = 1\nbatch_per_gpu = 8\nenvironment.NCCL_ALGO = ['Ring', 'Tree']"}
            .warnings()
            .empty());
}

TEST_CASE("axes that vary together are a warning only if all of them have no effect") {
  const auto warnings = [](const std::string& command) {
    return CommandStudy{"command = '" + command + "'\nlauncher = 'torchrun'",
                        "gpus = [1, 2]\nbatch_per_gpu = 8",
                        "[[zip]]\nprecision = ['fp32', 'bf16']\nlr.base = [0.1, 0.2]\n"}
        .warnings();
  };
  const Lines both = warnings("train.py");
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], Catch::Contains("zip[0].precision: "));
  CHECK_THAT(both[1], Catch::Contains("zip[0].lr.base: "));
  CHECK(warnings("train.py --lr {{lr.base}}").empty());
}

TEST_CASE("a command that starts once for several GPUs without a launcher is a warning") {
  const auto warnings = [](const std::string& trainer, const std::string& matrix) {
    return CommandStudy{trainer, matrix}.warnings();
  };
  const std::string several = "gpus = [1, 2]\nbatch_per_gpu = 8";
  CHECK(warnings("command = 'python3 train.py'", several) ==
        Lines{kAtCommand +
              "the study sets no launcher and the command does not contain {{ranks}}, so runs with "
              "several GPUs start the command only once; set launcher = \"torchrun\" or \"ranks\", "
              "or \"plain\" if the command starts its ranks itself"});
  CHECK(warnings("command = 'python3 train.py'", "gpus = 1\nbatch_per_gpu = 8").empty());
  CHECK(warnings("command = 'python3 train.py'\nlauncher = 'plain'", several).empty());
  CHECK(warnings("command = 'python3 train.py'\nlauncher = 'ranks'", several).empty());
  for (const std::string command :
       {"python3 train.py --devices {{ranks}}", "torchrun --nproc-per-node=gpu train.py",
        "OMP_NUM_THREADS=1 mpirun python3 train.py", "python3 -m torch.distributed.run train.py",
        "python3 train.py --devices $CUDA_VISIBLE_DEVICES",
        "for i in 1 2; do srun python3 train.py; done", "if true; then mpirun train; fi",
        "uv run torchrun train.py", "poetry run accelerate launch train.py",
        "conda run -n x torchrun train.py", "apptainer exec x.sif /opt/bin/torchrun train.py",
        "bash -c \"OMP_NUM_THREADS=1 mpirun python3 train.py\"", "numactl -N 0 mpiexec.hydra train",
        "python3 -m accelerate.commands.launch train.py", "jsrun -n 2 python3 train.py"}) {
    INFO(command);
    CHECK(warnings("command = '" + command + "'", several).empty());
  }
  for (const std::string command : {"python3 train.py --tag my-srun", "python3 train.py # torchrun",
                                    "uv run python3 train.py", "python3 -m accelerated"}) {
    INFO(command);
    CHECK(warnings("command = '" + command + "'", several).size() == 1);
  }
  CHECK(CommandStudy{"command = 'python3 train.py --devices {{nproc}}'", "batch_per_gpu = 8",
                     "[[zip]]\ngpus = [1, 2]\nparameters.nproc = [1, 2]\n"}
            .warnings()
            .empty());
}

TEST_CASE("a command that starts its launcher again is a warning") {
  const auto again = [](const std::string& word) {
    return Lines{kAtCommand + "launcher = \"torchrun\" starts Python itself and takes \"" + word +
                 "\" as the name of the Python script; remove \"" + word + "\" from the command"};
  };
  CHECK(warnings_of_command("torchrun train.py", "torchrun") == again("torchrun"));
  CHECK(warnings_of_command("python train.py", "torchrun") == again("python"));
  CHECK(warnings_of_command("/opt/bin/python3.11 train.py", "torchrun") ==
        again("/opt/bin/python3.11"));
  CHECK(warnings_of_command("train.py --python python3", "torchrun").empty());
  CHECK(warnings_of_command("-m train --launcher torchrun", "torchrun").empty());
  CHECK(warnings_of_command("torchrun train.py", "ranks") ==
        Lines{kAtCommand +
              "launcher = \"ranks\" starts the command once per rank, so each rank would start "
              "\"torchrun\"; remove \"torchrun\" from the command, or set launcher = \"plain\""});
  CHECK(warnings_of_command("ulimit -c 0; exec mpirun python train.py", "ranks").size() == 1);
  CHECK(warnings_of_command("python train.py", "ranks").empty());
  CHECK(warnings_of_command("torchrun train.py").empty());
}

TEST_CASE("a known name in single braces is a warning") {
  CHECK(warnings_of_command("python train.py --seed {seed} --batch-size {{batch_per_gpu}}") ==
        Lines{kAtCommand +
              "{seed} has single braces, so it is not replaced by a value; write {{seed}}"});
  CHECK(warnings_of_command("python train.py ${seed} {a,b} {unknown} { {{ seed }} {").empty());
}

TEST_CASE("quotes around an option and its value are a warning") {
  CHECK(warnings_of_command("python train.py \"--seed {{seed}}\"") ==
        Lines{kAtCommand +
              "the quotes around \"--seed {{seed}}\" join the option and its value to one word, "
              "which the program does not recognise as an option; remove the quotes"});
  CHECK(warnings_of_command("bash run --args \"--seed {{seed}}\" \"--tag a b\" \"--x={{seed}} b\"")
            .empty());
}

TEST_CASE("a script that does not exist is a warning with the nearest file") {
  CHECK(warnings_of_command("trian.py --seed {{seed}}", "torchrun") ==
        Lines{kAtCommand + "trian.py: no such file; did you mean \"train.py\"?"});
  CHECK(warnings_of_command("bash run.sh") == Lines{kAtCommand + "run.sh: no such file"});
  CHECK(warnings_of_command("uv run run.sh | tee out.sh") ==
        Lines{kAtCommand + "run.sh: no such file"});
  CHECK(warnings_of_command("bash a/run.sh") == Lines{kAtCommand + "a/run.sh: no such file"});
  for (const std::string command : {"python train.py",
                                    "python ./train.py",
                                    "python /opt/other.py",
                                    "python $HOME/a.py",
                                    "python {{study_folder}}/a.py",
                                    "cd /opt && python a.py",
                                    "train > out.sh",
                                    "train --config=a.py",
                                    "bash -c \"python a.py\"",
                                    "python ../a.py",
                                    "python train.py # other.py",
                                    "python train.py --tag a#b",
                                    "train | tee out.sh",
                                    "echo x > a.py; python a.py",
                                    "test -f a.sh && bash a.sh",
                                    "[ -f a.sh ] && . a.sh",
                                    "cp /opt/a.py a.py; python a.py",
                                    "git clone /opt/a && python a/a.py",
                                    "apptainer exec --pwd /opt x.sif python a.py",
                                    "docker run --workdir=/opt x python a.py",
                                    "uv run --directory /opt python a.py"}) {
    INFO(command);
    CHECK(warnings_of_command(command).empty());
  }
  CHECK(
      CommandStudy{"command = 'bash conf/env.sh'\nlauncher = 'plain'\n[[trainer.files]]\n"
                   "template = 'run.yaml'\nto = 'conf/env.sh'"}
          .warnings()
          .empty());
}

TEST_CASE("a script above the folder of the command is a warning with the path to write") {
  const test::TempDir dir;
  base::make_directories(dir / "base");
  base::write_file_atomically(dir / "base/site.toml", "scheduler = 'local'\ndevice = 'cpu'\n");
  const auto warnings = [&](const std::string& study) {
    return planner::make_plan({dir / study, (dir / "base/site.toml").string()},
                              test::shipped_resources())
        .plan.warnings;
  };
  base::write_file_atomically(dir / "train.py", "");
  base::write_file_atomically(dir / "base/study.toml",
                              "[study]\nname = 's'\n[trainer]\ncommand = 'python ../train.py'\n"
                              "[matrix]\ngpus = 1\nbatch_per_gpu = 8\n");
  base::write_file_atomically(dir / "more.toml", "extends = 'base/study.toml'\n");
  const std::string file = (dir / "train.py").string();
  const std::string problem =
      "trainer.command: the command runs in its launch folder, so "
      "\"../train.py\" does not name " +
      file + "; write ";
  const Lines own = warnings("base/study.toml");
  REQUIRE(own.size() == 1);
  CHECK_THAT(own[0], Catch::EndsWith(problem + "{{study_folder}}/../train.py"));
  const Lines extended = warnings("more.toml");
  REQUIRE(extended.size() == 1);
  CHECK_THAT(extended[0], Catch::EndsWith(problem + file));
}

TEST_CASE("a command with an error gives no warning, and the job script reports the error") {
  const test::TempDir dir;
  const auto planning = test::plan_texts(
      "[study]\nname = 's'\n[trainer]\ncommand = 'train {{modle}}'\nlauncher = 'ranks'\n"
      "[matrix]\ngpus = 1\nbatch_per_gpu = [8, 16]\n",
      "scheduler = 'local'\ndevice = 'cpu'\n", dir);
  CHECK(planning.plan.warnings.empty());
  CHECK_THAT(test::error_of([&] {
               planner::job_script(planning, 0, test::shipped_resources(),
                                   contract::PlanDir(dir / "out"));
             }),
             Catch::Contains("unknown name \"modle\""));
}
