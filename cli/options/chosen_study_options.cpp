// SPDX-License-Identifier: Apache-2.0
#include "cli/options/chosen_study_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"

namespace dlscale::cli {

void add_study_options(CLI::App& app, workspace::StudyChoice& choice) {
  add_folder_argument(app, choice.folder,
                      "collected plan folder, or NAME=DIR (default: the current folder)");
  app.add_option(
      "--baseline", choice.baseline,
      "baseline of speed-ups: gpus=N, smallest-common or per-curve (default: from the study). "
      "AXIS=VALUE,... compares with the runs that have these values, and gpus=1 unless gpus is "
      "given");
  app.add_flag("--mixed", choice.mixed, "also compare runs of different devices or software");
  app.add_option("--outliers", choice.outliers,
                 "repeats to exclude: none, mad (modified z-score above 3.5), olympic (fastest and "
                 "slowest), drop-first")
      ->type_name(one_of({"none", "mad", "olympic", "drop-first"}))
      ->capture_default_str();
  app.add_option("--warmup", choice.warmup,
                 "steps to exclude: marked (by the trainer), detected (also all steps before 5 "
                 "consecutive step windows differ by less than 2 %)")
      ->type_name(one_of({"marked", "detected"}))
      ->capture_default_str();
  add_selection_options(app, choice.runs, RunArguments::none);
  app.add_option("DIR|RUN", choice.arguments,
                 "further collected plan folders, which are compared as the axis \"source\" "
                 "(NAME=DIR sets the name of a source), or run ids and globs like those of --run")
      ->type_name(value_kind::kFoldersAndRuns);
}

void add_efficiency_option(CLI::App& app, double& efficiency) {
  app.add_option("--min-efficiency", efficiency,
                 "smallest parallel efficiency at which a number of GPUs counts as worthwhile, "
                 "above 0 and at most 1")
      ->type_name("E")
      ->capture_default_str();
}

}  // namespace dlscale::cli
