// SPDX-License-Identifier: Apache-2.0
#include "workspace/submitting.hpp"

#include <fmt/format.h>

#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/text.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/jobs/dry_run.hpp"
#include "workspace/jobs/folder_moved_check.hpp"
#include "workspace/jobs/job_environment.hpp"
#include "workspace/status/verb_report.hpp"

namespace dlscale::workspace {
namespace {

void check(const SubmitChoice& choice, const LaunchFolder& place) {
  if (place.is_local() && choice.once) {
    throw base::UsageError(
        "--once: jobs on this machine end with the dlscale process that started them; use --detach "
        "instead");
  }
}

runner::Until until_of(const SubmitChoice& choice, const LaunchFolder& place) {
  if (choice.once) return runner::Until::looked;
  const bool follow = choice.wait || place.is_local();
  return follow ? runner::Until::ended : runner::Until::handed_over;
}

void print_result(const LaunchFolder& place, const runner::LaunchReport& report) {
  place.words << fmt::format("{} submitted; {} in the batch system",
                             base::count_of(report.submitted, "job"),
                             base::count_of(report.queued, "run"));
  if (report.waiting > 0) {
    place.words << fmt::format(
        ", {} not submitted yet because of the job limit; repeat the command later",
        base::count_of(report.waiting, "run"));
  }
  place.words << fmt::format(
      "\ndlscale status {0} shows the states of the runs; dlscale collect {0} reads their "
      "results\n",
      place.folder.root().string());
}

/// Submission of the runs of one plan folder.
class Handover {
 public:
  Handover(const SubmitChoice& choice, const Pick& pick, const SubmitTools& tools)
      : choice_(choice), pick_(pick), tools_(tools), place_(choice.folder, choice.json) {
    check(choice, place_);
    require_unmoved(place_.folder, place_.plan);
    selected_ = select_runs(place_.plan, choice.selection);
  }

  int report(const std::string& verb) {
    return report_on(
        place_, selected_,
        {verb, [this] { return choice_.dry_run ? show() : submit(); }, [this] { return deeds(); }});
  }

 private:
  int show() {
    deeds_.dry_run = true;
    for (const DryJob& job : dry_run(place_, pick_(place_, selected_))) {
      ++deeds_.jobs;
      deeds_.commands.push_back(job.command);
      for (const std::string& run : job.runs) deeds_.actions[run] = action::kSubmitted;
      if (!choice_.json) std::cout << job.command << "\n";
    }
    return base::kExitOk;
  }

  int submit() {
    place_.words << removed_variables_line(place_.environment.removed);
    log_.emplace(place_.folder.launch_log(), place_.clock);
    records_before_ = log_->records().size();
    if (choice_.detach && !tools_.detach(place_.folder.logs() / "submit.log")) return base::kExitOk;
    const runner::LaunchHistory history(log_->records());
    runner::LaunchOrders orders{pick_(place_, selected_), open_runs(history, selected_)};
    const auto more = adaptive_repeats(place_, selected_);
    if (more && orders.submit.empty() && orders.follow.empty()) orders.submit = more();
    if (orders.submit.empty() && orders.follow.empty()) {
      place_.words << "nothing to submit; ";
      return print_states(place_, selected_) > 0 && choice_.wait ? base::kExitRunsFailed
                                                                 : base::kExitOk;
    }
    const auto completed = runner::completed_external_runs(
        place_.plan, place_.folder, runner::run_states(place_.plan, place_.folder, history));
    for (const std::string& run : orders.submit) {
      deeds_.actions[run] = action::kWaiting;
      if (completed.contains(run)) orders.repeat.insert(run);  // the user selected a completed run
    }
    return follow(orders, more);
  }

  int follow(const runner::LaunchOrders& orders, const std::function<RunIds()>& more) {
    LaunchChoice how;
    how.until = until_of(choice_, place_);
    how.max_jobs = choice_.max_jobs;
    how.poll_s = choice_.poll_s;
    how.avoid = choice_.avoid;
    how.more = more;
    const runner::LaunchReport report = tools_.launch(place_, *log_, orders, how);
    refused_ = report.refused;
    if (report.stopped) return tell_of_interruption(place_, report);
    if (how.until == runner::Until::ended) {
      const int failed = print_states(place_, selected_);
      print_collect_hint(place_);
      require_all_taken(report);
      return failed > 0 ? base::kExitRunsFailed : base::kExitOk;
    }
    print_result(place_, report);
    require_all_taken(report);
    return base::kExitOk;
  }

  Deeds deeds() const {
    Deeds deeds = deeds_;
    if (log_) add_log(*log_, records_before_, deeds);
    for (auto& [run, done] : deeds.actions) {
      if (done == action::kRefused && refused_ && !refused_->contains(run)) done = action::kWaiting;
    }
    return deeds;
  }

  const SubmitChoice& choice_;
  const Pick& pick_;
  const SubmitTools& tools_;
  LaunchFolder place_;
  RunIds selected_;
  std::optional<runner::LaunchLog> log_;
  std::size_t records_before_ = 0;
  Deeds deeds_;  // results of the command without the runs in the launch log
  /// Runs that the scheduler rejected. The value is unset until a launcher has finished.
  std::optional<RunIds> refused_;
};

}  // namespace

int submit_runs(const std::string& verb, const SubmitChoice& choice, const Pick& pick,
                const SubmitTools& tools) {
  return Handover(choice, pick, tools).report(verb);
}

}  // namespace dlscale::workspace
