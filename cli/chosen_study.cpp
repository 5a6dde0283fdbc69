// SPDX-License-Identifier: Apache-2.0
#include "cli/chosen_study.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "analysis/scaling/baseline.hpp"
#include "analysis/scaling/outlying_runs.hpp"
#include "analysis/scaling/selected_runs.hpp"
#include "analysis/store/frame_reader.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "cli/completer.hpp"
#include "cli/plan_folder.hpp"

namespace dlscale::cli {

void add_study_options(CLI::App& app, StudyChoice& choice) {
  add_folder_argument(app, choice.folder, "plan folder, collected (default: the current one)");
  app.add_option("--baseline", choice.baseline,
                 "gpus=N, smallest-common or per-curve (default: the study's); AXIS=VALUE,...: "
                 "absolute, against the runs with these values, at gpus=1 unless said");
  app.add_flag("--mixed", choice.mixed, "compare runs of different devices or software, too");
  app.add_option("--outliers", choice.outliers,
                 "repeats to leave out: none, mad (modified z beyond 3.5), olympic (fastest and "
                 "slowest), drop-first")
      ->type_name(one_of({"none", "mad", "olympic", "drop-first"}))
      ->capture_default_str();
  app.add_option("--warmup", choice.warmup,
                 "steps to leave out: marked (by the trainer), detected (also those before 5 "
                 "step windows in a row vary by less than 2 %)")
      ->type_name(one_of({"marked", "detected"}))
      ->capture_default_str();
  add_selection_options(app, choice.runs, RunArguments::positional);
}

namespace {

analysis::WarmUp warmup_of(const std::string& name) {
  if (name == "marked") return analysis::WarmUp::Marked;
  if (name == "detected") return analysis::WarmUp::Detected;
  throw base::UsageError("--warmup: " +
                         base::unknown_name("warm-up", name, {"marked", "detected"}));
}

}  // namespace

ChosenStudy open_study(const StudyChoice& choice) {
  const analysis::OutlierPolicy policy = analysis::parse_outlier_policy(choice.outliers);
  const analysis::WarmUp warmup = warmup_of(choice.warmup);
  const bool own_baseline = !choice.baseline.empty();
  ChosenStudy study;
  study.options.allow_mixed = choice.mixed;
  if (own_baseline) study.options.baseline = analysis::parse_baseline(choice.baseline);
  const contract::PlanDir folder{std::filesystem::path(choice.folder)};
  study.frame = analysis::read_frame(folder, warmup);
  if (!own_baseline) study.options.baseline = study.frame.baseline;
  if (choice.runs.narrows()) {
    analysis::keep_runs(study.frame, select_runs(contract::read_plan(folder), choice.runs),
                        study.options.baseline);
  }
  leave_out_outliers(study.frame, policy);
  if (own_baseline) {
    require_baseline(
        choose_baselines(scaling_curves(study.frame), study.options.baseline, choice.mixed));
  }
  return study;
}

}  // namespace dlscale::cli
