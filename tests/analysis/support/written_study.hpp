// SPDX-License-Identifier: Apache-2.0
// Plan folder with results that tests write with the types of contract/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

/// Measurements of a run: a start-up window that is twenty times slower, then two steady windows.
struct Measured {
  double samples_per_s = 1000;
  double accuracy = 0.9;
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  bool stopped = true;  ///< false: the launch wrote no run_stop
};

class WrittenStudy {
 public:
  WrittenStudy() : folder(temp_.path() / "study") {
    plan.study = "made-up";
    plan.scaling = "weak";
    plan.site = "local";
    plan.scheduler = "local";
    plan.axes = {{"framework", {"ddp", "synchronous"}}, {"gpus", {"1", "2", "4"}}};
    base::make_directories(folder.logs());
    write_plan();
  }

  /// Plans a run, writes its run.json and returns its id.
  std::string plan_run(const std::string& framework, int gpus, int repetition = 1) {
    contract::RunSpec spec;
    spec.framework = framework;
    spec.gpus = gpus;
    spec.global_batch = spec.batch_per_gpu * gpus;
    spec.repetition = repetition;
    spec.point = {{"framework", framework}, {"gpus", std::to_string(gpus)}};
    spec.run_id = framework + "-g" + std::to_string(gpus) + "-r" + std::to_string(repetition);
    plan.runs.push_back({.run_id = spec.run_id,
                         .repetition = repetition,
                         .point = spec.point,
                         .job = "job-" + spec.run_id,
                         .gpus = gpus});
    plan.jobs.push_back({"job-" + spec.run_id, {spec.run_id}, {}});
    base::make_directories(folder.run(spec.run_id).root());
    base::write_file_atomically(folder.run(spec.run_id).run_json(), to_json(spec));
    write_plan();
    return spec.run_id;
  }

  contract::LaunchDir launch(const std::string& run_id, int gpus, const Measured& measured = {}) {
    const contract::LaunchDir launch = folder.run(run_id).make_next_launch();
    std::string text;
    for (const auto& record : records(run_id, gpus, launch.number(), measured)) {
      text += contract::to_json_line(record) + "\n";
    }
    base::write_file_atomically(launch.results(), text);
    return launch;
  }

  std::string add(const std::string& framework, int gpus, const Measured& measured = {},
                  int repetition = 1) {
    const std::string run_id = plan_run(framework, gpus, repetition);
    launch(run_id, gpus, measured);
    return run_id;
  }

  /// Writes the log entry about the end of a run, as the runner does.
  void note_end(const std::string& run_id, contract::RunOutcome outcome, double time) {
    const contract::LaunchRecord record{.event = "ended",
                                        .job = "job-" + run_id,
                                        .run_id = run_id,
                                        .job_id = "1",
                                        .time = time,
                                        .outcome = outcome,
                                        .exit_code = 1,
                                        .reason = "noted"};
    base::LineAppender(folder.launch_log()).append(contract::to_json_line(record));
  }

  void write_plan() { base::write_file_atomically(folder.plan_json(), to_json(plan)); }

  static double start_of_launch(int k) { return 1000.5 * k; }

 private:
  static std::vector<contract::ResultRecord> records(const std::string& run_id, int gpus, int k,
                                                     const Measured& measured) {
    contract::RunStart start;
    start.run_id = run_id;
    start.launch = k;
    start.time = start_of_launch(k);
    start.world_size = gpus;
    start.environment = {{"cpu", "a CPU"}, {"torch", "2.11.0"}};
    std::vector<contract::ResultRecord> list{start};
    for (int i = 0; i < 3; ++i) {
      contract::StepWindow window;
      window.steps = 10;
      window.warmup = i == 0;
      window.samples = 10 * 64 * gpus;
      window.wall_s = static_cast<double>(window.samples) / measured.samples_per_s;
      if (window.warmup) window.wall_s *= 20;
      window.parts[2].mean = 0.25 * window.wall_s;
      window.parts[3].mean = 0.75 * window.wall_s;
      list.push_back(window);
    }
    list.push_back(contract::EpochRecord{
        .wall_s = 1.5, .steps = 30, .samples = 30 * 64 * gpus, .train_loss = 0.4, .lr = 0.1});
    list.push_back(contract::EvalRecord{.wall_s = 0.1,
                                        .samples = 1000,
                                        .correct = 900,
                                        .accuracy = measured.accuracy,
                                        .loss = 0.3});
    if (measured.stopped) {
      contract::RunStop stop;
      stop.outcome = measured.outcome;
      stop.time = start.time + 10;
      list.push_back(stop);
    }
    return list;
  }

  TempDir temp_;

 public:
  contract::PlanDir folder;
  contract::Plan plan;
};

}  // namespace dlscale::test
