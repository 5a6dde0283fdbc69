// SPDX-License-Identifier: Apache-2.0
#include "cli/submitting.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "cli/detach.hpp"
#include "cli/dry_run.hpp"
#include "cli/more_repeats.hpp"

namespace dlscale::cli {
namespace {

void check(const SubmitChoice& choice, const LaunchFolder& place) {
  if (place.is_local() && choice.once) {
    throw base::UsageError(
        "jobs on this machine end with the dlscale that started them: --once cannot leave them "
        "behind; try --detach");
  }
}

runner::Until until_of(const SubmitChoice& choice, const LaunchFolder& place) {
  if (choice.once) return runner::Until::looked;
  const bool follow = choice.wait || place.is_local();
  return follow ? runner::Until::ended : runner::Until::handed_over;
}

void print_result(const LaunchFolder& place, const runner::LaunchReport& report) {
  std::cout << fmt::format("{} job{} submitted; {} in the batch system's hands", report.submitted,
                           report.submitted == 1 ? "" : "s", count_runs(report.queued));
  if (report.waiting > 0) {
    std::cout << fmt::format(", {} wait for room there: give the command again",
                             count_runs(report.waiting));
  }
  std::cout << fmt::format("\ndlscale status {} shows how they are\n",
                           place.folder.root().string());
}

int follow_to_the_end(const SubmitChoice& choice, LaunchFolder& place, runner::LaunchLog& log,
                      const Pick& pick) {
  const RunIds selected = select_runs(place.plan, choice.selection);
  const runner::LaunchHistory history(log.records());
  runner::LaunchOrders orders{pick(place, selected), open_runs(history, selected)};
  const auto more = more_repeats(place, selected);
  if (more && orders.submit.empty() && orders.follow.empty()) orders.submit = more();
  if (orders.submit.empty() && orders.follow.empty()) {
    std::cout << "nothing to submit; ";
    return print_states(place, selected) > 0 && choice.wait ? kExitRunsFailed : kExitOk;
  }
  LaunchChoice how;
  how.until = until_of(choice, place);
  how.max_jobs = choice.max_jobs;
  how.poll_s = choice.poll_s;
  how.avoid = choice.avoid;
  how.more = more;
  const runner::LaunchReport report = launch(place, log, orders, how);
  if (report.stopped) return tell_of_interruption(place, report);
  if (how.until == runner::Until::ended) {
    return print_states(place, selected) > 0 ? kExitRunsFailed : kExitOk;
  }
  print_result(place, report);
  return kExitOk;
}

}  // namespace

void add_submit_options(CLI::App& app, SubmitChoice& choice) {
  app.add_option("DIR", choice.folder, "plan folder (default: the current one)")
      ->type_name(value_kind::kFolder);
  add_selection_options(app, choice.selection, RunArguments::positional);
  app.add_option("-j,--max-jobs", choice.max_jobs,
                 "at most so many jobs (tasks of arrays count, too) with the batch system at a "
                 "time; default: the site's max_jobs")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--poll", choice.poll_s, "seconds between two questions to the batch system")
      ->check(CLI::PositiveNumber);
  app.add_option("--avoid-node", choice.avoid, "a node that jobs are not to get; may be repeated")
      ->type_name("HOST")
      ->allow_extra_args(false);
  CLI::Option* once =
      app.add_flag("--once", choice.once, "submit what there is room for now and exit, for cron");
  CLI::Option* wait =
      app.add_flag("--wait", choice.wait, "go on until all runs have ended")->excludes(once);
  CLI::Option* detach = app.add_flag("--detach", choice.detach,
                                     "go on in the background, with logs/submit.log as output")
                            ->excludes(once);
  app.add_flag("-n,--dry-run", choice.dry_run, "print the commands and submit nothing")
      ->excludes(wait)
      ->excludes(detach);
}

int submit_runs(const SubmitChoice& choice, const Pick& pick) {
  LaunchFolder place(choice.folder);
  check(choice, place);
  if (choice.dry_run) {
    const RunIds selected = select_runs(place.plan, choice.selection);
    print_commands(place, pick(place, selected));
    return kExitOk;
  }
  runner::LaunchLog log(place.folder.launch_log(), place.clock);
  if (choice.detach && !detach(place.folder.logs() / "submit.log")) return kExitOk;
  return follow_to_the_end(choice, place, log, pick);
}

}  // namespace dlscale::cli
