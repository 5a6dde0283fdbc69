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
  app.add_option("--poll", poll_s, "seconds between two questions to the batch system")
      ->check(CLI::Validator(positive, ""));
}

void add_submit_options(CLI::App& app, workspace::SubmitChoice& choice) {
  add_folder_argument(app, choice.folder);
  add_selection_options(app, choice.selection, RunArguments::positional);
  app.add_option("-j,--max-jobs", choice.max_jobs,
                 "at most so many jobs (tasks of arrays count, too) with the batch system at a "
                 "time; default: the site's max_jobs")
      ->check(CLI::Range(1, 1000000));
  add_poll_option(app, choice.poll_s);
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
  add_verb_json_option(app, choice.json)->excludes(detach);
}

}  // namespace dlscale::cli
