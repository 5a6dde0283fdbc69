// SPDX-License-Identifier: Apache-2.0
// Runs job scripts of small plans in bash with fake launchers and trainers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "contract/records/launch_record.hpp"
#include "planner/script/shell_text.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

namespace dlscale::test {

inline void write_program(const std::filesystem::path& path, const std::string& body) {
  base::write_file_atomically(path, "#!/bin/bash\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// Cluster of nodes with 4 GPUs and with fake programs from a folder.
struct ScriptBench {
  TempDir dir;
  contract::PlanDir out{dir / "plan"};
  StudyText study;
  std::string scheduler = "slurm", launcher = "mpirun";
  std::string site_keys, partition_keys;
  contract::ExternalTrainer trainer;  ///< external trainer, empty for dlscale-train
  std::map<std::string, std::string> parameters;
  planner::Planning planning;

  ScriptBench() {
    write_program(dir / "trainer", "");
    study.matrix = "model = 'mlp'\ngpus = 2\nbatch_per_gpu = [32, 64]";
  }
  void program(const std::string& name, const std::string& body) const {
    write_program(dir / name, body);
  }
  void plan() {
    const std::string site =
        "scheduler = '" + scheduler + "'\nlauncher = '" + launcher +
        "'\ndevice = 'cuda'\nwalltime = '01:00:00'\ntrainer = '" + (dir / "trainer").string() +
        "'\nenvironment = ['PATH=" + dir.path().string() + ":$PATH']\n" + site_keys +
        "\n[[partitions]]\nname = 'p'\ngpus_per_node = 4\ncores_per_node = 4\n" + partition_keys;
    planning = plan_texts(study.text(), site, dir);
    planning.study.trainer = trainer;
    for (planner::Point& point : planning.expansion.points) {
      point.run.trainer = trainer;
      point.run.parameters = parameters;
    }
    planner::write_plan(planning, shipped_resources(), out);
  }
  std::string script(std::size_t job = 0) const {
    return planner::shell_quote(out.job_script(planning.plan.jobs[job].name).string());
  }
  std::string text(const std::string& file) const { return base::read_file(dir / file); }
  /// Returns the ends that scripts logged for the runs of a job and for tasks without a run.
  std::vector<contract::LaunchRecord> ends(std::size_t job = 0) const {
    const contract::PlannedJob& planned = planning.plan.jobs[job];
    std::vector<std::string> names = planned.run_ids;
    if (planned.kind == contract::JobKind::array) names.push_back(planned.name);
    std::vector<contract::LaunchRecord> ends;
    for (const std::string& name : names) {
      if (!std::filesystem::exists(out.run_notes(name))) continue;
      for (auto& note : contract::parse_launch_log(base::read_file(out.run_notes(name)))) {
        if (note.event == "ended") ends.push_back(std::move(note));
      }
    }
    return ends;
  }
  std::string run_id(std::size_t i) const { return planning.plan.runs[i].run_id; }
};

}  // namespace dlscale::test
