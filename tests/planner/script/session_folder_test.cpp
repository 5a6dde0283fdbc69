// SPDX-License-Identifier: Apache-2.0
// Tests of the session directory of Open MPI for launches by mpirun.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/planner/script_bench.hpp"

using namespace dlscale;
using Catch::Contains;
using test::ScriptBench;

namespace {

/// Bench with an mpirun that creates its session directory like Open MPI and logs the path of the
/// directory.
struct SessionBench : ScriptBench {
  const std::string temporary = (dir / "tmp").string();

  SessionBench(const std::string& batch_system, const std::string& starter) {
    scheduler = batch_system;
    launcher = starter;
    partition_keys = "max_walltime = '10:00:00'";
    program("mpirun",
            "base=${OMPI_MCA_orte_tmpdir_base:-none}\n"
            "[ \"$base\" = none ] || mkdir -p \"$base/ompi.node/pid.$$\"\n"
            "echo \"$base\" >> \"${0%/*}/words\"");
    std::filesystem::create_directory(temporary);
  }
  /// Returns the session folders of the launches of the first job.
  std::vector<std::string> folders_of_launches(const std::string& environment = "TMPDIR") {
    plan();
    const auto result = test::run_bash("OAR_NODEFILE=/dev/null " + environment + "='" + temporary +
                                       "' bash " + script());
    INFO(result.out);
    CHECK(result.exit_code == 0);
    std::vector<std::string> folders;
    std::istringstream lines(text("words"));
    for (std::string line; std::getline(lines, line);) folders.push_back(line);
    return folders;
  }
  bool left_nothing() const { return std::filesystem::is_empty(temporary); }
};

}  // namespace

TEST_CASE("each launch on a node has its own session directory and removes it") {
  const auto [scheduler, launcher] = GENERATE(table<std::string, std::string>(
      {{"slurm", "mpirun"}, {"oar", "mpirun"}, {"oar", "oarsh"}, {"local", "mpirun"}}));
  INFO(scheduler << " " << launcher);
  SessionBench single(scheduler, launcher);
  const std::vector<std::string> folder = single.folders_of_launches();
  REQUIRE(folder.size() == 1);
  CHECK_THAT(folder[0], Catch::StartsWith(single.temporary + "/dlscale."));
  CHECK(single.left_nothing());
  if (scheduler == "local") return;  // no packed jobs on a single machine
  SessionBench packed(scheduler, launcher);
  packed.study.rest = "[launch]\npack = true";
  const std::vector<std::string> folders = packed.folders_of_launches();
  REQUIRE(folders.size() == 2);
  CHECK(folders[0] != folders[1]);
  CHECK(packed.left_nothing());
}

TEST_CASE("a script without a session directory still starts its launch") {
  SessionBench bench("slurm", "mpirun");
  bench.plan();
  const auto script = bench.out.job_script(bench.planning.plan.jobs[0].name);
  std::string text = base::read_file(script);
  const std::size_t line = text.find("\nsession=");
  REQUIRE(line != text.npos);
  base::write_file_atomically(script, text.erase(line, text.find('\n', line + 1) - line));
  const auto result = test::run_bash("bash " + bench.script());
  INFO(result.out);
  CHECK(result.exit_code == 0);
  CHECK(bench.text("words") == "none\n");
}

TEST_CASE("a base for session directories that is already set is kept") {
  SessionBench bench("slurm", "mpirun");
  const auto folders = bench.folders_of_launches("TMPDIR=/nowhere OMPI_MCA_orte_tmpdir_base");
  REQUIRE(folders.size() == 1);
  CHECK_THAT(folders[0], Catch::StartsWith(bench.temporary + "/dlscale."));
  CHECK(bench.left_nothing());
}

TEST_CASE("launches on several nodes keep the default session directory of Open MPI") {
  SessionBench nodes("slurm", "mpirun");
  nodes.study.matrix = "model = 'mlp'\ngpus = 8\nbatch_per_gpu = 32";
  CHECK(nodes.folders_of_launches() == std::vector<std::string>{"none"});
  SessionBench moldable("oar", "oarsh");
  moldable.partition_keys += "\nmoldable = true";
  moldable.plan();
  CHECK_THAT(base::read_file(moldable.out.job_script(moldable.planning.plan.jobs[0].name)),
             !Contains("orte_tmpdir_base"));
}
