// SPDX-License-Identifier: Apache-2.0
// Names the runs that would answer the open questions of a study, with the commands that plan and
// submit these runs, and that read their results.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/metrics/scaling/worthwhile_count.hpp"
#include "analysis/report/answer/answer_parts.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::analysis {
namespace {

// Commands.

std::string_view changed_key(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// Returns the option -S for a change, quoted for the shell. The character "=" needs no quotes in a
/// word after an option, but base::shell_quote() leaves "=" unquoted only in words that begin with
/// "-".
std::string change_option(const std::string& assignment) {
  const std::string option = "-" + assignment;
  const bool is_plain = base::shell_quote(option) == option;
  return " -S " + (is_plain ? assignment : base::shell_quote(assignment));
}

/// Returns the command that plans a study again in its plan folder with a changed key. The command
/// names the study file from which the plan was made, because the copy in the plan folder lacks the
/// files next to the study. It repeats the changes from the command line, which the copy lacks too.
/// If the study file is not known, the command names the copy. The command has no option that
/// selects runs, because tables do not show runs that are not in the plan.
std::string plan_command(const contract::PlanOrigin& origin, const std::string& setting) {
  const std::string study = origin.study_file.empty() ? "study.toml" : origin.study_file;
  std::string command = "dlscale plan " + base::shell_quote(study) + " --site site.toml -o .";
  for (const std::string& earlier : origin.overrides) {
    if (changed_key(earlier) != changed_key(setting)) command += change_option(earlier);
  }
  return command + change_option(setting);
}

/// Returns the plan command for each source of the frame, by the name of the source. The name is
/// empty if the frame is not joined.
std::map<std::string, std::string> plan_commands(const Frame& frame, const std::string& setting) {
  std::map<std::string, std::string> commands;
  for (const RunRow& run : frame.runs) {
    if (commands.contains(run.source)) continue;
    const auto origin = frame.origins.find(run.source);
    commands[run.source] = plan_command(
        origin == frame.origins.end() ? contract::PlanOrigin{} : origin->second, setting);
  }
  return commands;
}

/// Command that reads the results of the submitted runs. `dlscale submit` may return before they
/// end.
constexpr const char* kCollectCommand = "dlscale collect    # after the runs have ended";

/// Adds the step that plans the study again with the changed key `setting`, submits runs and reads
/// their results. Sources with different plan commands get a step each.
void add_plan_step(std::vector<NextStep>& steps, const AnsweredStudy& study,
                   const std::string& reason, const std::string& setting,
                   const std::string& submit) {
  const std::map<std::string, std::string> commands = plan_commands(study.frame, setting);
  if (commands.empty()) return;
  const std::string& first = commands.begin()->second;
  const bool is_joined = !commands.rbegin()->first.empty();
  const bool all_equal =
      std::ranges::all_of(commands, [&](const auto& entry) { return entry.second == first; });
  if (all_equal) {
    const char* folder = is_joined ? "in the plan folder of each source" : "in the plan folder";
    steps.push_back({reason + ", " + folder, {first, submit, kCollectCommand}});
    return;
  }
  for (const auto& [source, command] : commands) {
    steps.push_back(
        {reason + ", in the plan folder of " + source, {command, submit, kCollectCommand}});
  }
}

// Steps.

/// Returns true if the run is planned and has not ended. The runs of imported logs are not planned,
/// so an imported log without an end is not an open run.
bool is_open(const Frame& frame, const RunRow& run) {
  return !frame.is_imported && (run.outcome == kNotStarted || run.outcome == kUnfinished);
}

/// Returns true if the run failed and `dlscale retry` may complete it. Runs that ran out of memory
/// or diverged would end in the same way again.
bool is_failed(const Frame& frame, const RunRow& run) {
  return !frame.is_imported && (run.outcome == to_string(contract::RunOutcome::Failed) ||
                                run.outcome == to_string(contract::RunOutcome::TimedOut) ||
                                run.outcome == to_string(contract::RunOutcome::NodeFailed));
}

std::int64_t failed_runs(const AnsweredStudy& study) {
  return std::ranges::count_if(study.frame.runs,
                               [&](const RunRow& run) { return is_failed(study.frame, run); });
}

/// Numbers of planned repetitions of points that have no results.
class MissingRepeats {
 public:
  struct Counts {
    std::size_t open = 0;    ///< repetitions that have not ended
    std::size_t failed = 0;  ///< failed repetitions that can be repeated
  };

  /// Counts the repetitions once for all points, because a study may have thousands of points and
  /// of open runs.
  explicit MissingRepeats(const Frame& frame) {
    for (const RunRow& run : frame.runs) {
      if (is_open(frame, run)) ++missing_[{run.gpus, run.point}].open;
      if (is_failed(frame, run)) ++missing_[{run.gpus, run.point}].failed;
    }
  }

  Counts of(const CurvePoint& point) const {
    std::set<std::map<std::string, std::string>> values;  // the repeats may have several sources
    for (const RunRow* run : point.repeats) values.insert(run->point);
    Counts counts;
    for (const auto& value : values) {
      const auto found = missing_.find({point.gpus, value});
      if (found == missing_.end()) continue;
      counts.open += found->second.open;
      counts.failed += found->second.failed;
    }
    return counts;
  }

 private:
  /// Numbers of runs by GPU count and axis values.
  std::map<std::pair<int, std::map<std::string, std::string>>, Counts> missing_;
};

/// Adds the step that repeats failed runs.
void add_retry_step(std::vector<NextStep>& steps, const AnsweredStudy& study) {
  const std::int64_t failed = failed_runs(study);
  if (failed == 0) return;
  const bool is_joined = !study.frame.runs.front().source.empty();
  steps.push_back({fmt::format("to complete {}, remove the cause (dlscale status states it) and "
                               "repeat {}, in the plan folder{}",
                               base::count_of(failed, "failed run"),
                               base::word_for(static_cast<std::size_t>(failed), "it", "them"),
                               is_joined ? " of each source" : ""),
                   {"dlscale retry", kCollectCommand}});
}

/// Adds a step for `count` planned runs that have not ended. `which` is empty or restricts the
/// runs, for example " on other numbers of ranks".
void add_open_step(std::vector<NextStep>& steps, const std::string& purpose, std::size_t count,
                   const std::string& which) {
  steps.push_back(
      {fmt::format("{}, complete {}{} (dlscale status shows the states), then run dlscale collect",
                   purpose, base::count_of(static_cast<std::int64_t>(count), "planned run"), which),
       {}});
}

/// Adds the step that repeats the points with the GPU counts `at`. `purpose` says what for.
void add_repeats_step(std::vector<NextStep>& steps, const AnsweredStudy& study,
                      const std::string& purpose, const std::set<int>& at, std::size_t repeats) {
  std::set<int> all;
  for (const RunRow& run : study.frame.runs) all.insert(run.gpus);
  const std::string where = count_condition(at, all);
  if (study.frame.is_imported) {
    steps.push_back({purpose + fmt::format(", run each point {} times{} and collect the logs",
                                           repeats, where.empty() ? "" : " (only " + where + ")"),
                     {}});
    return;
  }
  add_plan_step(steps, study, purpose + ", repeat more often",
                fmt::format("study.repeats={}", repeats),
                "dlscale submit" + (where.empty() ? "" : " --where '" + where + "'"));
}

/// Adds the steps that give each point enough repetitions for a 95 % interval. Planned repetitions
/// that have not ended or that failed count as repetitions. If the study ends the repetitions at a
/// precision, some planned repetitions never start, and the user need not complete them.
void add_interval_steps(std::vector<NextStep>& steps, const AnsweredStudy& study) {
  std::set<int> few;
  std::size_t open = 0;
  const MissingRepeats repeats(study.frame);
  for (const ScalingCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.points) {
      if (point.repeats.size() >= kFewestForInterval) continue;
      const MissingRepeats::Counts missing = repeats.of(point);
      if (point.repeats.size() + missing.open + missing.failed < kFewestForInterval) {
        few.insert(point.gpus);
      } else {
        open += missing.open;
      }
    }
  }
  if (open > 0 && !study.frame.ends_repeats_early) {
    add_open_step(steps, "for 95 % intervals", open, "");
  }
  if (!few.empty()) {
    add_repeats_step(steps, study, "for 95 % intervals", few, kFewestForInterval);
  }
}

/// Returns `gpus` and the next two counts that result from doubling, without counts above `most`
/// (0: no limit). If there is no such count, returns `gpus` and at most two counts that result from
/// halving.
std::set<int> counts_to_compare(int gpus, int most) {
  std::set<int> counts{gpus};
  for (const int more : {2 * gpus, 4 * gpus}) {
    if (most == 0 || more <= most) counts.insert(more);
  }
  if (counts.size() > 1) return counts;
  for (const int fewer : {gpus / 2, gpus / 4}) {
    if (fewer > 0) counts.insert(fewer);
  }
  return counts;
}

/// Adds the step for a study whose completed runs all have the same count.
void add_other_counts_step(std::vector<NextStep>& steps, const AnsweredStudy& study, int gpus) {
  const auto open =
      static_cast<std::size_t>(std::ranges::count_if(study.frame.runs, [&](const RunRow& run) {
        return is_open(study.frame, run) && run.gpus != gpus;
      }));
  if (open > 0) {
    add_open_step(steps, "to compare counts", open,
                  fmt::format(" on other numbers of {}s", study.worker));
    return;
  }
  const bool has_failed = std::ranges::any_of(study.frame.runs, [&](const RunRow& run) {
    return is_failed(study.frame, run) && run.gpus != gpus;
  });
  if (has_failed) return;  // add_retry_step() names these runs
  const std::set<int> counts = counts_to_compare(gpus, study.options.most_gpus);
  if (counts.size() == 1) return;
  const std::string reason =
      fmt::format("to compare counts, also measure other numbers of {}s", study.worker);
  if (study.frame.is_imported) {
    steps.push_back({reason, {}});
    return;
  }
  add_plan_step(steps, study, reason, fmt::format("matrix.gpus=[{}]", fmt::join(counts, ", ")),
                "dlscale submit");
}

/// Adds the step that shows whether the efficiency at the counts `unclear` is high enough. If
/// planned runs at these counts have not ended, the step asks the user to complete them. Otherwise
/// the step requests `repeats` repetitions of each point.
void add_decision_step(std::vector<NextStep>& steps, const AnsweredStudy& study,
                       const std::set<int>& unclear, std::size_t repeats) {
  const std::string purpose =
      fmt::format("to decide whether the efficiency is at least {}", study.options.min_efficiency);
  const auto open =
      static_cast<std::size_t>(std::ranges::count_if(study.frame.runs, [&](const RunRow& run) {
        return is_open(study.frame, run) && unclear.contains(run.gpus);
      }));
  const bool has_failed = std::ranges::any_of(study.frame.runs, [&](const RunRow& run) {
    return is_failed(study.frame, run) && unclear.contains(run.gpus);
  });
  if (open > 0 && !study.frame.ends_repeats_early) {
    add_open_step(steps, purpose, open, "");
  } else if (!has_failed) {  // otherwise, add_retry_step() names these runs
    add_repeats_step(steps, study, purpose, unclear, repeats);
  }
}

void add_count_step(std::vector<NextStep>& steps, const AnsweredStudy& study) {
  std::set<int> counts, unclear;
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    for (const CurvePoint& point : study.curves[i].points) {
      counts.insert(point.gpus);
      repeats = std::max(repeats, point.repeats.size());
    }
    const std::optional<WorthwhileCount> result = worthwhile_of(study, i);
    if (result && result->is_beyond_unclear && result->is_proven) {
      unclear.insert(result->beyond->gpus);
    }
  }
  if (counts.size() == 1) {
    add_other_counts_step(steps, study, *counts.begin());
  } else if (!unclear.empty()) {
    add_decision_step(steps, study, unclear, 2 * repeats);
  }
}

}  // namespace

std::vector<NextStep> next_steps(const AnsweredStudy& study) {
  std::vector<NextStep> steps;
  add_retry_step(steps, study);
  add_interval_steps(steps, study);
  add_count_step(steps, study);
  return steps;
}

}  // namespace dlscale::analysis
