// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/launch_view.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "runner/status/run_results.hpp"

namespace dlscale::cli {
namespace {

constexpr double kLaunchRedraw_s = 0.5;

int done(const runner::Progress& progress) {
  return progress.completed + progress.failed;
}

}  // namespace

LaunchView::LaunchView(const contract::Plan& plan, const contract::PlanDir& folder,
                       const base::Clock& clock, const StopSignals& signals,
                       LaunchViewOptions options)
    : folder_(folder),
      clock_(clock),
      signals_(signals),
      options_(std::move(options)),
      start_s_(clock.steady_s()),
      terminal_(terminal_of(options_.on_stderr ? STDERR_FILENO : STDOUT_FILENO)),
      line_(options_.on_stderr ? std::cerr : std::cout, terminal_) {
  for (const contract::PlannedRun& run : plan.runs) epochs_.emplace(run.run_id, run.epochs);
}

void LaunchView::submitted(const runner::Submission& submission) {
  if (!options_.submissions) return;
  const std::size_t runs = submission.runs.size();
  const std::string several = runs > 1 ? fmt::format(", {} runs", runs) : "";
  line_.print_above(
      fmt::format("submitted {}: job {}{}\n", submission.job, submission.id, several));
}

void LaunchView::run_ended(const runner::RunReport& report, const runner::Progress& progress) {
  tell_of_stop();
  const runner::RunEnd& end = report.end;
  const bool good = end.outcome == contract::RunOutcome::Completed;
  const std::string state = fmt::format("{:<9}", to_string(runner::state_of(end.outcome)));
  std::string text = fmt::format(
      "{} {} {}, {}/{} runs", paint(state, good ? Colour::Green : Colour::Red, terminal_),
      report.run_id, base::duration(report.wall_s), done(progress), progress.total);
  if (!end.reason.empty()) text += ": " + end.reason;
  line_.print_above(text + "\n");
  ++ended_;
  last_end_s_ = clock_.steady_s();
}

void LaunchView::progressed(const runner::Progress& progress) {
  tell_of_stop();
  const double now_s = clock_.steady_s();
  if (!terminal_.is_tty || now_s - drawn_s_ < kLaunchRedraw_s) return;
  drawn_s_ = now_s;
  ProgressState state;
  state.done = done(progress);
  state.total = progress.total;
  state.failed = progress.failed;
  state.elapsed_s = now_s - start_s_;
  if (ended_ > 0) {
    const double each_s = (last_end_s_ - start_s_) / ended_;
    const double since_s = now_s - last_end_s_;
    state.rest_s = std::max(each_s * (state.total - state.done) - since_s, 0.0);
  }
  state.now = told_of_stop_ ? "stopping" : what_happens(progress);
  line_.show(progress_line(state, terminal_.columns));
}

void LaunchView::told(const std::string& line) {
  line_.print_above(line + "\n");
}

void LaunchView::tell_of_stop() {
  if (signals_.count() == 0 || told_of_stop_) return;
  line_.print_above(options_.stop_words + "\n");
  told_of_stop_ = true;
}

std::string LaunchView::what_happens(const runner::Progress& progress) {
  const std::string queued =
      progress.queued > 0 ? fmt::format("{} in the queue", progress.queued) : "";
  if (progress.running.empty()) return queued;
  const std::string& first = progress.running.front();
  const std::size_t others = progress.running.size() - 1;
  const std::string more = others > 0 ? fmt::format(" and {} more", others) : "";
  const std::string after = queued.empty() ? "" : ", " + queued;
  const auto planned = epochs_.find(first);
  const int epochs = planned == epochs_.end() ? 0 : planned->second;
  if (epochs == 0) return first + more + after;
  const int trained = runner::read_run_results(folder_.run(first)).epochs;
  return fmt::format("epoch {}/{} of {}{}{}", std::min(trained + 1, epochs), epochs, first, more,
                     after);
}

runner::LaunchReport launch_in_view(workspace::LaunchFolder& place, runner::LaunchLog& log,
                                    const runner::LaunchOrders& orders,
                                    const workspace::LaunchChoice& choice) {
  const StopSignals signals;
  LaunchViewOptions shown;
  shown.submissions = choice.tell_submissions;
  shown.on_stderr = place.json;
  shown.stop_words = place.is_local()
                         ? "stopping the runs; interrupt again to kill them immediately"
                         : "interrupted; jobs stay in the batch system";
  LaunchView view(place.plan, place.folder, place.clock, signals, shown);
  return workspace::launch(place, log, orders, choice,
                           {view, [&signals] { return signals.count(); }});
}

}  // namespace dlscale::cli
