// SPDX-License-Identifier: Apache-2.0
#include "workspace/chosen_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/metrics/scaling/selected_runs.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/store/changed_files.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/jobs/machine.hpp"
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

void find_sources(StudyChoice& choice) {
  SourceArguments divided = divide_arguments(choice.folder, choice.arguments);
  choice.arguments.clear();
  choice.runs.runs.insert(choice.runs.runs.end(), divided.runs.begin(), divided.runs.end());
  choice.sources = std::move(divided.folders);
  if (!choice.sources.empty()) choice.folder = choice.sources.front().folder.string();
}

namespace {

std::string baseline_text(const contract::BaselineRule& rule) {
  return rule.rule == "gpus" ? fmt::format("gpus={}", rule.gpus) : rule.rule;
}

void require_same_baseline(const std::vector<analysis::NamedFrame>& frames) {
  const analysis::NamedFrame& first = frames.front();
  for (const analysis::NamedFrame& other : frames) {
    if (other.frame.baseline == first.frame.baseline) continue;
    throw base::UsageError(fmt::format(
        "the studies have different baselines ({}: {}, {}: {}); choose one with --baseline",
        first.name, baseline_text(first.frame.baseline), other.name,
        baseline_text(other.frame.baseline)));
  }
}

analysis::Frame read_source(const SourceFolder& source, analysis::WarmUp warmup) {
  const contract::PlanDir folder(source.folder);
  std::error_code unreadable;
  if (!std::filesystem::exists(folder.database(), unreadable)) {
    throw base::UsageError(fmt::format(
        "{0}: contains no collected results; run dlscale collect {0}", source.folder.string()));
  }
  analysis::Frame frame = analysis::read_frame(folder, warmup);
  if (std::ranges::none_of(frame.runs, &analysis::has_measurements)) {
    throw base::UsageError(
        fmt::format("{}: no run has results ({}); leave out this folder, or collect its results",
                    source.folder.string(), analysis::describe_use(frame)));
  }
  return frame;
}

/// Returns the plan of all sources, for the selection of runs. The plan has the same run ids and
/// points as the joined frame.
contract::Plan joined_plan(const std::vector<SourceFolder>& sources, const analysis::Frame& frame) {
  std::map<std::string, const analysis::RunRow*> rows;
  for (const analysis::RunRow& run : frame.runs) rows.emplace(run.run_id, &run);
  contract::Plan joined;
  joined.axes = frame.axes;
  for (const SourceFolder& source : sources) {
    for (contract::PlannedRun& run : contract::read_plan(contract::PlanDir(source.folder)).runs) {
      run.run_id = analysis::joined_run_id(source.name, run.run_id);
      run.point[analysis::kSource] = source.name;
      const auto row = rows.find(run.run_id);
      if (row != rows.end()) run.point = row->second->point;
      joined.runs.push_back(std::move(run));
    }
  }
  return joined;
}

/// Returns the messages of nothing_read() for the runs of all sources.
std::string nothing_read_of(const analysis::Frame& frame,
                            const std::vector<SourceFolder>& sources) {
  std::string text;
  for (const SourceFolder& source : sources) {
    analysis::Frame own;
    for (const analysis::RunRow& run : frame.runs) {
      if (run.source != source.name || run.has_records) continue;
      own.runs.push_back(run);
      own.runs.back().run_id = run_id_in_folder(run);
    }
    const std::string message = nothing_read(own, contract::PlanDir(source.folder));
    if (!message.empty()) text += (text.empty() ? "" : "; ") + message;
  }
  return text;
}

analysis::Frame read_sources(const std::vector<SourceFolder>& sources, analysis::WarmUp warmup,
                             bool own_baseline) {
  std::vector<analysis::NamedFrame> frames;
  for (const SourceFolder& source : sources) {
    frames.push_back({source.name, read_source(source, warmup)});
  }
  if (!own_baseline) require_same_baseline(frames);
  return analysis::join_frames(std::move(frames));
}

/// Returns the largest number of ranks that new runs in all of the folders may have on this
/// machine, or 0 without a limit.
int most_ranks_in(const std::vector<SourceFolder>& folders) {
  int most = 0;
  for (const SourceFolder& folder : folders) {
    const auto plan = contract::find_plan(contract::PlanDir(folder.folder));
    const int fitting = plan ? most_ranks(*plan, this_machine()) : 0;
    if (fitting > 0) most = most == 0 ? fitting : std::min(most, fitting);
  }
  return most;
}

}  // namespace

std::string outdated_results(const contract::PlanDir& folder) {
  const std::vector<std::string> changed = analysis::files_changed_since_collect(folder);
  if (changed.empty()) return "";
  return fmt::format(
      "the results are older than the runs: {} in {} changed after the last collect, for example "
      "{}; run dlscale collect {}",
      base::count_of(static_cast<std::int64_t>(changed.size()), "file"), folder.root().string(),
      changed.front(), base::shell_quote(folder.root().string()));
}

ChosenStudy open_study(const StudyChoice& choice) {
  check_min_efficiency(choice.min_efficiency);
  const analysis::OutlierPolicy policy = analysis::parse_outlier_policy(choice.outliers);
  const analysis::WarmUp warmup = warmup_of(choice.warmup);
  const bool own_baseline = !choice.baseline.empty();
  const bool joined = !choice.sources.empty();
  ChosenStudy study;
  study.options.allow_mixed = choice.mixed;
  study.options.min_efficiency = choice.min_efficiency;
  if (own_baseline) study.options.baseline = analysis::parse_baseline(choice.baseline);
  const contract::PlanDir folder{std::filesystem::path(choice.folder)};
  study.folders = joined ? choice.sources : std::vector<SourceFolder>{{"", folder.root()}};
  study.frame = joined ? read_sources(choice.sources, warmup, own_baseline)
                       : analysis::read_frame(folder, warmup);
  study.options.most_gpus = most_ranks_in(study.folders);
  if (!own_baseline) study.options.baseline = study.frame.baseline;
  if (choice.runs.narrows()) {
    const contract::Plan plan =
        joined ? joined_plan(choice.sources, study.frame) : contract::read_plan(folder);
    analysis::keep_runs(study.frame, select_runs(plan, choice.runs), study.options.baseline);
  }
  study.nothing_read = nothing_read_of(study.frame, study.folders);
  for (const SourceFolder& source : study.folders) {
    const std::string message = outdated_results(contract::PlanDir(source.folder));
    if (!message.empty()) study.outdated += (study.outdated.empty() ? "" : "; ") + message;
  }
  leave_out_outliers(study.frame, policy);
  if (own_baseline) {
    require_baseline(
        choose_baselines(scaling_curves(study.frame), study.options.baseline, choice.mixed));
  }
  return study;
}

}  // namespace dlscale::workspace
