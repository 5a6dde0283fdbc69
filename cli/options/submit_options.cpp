// SPDX-License-Identifier: Apache-2.0
#include "cli/options/submit_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/verb_report_options.hpp"

namespace dlscale::cli {

void add_poll_option(CLI::App& app, double& poll_s) {
  const auto positive = [](const std::string& word) -> std::string {
    const std::optional<double> seconds = base::number_of<double>(word);
    const bool good = seconds && std::isfinite(*seconds) && *seconds > 0;
    return good ? "" : word + " is not a number of seconds above 0";
  };
  app.add_option("--poll", poll_s, "seconds between two queries of the scheduler")
      ->check(CLI::Validator(positive, ""));
}

void add_submit_options(CLI::App& app, workspace::SubmitChoice& choice) {
  add_folder_argument(app, choice.folder);
  add_selection_options(app, choice.selection, RunArguments::positional);
  app.add_option("-j,--max-jobs", choice.max_jobs,
                 "maximum number of jobs in the scheduler at a time, including tasks of arrays "
                 "(default: max_jobs of the site)")
      ->check(CLI::Range(1, 1000000));
  add_poll_option(app, choice.poll_s);
  app.add_option("--avoid-node", choice.avoid, "do not use this node (repeatable)")
      ->type_name("HOST")
      ->allow_extra_args(false);
  CLI::Option* once = app.add_flag(
      "--once", choice.once, "submit as many jobs as the limit permits, then exit (for cron)");
  CLI::Option* wait =
      app.add_flag("--wait", choice.wait, "follow the jobs until all runs have ended")
          ->excludes(once);
  CLI::Option* detach = app.add_flag("--detach", choice.detach,
                                     "continue in the background with output to logs/submit.log")
                            ->excludes(once);
  app.add_flag("-n,--dry-run", choice.dry_run, "print the commands without submitting")
      ->excludes(wait)
      ->excludes(detach);
  add_verb_json_option(app, choice.json)->excludes(detach);
}

}  // namespace dlscale::cli
