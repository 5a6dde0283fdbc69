// SPDX-License-Identifier: Apache-2.0
#include "workspace/chosen_study.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/selected_runs.hpp"
#include "analysis/store/frame_reader.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/status/run_warnings.hpp"

namespace dlscale::workspace {
namespace {

analysis::WarmUp warmup_of(const std::string& name) {
  if (name == "marked") return analysis::WarmUp::Marked;
  if (name == "detected") return analysis::WarmUp::Detected;
  throw base::UsageError("--warmup: " +
                         base::unknown_name("warm-up", name, {"marked", "detected"}));
}

}  // namespace

void check_min_efficiency(double efficiency) {
  if (efficiency > 0 && efficiency <= 1) return;
  throw base::UsageError(
      fmt::format("--min-efficiency: must be above 0 and at most 1 (got {})", efficiency));
}

ChosenStudy open_study(const StudyChoice& choice) {
  check_min_efficiency(choice.min_efficiency);
  const analysis::OutlierPolicy policy = analysis::parse_outlier_policy(choice.outliers);
  const analysis::WarmUp warmup = warmup_of(choice.warmup);
  const bool own_baseline = !choice.baseline.empty();
  ChosenStudy study;
  study.options.allow_mixed = choice.mixed;
  study.options.min_efficiency = choice.min_efficiency;
  if (own_baseline) study.options.baseline = analysis::parse_baseline(choice.baseline);
  const contract::PlanDir folder{std::filesystem::path(choice.folder)};
  study.frame = analysis::read_frame(folder, warmup);
  if (!own_baseline) study.options.baseline = study.frame.baseline;
  if (choice.runs.narrows()) {
    analysis::keep_runs(study.frame, select_runs(contract::read_plan(folder), choice.runs),
                        study.options.baseline);
  }
  study.nothing_read = nothing_read(study.frame, folder);
  leave_out_outliers(study.frame, policy);
  if (own_baseline) {
    require_baseline(
        choose_baselines(scaling_curves(study.frame), study.options.baseline, choice.mixed));
  }
  return study;
}

}  // namespace dlscale::workspace
