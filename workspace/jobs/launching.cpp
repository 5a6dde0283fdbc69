// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/launching.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "planner/site/site_reader.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/status/poll.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/jobs/job_environment.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr double kLocalPoll_s = 0.1;
constexpr double kPoll_s = 10;
/// Seconds for which a description of the software is reused for later submissions.
constexpr double kDescribed_s = 60;
/// Maximum seconds for describing the software.
constexpr double kDescribe_s = 60;

/// Description of the code and the software of external runs, which a script in the plan folder
/// creates. Plans of earlier versions and of dlscale-train have no such script.
class SoftwareDescription {
 public:
  explicit SoftwareDescription(const LaunchFolder& place) : place_(place) {}

  /// Returns the name of the description, or an empty text if there is none.
  std::string operator()() {
    const double now_s = place_.clock.steady_s();
    if (!described_s_ || now_s - *described_s_ > kDescribed_s) {
      name_ = describe();
      described_s_ = now_s;
    }
    return name_;
  }

 private:
  std::string describe() const {
    const fs::path script = place_.folder.describe_script();
    std::error_code unreadable;
    if (!fs::exists(script, unreadable)) return "";
    try {
      const runner::Answer answer = place_.commands->run(
          {.arguments = {"bash", script.string()}, .folder = place_.folder.root()}, kDescribe_s);
      return runner::first_line(answer.out);
    } catch (const base::Error&) {  // a run without a description is better than no run
      return "";
    }
  }

  const LaunchFolder& place_;
  std::optional<double> described_s_;
  std::string name_;
};

fs::path existing(const fs::path& root) {
  contract::read_plan(contract::PlanDir(root));  // reports a missing or broken plan
  return fs::canonical(root);
}

}  // namespace

LaunchFolder::LaunchFolder(const fs::path& root, bool wants_json)
    : json(wants_json),
      words(json ? std::cerr : std::cout),
      folder(existing(root)),
      plan(contract::read_plan(folder)),
      environment(job_environment(folder, plan.scheduler)),
      commands(runner::make_command_runner(environment)),
      scheduler(base::find(runner::job_scheduler_table(), "job scheduler", plan.scheduler)
                    .make(runner::scheduler_setup(*commands, clock))) {}

int LaunchFolder::site_limit() const {
  if (!fs::exists(folder.site_toml())) return 0;
  return planner::read_site(base::read_file(folder.site_toml()), folder.site_toml()).max_jobs;
}

std::unique_ptr<runner::LaunchLog> open_log_if_free(const LaunchFolder& place) {
  try {
    return std::make_unique<runner::LaunchLog>(place.folder.launch_log(), place.clock);
  } catch (const runner::LogTaken&) {
    return nullptr;
  }
}

bool may_write_log(const LaunchFolder& place) {
  const fs::path log = place.folder.launch_log();
  std::error_code unreadable;
  const bool there = fs::exists(log, unreadable);
  return ::access((there ? log : log.parent_path()).c_str(), W_OK) == 0;
}

std::set<std::string> open_runs(const runner::LaunchHistory& history, const RunIds& among) {
  std::set<std::string> open;
  for (const runner::Submission& submission : history.submissions()) {
    if (submission.is_over()) continue;
    for (const runner::SubmittedRun& run : submission.runs) {
      if (!run.ended && among.contains(run.run_id)) open.insert(run.run_id);
    }
  }
  return open;
}

RunIds ended_runs(const LaunchFolder& place, const RunIds& among) {
  RunIds ended;
  for (const auto& [run, state] : runner::run_states(place.plan, place.folder)) {
    if (among.contains(run) && runner::has_ended(state)) ended.insert(run);
  }
  return ended;
}

AskedStates ask_states(const LaunchFolder& place) {
  AskedStates now;
  now.followed = runner::is_taken(place.folder.launch_log());
  for (const auto& [run, polled] : runner::poll(
           place.plan, place.folder, {*place.scheduler, place.clock, nullptr, now.followed})) {
    now.states[run] = polled.state;
  }
  return now;
}

