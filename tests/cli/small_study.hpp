// SPDX-License-Identifier: Apache-2.0
// Study of two runs in a plan folder, with substitutes for the programs that its jobs start.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/records/result_record.hpp"
#include "tests/cli/dlscale_program.hpp"

namespace dlscale::test {

inline constexpr const char* kSmallStudy = R"(
[study]
name = "small"
scaling = "throughput"
[matrix]
model = ["mlp"]
gpus = [1]
batch_per_gpu = [8, 16]
[training]
dataset.kind = "synthetic_digits"
epochs = 1
lr.base_per_gpu = 0.05
lr.scale = "linear"
)";

inline constexpr const char* kSmallSlurm = R"(
scheduler = "slurm"
launcher = "srun"
walltime = "00:10:00"
[[partitions]]
name = "p"
cores_per_node = 4
)";

/// Script of a trainer that ends at once, and fails if a file `fail` exists.
inline constexpr const char* kIdleTrainer =
    "#!/bin/bash\n"
    "until [[ $1 == --run ]]; do shift; done\n"
    "k=1\n"
    "until mkdir \"$2/launch-$k\" 2>/dev/null; do k=$((k + 1)); done\n"
    "if [ -e fail ]; then echo 'no luck' >&2; exit 3; fi\n"
    "echo '{\"record\":\"run_stop\",\"outcome\":\"Completed\"}' >\"$2/launch-$k/results.jsonl\"\n";

/// Plan of two runs, with substitutes for the trainer and mpirun.
struct SmallStudy {
  explicit SmallStudy(const std::string& site = "local") {
    program("dlscale-train", kIdleTrainer);
    program("mpirun", kIdleTrainer);
    base::write_file_atomically(dlscale.folder / "study.toml", kSmallStudy);
    base::write_file_atomically(dlscale.folder / "slurm.toml", kSmallSlurm);
    const Ran ran = run({"plan", "study.toml", "--site", site, "-o", "p"});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
  }
  void program(const std::string& name, const std::string& text) {
    const std::filesystem::path path = dlscale.folder / ("bin/" + name);
    base::make_directories(path.parent_path());
    base::write_file_atomically(path, text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  Ran run(const std::vector<std::string>& arguments,
          std::map<std::string, std::string> environment = {}) {
    environment["PATH"] = (dlscale.folder / "bin").string() + ":" + std::getenv("PATH");
    return dlscale.run(arguments, environment);
  }
  /// Replaces the trainer by a trainer that records constant measurements.
  void measure() {
    contract::RunStart start;
    start.schema_version = contract::kResultSchemaVersion;
    start.run_id = "RUN";
    start.steps_per_epoch = 10;
    contract::StepWindow window;
    window.steps = 10;
    window.samples = 80;
    window.wall_s = 2;
    program("mpirun",
            "#!/bin/bash\nuntil [[ $1 == --run ]]; do shift; done\n"
            "[ ! -e fail ] || exit 3\n"
            "mkdir \"$2/launch-1\" && sed \"s/RUN/${2##*/}/\" >\"$2/launch-1/results.jsonl\" "
            "<<'END'\n" +
                to_json_line(start) + "\n" + to_json_line(window) + "\n" +
                to_json_line(contract::RunStop{}) + "\nEND\n");
  }
  /// Plans two GPU counts with `repeats` initial repetitions each, and with at most four
  /// repetitions each.
  void plan_until_certain(int repeats) {
    const Ran ran =
        run({"plan", "study.toml", "-o", "p", "-S", "matrix.gpus=[1, 2]", "-S",
             "matrix.batch_per_gpu=[8]", "-S", "study.repeats=" + std::to_string(repeats), "-S",
             "study.until={ efficiency_ci = 0.01, max = 4 }"});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
  }
  std::vector<contract::LaunchRecord> log() const {
    return contract::parse_launch_log(base::read_file(dlscale.folder / "p/launch.jsonl"));
  }
  DlscaleProgram dlscale;
};

}  // namespace dlscale::test
