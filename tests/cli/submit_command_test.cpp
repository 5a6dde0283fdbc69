// SPDX-License-Identifier: Apache-2.0
// `dlscale submit`, `wait`, `retry` and `cancel`: on this machine, and with stand-ins for SLURM.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "contract/launch_record.hpp"
#include "contract/result_record.hpp"
#include "contract/run_dir.hpp"
#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr const char* kStudy = R"(
[study]
name = "small"
scaling = "throughput"
[matrix]
model = ["mlp"]
gpus = [1]
batch_per_gpu = [8, 16]
[training]
dataset = { kind = "synthetic_digits" }
epochs = 1
lr = { base_per_gpu = 0.05, scale = "linear" }
)";

constexpr const char* kSlurm = R"(
scheduler = "slurm"
launcher = "srun"
walltime = "00:10:00"
[[partitions]]
name = "p"
cores_per_node = 4
)";

/// Trains for no time, unless there is a file `fail`.
constexpr const char* kTrainer = R"(#!/bin/bash
until [[ $1 == --run ]]; do shift; done
k=1
until mkdir "$2/launch-$k" 2>/dev/null; do k=$((k + 1)); done
[ ! -e fail ] || { echo 'no luck' >&2; exit 3; }
echo '{"record":"run_stop","outcome":"Completed"}' >"$2/launch-$k/results.jsonl"
)";

/// A plan of two runs, and programs that do nothing of their own.
struct Planned {
  explicit Planned(const std::string& site = "local") {
    program("dlscale-train", kTrainer);
    program("mpirun", kTrainer);
    base::write_file_atomically(dlscale.folder / "study.toml", kStudy);
    base::write_file_atomically(dlscale.folder / "slurm.toml", kSlurm);
    const test::Ran ran = run({"plan", "study.toml", "--site", site, "-o", "p"});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
  }
  void program(const std::string& name, const std::string& text) {
    const std::filesystem::path path = dlscale.folder / ("bin/" + name);
    base::make_directories(path.parent_path());
    base::write_file_atomically(path, text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  test::Ran run(const std::vector<std::string>& arguments) {
    const std::string path = (dlscale.folder / "bin").string() + ":" + std::getenv("PATH");
    return dlscale.run(arguments, {{"PATH", path}});
  }
  std::vector<contract::LaunchRecord> log() const {
    return contract::parse_launch_log(base::read_file(dlscale.folder / "p/launch.jsonl"));
  }
  test::DlscaleProgram dlscale;
};

}  // namespace

TEST_CASE("submit runs the jobs of this machine to their end, once") {
  Planned planned;
  const test::Ran first = planned.run({"submit", "p"});
  INFO(first.out << first.err);
  CHECK(first.exit_code == 0);
  CHECK_THAT(first.out, Contains("submitted ") && Contains("2 runs: 2 done\n"));
  const test::Ran again = planned.run({"submit", "p", "--wait"});
  CHECK(again.exit_code == 0);
  CHECK(again.out == "nothing to submit; 2 runs: 2 done\n");
  CHECK(planned.run({"wait", "p"}).exit_code == 0);
}

TEST_CASE("runs that failed are left to retry, which takes those that are selected") {
  Planned planned;
  base::write_file_atomically(planned.dlscale.folder / "p/fail", "");
  CHECK(planned.run({"submit", "p"}).exit_code == 1);
  std::filesystem::remove(planned.dlscale.folder / "p/fail");
  const test::Ran left = planned.run({"submit", "p"});
  CHECK(left.exit_code == 0);
  CHECK_THAT(left.err, StartsWith("left out: 2 runs that did not end well"));
  const test::Ran retried = planned.run({"retry", "p", "--where", "batch_per_gpu == 8"});
  CHECK(retried.exit_code == 0);
  CHECK_THAT(retried.err, Contains("1 of 1 run is failed or oom or timeout or node_fail"));
  CHECK(planned.run({"wait", "p"}).exit_code == 1);
  CHECK(planned.run({"retry", "p", "--state", "oom"}).exit_code == 3);
}

TEST_CASE("a dry run prints the commands, and nothing is submitted") {
  Planned planned("slurm.toml");
  const test::Ran ran = planned.run({"submit", "p", "--dry-run"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, StartsWith("sbatch --parsable --comment="));
  CHECK_THAT(ran.out, Contains("/p/jobs/ddp-mlp-constant-g1-b16-"));
  CHECK_FALSE(std::filesystem::exists(planned.dlscale.folder / "p/launch.jsonl"));
  CHECK(planned.run({"submit", "p", "-n", "--wait"}).exit_code == 2);
}

TEST_CASE("a refusal of the batch system is an error with its words, and noted") {
  Planned planned("slurm.toml");
  planned.program("sbatch", "#!/bin/sh\necho 'sbatch: error: Invalid account' >&2; exit 1\n");
  const test::Ran ran = planned.run({"submit", "p"});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.err, Contains("Invalid account"));
  CHECK(planned.log().back().event == "refused");
  CHECK(planned.run({"list", "p", "--csv"}).out.find(",planned,") != std::string::npos);
}

TEST_CASE("what has not been submitted cannot be cancelled or left behind") {
  Planned planned;
  CHECK(planned.run({"cancel", "p"}).exit_code == 3);
  CHECK(planned.run({"cancel", "p", "--allow-empty"}).exit_code == 0);
  const test::Ran once = planned.run({"submit", "p", "--once"});
  CHECK(once.exit_code == 2);
  CHECK_THAT(once.err, Contains("--detach"));
  CHECK(planned.run({"wait", "p"}).out == "2 runs: 2 planned\n");
  CHECK(planned.run({"submit", "nowhere"}).exit_code == 2);
}

TEST_CASE("repetitions are submitted until efficiencies are certain; the others stay planned") {
  Planned planned;
  contract::RunStart start;
  start.schema_version = contract::kResultSchemaVersion;
  start.run_id = "RUN";
  start.steps_per_epoch = 10;
  contract::StepWindow window;
  window.steps = 10;
  window.samples = 80;
  window.wall_s = 2;
  planned.program("mpirun",
                  "#!/bin/bash\nuntil [[ $1 == --run ]]; do shift; done\n"
                  "mkdir \"$2/launch-1\" && sed \"s/RUN/${2##*/}/\" >\"$2/launch-1/results.jsonl\" "
                  "<<'END'\n" +
                      to_json_line(start) + "\n" + to_json_line(window) + "\n" +
                      to_json_line(contract::RunStop{}) + "\nEND\n");
  const test::Ran plan = planned.run({"plan", "study.toml", "-o", "p", "-S", "matrix.gpus=[1, 2]",
                                      "-S", "matrix.batch_per_gpu=[8]", "-S",
                                      "study.until={ efficiency_ci = 0.01, max = 4 }"});
  REQUIRE(plan.exit_code == 0);
  const test::Ran ran = planned.run({"submit", "p"});
  INFO(ran.out << ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("2 more repetitions of points whose efficiency is not known"));
  CHECK_THAT(ran.out, Contains("8 runs: 4 planned, 4 done\n"));
  CHECK_THAT(planned.run({"submit", "p"}).out, StartsWith("nothing to submit"));
}

TEST_CASE("submit goes on in the background, and wait follows it") {
  Planned planned;
  const test::Ran ran = planned.run({"submit", "p", "--detach"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("goes on as process ") && Contains("logs/submit.log"));
  const test::Ran waited = planned.run({"wait", "p"});
  CHECK(waited.exit_code == 0);
  CHECK_THAT(waited.out, Contains("2 runs: 2 done\n"));
}