bool any_is_open(const AskedStates& now, const RunIds& runs) {
  return std::any_of(runs.begin(), runs.end(), [&](const std::string& run) {
    const runner::JobState state = now.states.at(run);
    return !has_ended(state) && (now.followed || state != runner::JobState::Planned);
  });
}

runner::LaunchReport launch(LaunchFolder& place, runner::LaunchLog& log,
                            const runner::LaunchOrders& orders, const LaunchChoice& choice,
                            const LaunchAudience& audience) {
  const bool local = place.is_local();
  const auto pause = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  const runner::WaitContext waiting{place.clock, pause, audience.stop_count};
  runner::LauncherOptions options;
  options.until = choice.until;
  options.window = choice.max_jobs > 0 ? choice.max_jobs : place.site_limit();
  options.poll_s = choice.poll_s > 0 ? choice.poll_s : (local ? kLocalPoll_s : kPoll_s);
  options.stop_jobs = local;
  options.hand_over_chains = !local;
  options.avoid = choice.avoid;
  if (choice.until == runner::Until::looked) options.unreachable_s = 0;
  return runner::Launcher(place.plan, place.folder,
                          {*place.scheduler, log, audience.view, waiting, &new_launch_token,
                           choice.more, SoftwareDescription(place)},
                          options)
      .run(orders);
}

void require_all_taken(const runner::LaunchReport& report) {
  if (report.refused.empty()) return;
  throw base::RunError(fmt::format("{} rejected: {}", base::count_of(report.refused.size(), "run"),
                                   fmt::join(report.refusals, "; ")));
}

std::string new_launch_token() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kLength = 12;
  std::random_device random;
  std::uniform_int_distribution<std::size_t> one(0, kLetters.size() - 1);
  std::string token;
  for (int i = 0; i < kLength; ++i) token += kLetters[one(random)];
  return token;
}

int tell_of_interruption(const LaunchFolder& place, const runner::LaunchReport& report) {
  if (place.is_local()) {
    std::size_t cancelled = 0;
    for (const runner::RunReport& run : report.ended) {
      cancelled += run.end.outcome == contract::RunOutcome::Cancelled ? 1 : 0;
    }
    const std::string folder = place.folder.root().string();
    place.words << "interrupted\n";
    if (cancelled > 0) {
      place.words << fmt::format(
          "{1} stopped; continue with: dlscale retry {0} --state cancelled\n", folder,
          base::count_of(cancelled, "run"));
    }
    if (report.waiting > 0) {
      place.words << fmt::format("{1} not started; start with: dlscale submit {0}\n", folder,
                                 base::count_of(report.waiting, "run"));
    }
  } else {
    place.words << fmt::format("{} in the batch system",
                               base::count_of(report.queued, "run stays", "runs stay"));
    if (report.waiting > 0) {
      place.words << fmt::format(", {} not submitted yet; continue with dlscale submit",
                                 base::count_of(report.waiting, "run"));
    }
    place.words << "\n";
  }
  return base::kExitInterrupted;
}

void print_collect_hint(const LaunchFolder& place) {
  place.words << fmt::format("dlscale collect {} reads the results of the runs\n",
                             place.folder.root().string());
}

int print_states(const LaunchFolder& place, const RunIds& runs) {
  return print_states(place, runs, states_now(place.plan, place.folder));
}

int print_states(const LaunchFolder& place, const RunIds& runs, const runner::States& states) {
  std::map<runner::JobState, int> counts;
  for (const auto& [run, state] : states) {
    if (runs.contains(run)) ++counts[state];
  }
  int failed = 0;
  std::string text;
  for (const auto& [state, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", count, to_string(state));
    if (runner::ended_badly(state)) failed += count;
  }
  place.words << base::count_of(runs.size(), "run") << text << "\n";
  return failed;
}

}  // namespace dlscale::workspace
