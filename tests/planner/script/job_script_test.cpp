// SPDX-License-Identifier: Apache-2.0
// Tests of job scripts in bash with a fake mpirun and a fake trainer.
#include <catch2/catch.hpp>

#include "contract/records/launch_record.hpp"
#include "planner/script/render.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/planner/judged_scripts.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

void write_program(const fs::path& path, const std::string& body) {
  base::write_file_atomically(path, "#!/bin/bash\n" + body + "\n");
  fs::permissions(path, fs::perms::owner_all);
}

/// Demo study planned for a machine with an mpirun that records its arguments and then runs the
/// commands in `behaviour`.
struct JobScriptBench {
  test::TempDir dir;
  contract::PlanDir out;
  planner::Planning planning;
  std::string script;
  std::string job;

  explicit JobScriptBench(const std::string& behaviour, const std::string& folder = "plan",
                          const std::string& site = "")
      : out(dir / folder) {
    write_program(dir / "mpirun", "printf '%s\\0' \"$@\" > " +
                                      planner::shell_quote((dir / "argv").string()) + "\n" +
                                      behaviour);
    write_program(dir / "trainer", "");
    planning = test::plan_demo_on("scheduler = 'local'\ntrainer = '" + (dir / "trainer").string() +
                                      "'\nenvironment = ['PATH=" + dir.path().string() +
                                      ":$PATH']\n" + site,
                                  dir);
    planner::write_plan(planning, test::shipped_resources(), out);
    job = planning.plan.jobs.back().name;
    script = planner::shell_quote(out.job_script(job).string());
  }
  std::vector<contract::LaunchRecord> ends() const {
    const std::string& run_id = planning.plan.jobs.back().run_ids[0];
    auto notes = contract::parse_launch_log(base::read_file(out.run_notes(run_id)));
    std::erase_if(notes, [](const auto& note) { return note.event != "ended"; });
    return notes;
  }
};

}  // namespace

TEST_CASE("all scripts of the published studies are accepted by bash and shellcheck") {
  test::TempDir dir;
  test::JudgedScripts scripts;
  for (const auto& [study, site] :
       {std::pair{"juwels", "juwels-booster"}, {"nef", "nef"}, {"demo", "local"}}) {
    const contract::PlanDir out(dir / study);
    planner::write_plan(test::plan_example(study, site), test::shipped_resources(), out);
    scripts.take(out, out.root(), study + std::string(": "));
  }
  scripts.check();
}

TEST_CASE("a script starts the trainer on its run and returns its exit code") {
  const JobScriptBench bench("exit 5");
  CHECK(test::run_bash(bench.script).exit_code == 5);
  CHECK(base::read_file(bench.dir / "argv") == std::string("--bind-to\0none\0-np\0002\0", 21) +
                                                   (bench.dir / "trainer").string() + '\0' +
                                                   "--run" + '\0' + "runs/" + bench.job + '\0');
  REQUIRE(bench.ends().size() == 1);
  CHECK(bench.ends()[0].event == "ended");
  CHECK(bench.ends()[0].job == bench.job);
  CHECK(bench.ends()[0].run_id == bench.planning.plan.jobs.back().run_ids[0]);
  CHECK(bench.ends()[0].exit_code == 5);
  CHECK(bench.ends()[0].time > 1.7e9);
  test::run_bash(bench.script);
  CHECK(bench.ends().size() == 2);
}

TEST_CASE("hostile folder names and launcher arguments reach the trainer unchanged") {
  const std::string folder = "it's $(a) \"pl an\"\n#OAR *";
  const JobScriptBench bench("exit 0", folder, "launcher_args = ['$HOME', \"a'b\\n\", '*']");
  const auto result = test::run_bash(bench.script);
  INFO(result.out);
  CHECK(result.exit_code == 0);
  CHECK(base::read_file(bench.dir / "argv").find(std::string("none\0$HOME\0a'b\n\0*\0-np", 21)) ==
        10);
  CHECK(bench.ends().size() == 1);
}

TEST_CASE("a stopped script stops the ranks, waits for them and logs signal and exit code") {
  for (const std::string signal : {"TERM", "INT"}) {
    const JobScriptBench bench("trap 'exit 99' TERM; touch started; while :; do sleep 0.05; done");
    // In a shell without job control, background jobs ignore INT. set -m enables job control.
    const auto result =
        test::run_bash("set -m; " + bench.script + " & while [ ! -e " +
                       planner::shell_quote((bench.out.root() / "started").string()) +
                       " ]; do sleep 0.05; done; kill -" + signal + " $!; wait $!");
    CHECK(result.exit_code == 99);
    REQUIRE(bench.ends().size() == 1);
    CHECK(bench.ends()[0].exit_code == 99);
    CHECK(bench.ends()[0].reason == "got SIG" + signal);
  }
}

TEST_CASE("a script checks its trainer and run first and logs a failed check") {
  const JobScriptBench no_trainer("exit 0", "plan", "");
  fs::remove(no_trainer.dir / "trainer");
  const auto result = test::run_bash(no_trainer.script);
  CHECK(result.exit_code == 2);
  CHECK(result.out.find("no trainer " + (no_trainer.dir / "trainer").string()) !=
        std::string::npos);
  CHECK(no_trainer.ends()[0].exit_code == 2);
  CHECK_FALSE(fs::exists(no_trainer.dir / "argv"));
  const JobScriptBench no_run("exit 0");
  fs::remove(no_run.out.run(no_run.job).run_json());
  CHECK(test::run_bash(no_run.script).exit_code == 2);
}

TEST_CASE("SLURM and OAR scripts request the shape of the job") {
  const auto first_script = [](const char* study, const char* site) {
    return planner::job_script(test::plan_example(study, site), 0, test::shipped_resources(),
                               contract::PlanDir("/plans/x"));
  };
  const std::string slurm = first_script("juwels", "juwels-booster");
  for (const char* line :
       {"\n#SBATCH --nodes=1\n", "\n#SBATCH --gres=gpu:4\n", "\n#SBATCH --time=24:00:00\n",
        "\n#SBATCH --cpus-per-task=12\n", "\n#SBATCH --output=/plans/x/logs/ddp-resnet50-g4-"}) {
    CHECK(slurm.find(line) != std::string::npos);
  }
  CHECK(slurm.find("--account") == std::string::npos);
  const std::string oar = first_script("nef", "nef");
  for (const char* line :
       {"\n#OAR -p gpu='YES' and host like 'nefgpu45%'\n", "\n#OAR -O /plans/x/logs/",
        "\n#OAR -l /nodes=1/gpunum=1,walltime=1:00:00\n"}) {
    CHECK(oar.find(line) != std::string::npos);
  }
}
