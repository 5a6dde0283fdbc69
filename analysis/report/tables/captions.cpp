// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/captions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/metrics/scaling/run_points.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

std::string rule_words(const contract::BaselineRule& rule) {
  if (rule.rule == "smallest-common") return "the smallest count common to all curves";
  if (rule.rule == "per-curve") return "the smallest count of each curve";
  return "as chosen";
}

/// Returns a text on the runs that speed-ups are relative to, for a baseline that was chosen by
/// axis values (absolute speed-ups). Returns an empty text for other rules.
std::string denominator_words(const std::vector<BaselineChoice>& choices,
                              const contract::BaselineRule& rule) {
  const CurveKey chosen = chosen_values(rule);
  if (chosen.empty()) return "";
  Repeats repeats;
  for (const BaselineChoice& choice : choices) {
    if (choice.baseline) repeats.add(choice.baseline->seconds_per_sample().size());
  }
  const std::string n = repeats.fewest == repeats.most
                            ? fmt::format("n = {}", repeats.most)
                            : fmt::format("n = {} to {}", repeats.fewest, repeats.most);
  return fmt::format(
      "; speed-ups are absolute: relative to the throughput of the otherwise equal runs with {} "
      "({})",
      to_string(chosen), n);
}

std::vector<const RunRow*> used_runs(const Frame& frame) {
  std::vector<const RunRow*> used;
  for (const RunRow& run : frame.runs) {
    if (completed(run) && run.has_records) used.push_back(&run);
  }
  return used;
}

/// Returns the conditions that have the same value in all runs, by name. `runs` must not be empty.
std::map<std::string, std::string> shared_conditions(const std::vector<const RunRow*>& runs) {
  std::map<std::string, std::string> shared = runs.front()->conditions;
  for (const RunRow* run : runs) {
    std::erase_if(shared, [&](const auto& entry) {
      const auto found = run->conditions.find(entry.first);
      return found == run->conditions.end() || found->second != entry.second;
    });
  }
  return shared;
}

/// Returns the word for an outcome that is neither a success nor a failure: "unfinished", "not
/// started" or "unreadable". Returns an empty text for other outcomes.
std::string waiting_word(const std::string& outcome) {
  if (outcome == kUnfinished) return "unfinished";
  if (outcome == kNotStarted) return "not started";
  return outcome == kUnreadable ? "unreadable" : "";
}

}  // namespace

std::string describe_mode(const Frame& frame) {
  const std::string worker = worker_noun(frame);
  if (frame.scaling == "weak") {
    return fmt::format("weak scaling: batch per {0} fixed, same data set at every {0} count",
                       worker);
  }
  if (frame.scaling == "strong") {
    return fmt::format("strong scaling: global batch fixed, divided among the {}s", worker);
  }
  return "throughput mode: batches as listed in the study";
}

std::string describe_use(const Frame& frame) {
  std::map<std::string, int> failed;
  std::map<std::string, int> waiting;
  int used = 0;
  int without_records = 0;
  int total_failed = 0;
  for (const RunRow& run : frame.runs) {
    if (completed(run)) {
      ++(run.has_records ? used : without_records);
    } else if (const std::string word = waiting_word(run.outcome); !word.empty()) {
      ++waiting[word];
    } else {
      ++failed[run.outcome];
      ++total_failed;
    }
  }
  std::string text = fmt::format("{} of {} used", used, base::count_of(frame.runs.size(), "run"));
  if (without_records > 0) text += fmt::format(", {} completed without records", without_records);
  std::vector<std::string> kinds;
  for (const auto& [outcome, count] : failed) kinds.push_back(fmt::format("{} {}", outcome, count));
  if (total_failed > 0)
    text += fmt::format(", {} failed ({})", total_failed, fmt::join(kinds, ", "));
  for (const auto& [state, count] : waiting) text += fmt::format(", {} {}", count, state);
  return text;
}

std::string describe_lack(const Frame& frame, const std::string& name, const std::string& needs) {
  if (std::ranges::none_of(frame.runs, &completed)) {
    return frame.is_imported ? "no log shows a completed run"
                             : "no run completed (dlscale status shows the states of the runs)";
  }
  if (used_runs(frame).empty()) return "no completed run has records that dlscale can read";
  return fmt::format("{} needs {}, and there is none", name, needs);
}

std::string describe_interruptions(const Frame& frame) {
  int runs = 0;
  int launches = 0;
  double lost_s = 0;
  for (const RunRow& run : frame.runs) {
    if (!completed(run) || run.spent.launches < 2) continue;
    ++runs;
    launches += run.spent.launches;
    lost_s += run.spent.lost_s;
  }
  if (runs == 0) return "";
  return fmt::format(
      "{} resumed from checkpoints ({} launches); {} of training time was repeated or lost and is "
      "excluded from times and throughputs",
      base::count_of(runs, "run"), launches, base::clock_time(lost_s));
}

std::string describe_warmup(const Frame& frame) {
  int late = 0;
  int most_windows = 0;
  int unsteady = 0;
  int runs = 0;
  for (const RunRow& run : frame.runs) {
    if (!has_throughput(run)) continue;
    ++runs;
    late += run.warmup.late_windows > 0;
    most_windows = std::max(most_windows, run.warmup.late_windows);
    unsteady += run.warmup.unsteady > 0;
  }
  const std::string where = fmt::format("{} of {} by up to {}", late, base::count_of(runs, "run"),
                                        base::count_of(most_windows, "step window"));
  if (frame.warmup == WarmUp::Marked) {
    if (late == 0) return "";
    return fmt::format(
        "steps became steady later than the end of the warm-up that the trainer marked, in {}; "
        "--warmup detected excludes the windows in between",
        where);
  }
  std::string text =
      "warm-up detected: it ends when 5 consecutive step windows vary by less than 2 %, or at the "
      "marked end if that is later";
  if (late > 0) text += "; the warm-up was longer than the trainer marked, in " + where;
  if (unsteady > 0) {
    text += fmt::format("; {} never became that steady, so the marked end is used",
                        base::count_of(unsteady, "run"));
  }
  return text;
}

std::string describe_origin(const std::vector<ScalingCurve>& curves) {
  int runs = 0, without_startup = 0, with_startup = 0, rates = 0;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      for (const RunRow* run : point.repeats) {
        ++runs;
        without_startup += run->steps.leaves_out_warmup;
        with_startup += run->steps.includes_warmup;
        rates += !tells_time(*run);
      }
    }
  }
  if (runs == 0) return "";
  std::string text = "numbers are from all recorded steps";
  if (without_startup == runs) {
    text = "numbers are from all step windows except those of the start-up";
  } else if (without_startup > 0) {
    text += fmt::format(", without the start-up for {} of {}", without_startup,
                        base::count_of(runs, "run"));
  } else {
    text += ", including any start-up";
  }
  if (with_startup > 0) {
    text += fmt::format("; {} only start-up windows, whose costs are included",
                        base::count_of(with_startup, "run has", "runs have"));
  }
  if (rates == runs) return text + "; throughput from the logs (harmonic mean of several values)";
  text += "; throughput = samples / time";
  if (rates > 0) {
    text += fmt::format(", for {} from the log (harmonic mean of several values)",
                        base::count_of(rates, "run"));
  }
  return text;
}

std::string describe_statistic(const Repeats& repeats) {
  const auto [fewest, most] = repeats;
  if (most == 0) return "no completed run recorded these values";
  if (most < 2) return "one run per point (n = 1): the spread is unknown";
  const std::string n =
      fewest == most ? fmt::format("n = {}", most) : fmt::format("n = {} to {}", fewest, most);
  const std::string text = fmt::format("median of {} repeats", n);
  const std::string range =
      fmt::format("minimum to maximum (no interval for n < {})", kFewestForInterval);
  if (most < kFewestForInterval) return text + "; ranges from " + range;
  if (fewest < kFewestForInterval) {
    return text + "; 95 % intervals, or ranges from " + range;
  }
  return text + "; 95 % intervals from order statistics";
}

std::string baseline_labels(const std::vector<BaselineChoice>& choices, const std::string& worker) {
  std::set<std::tuple<int, int, std::string>> labels;
  for (const BaselineChoice& choice : choices) {
    if (!choice.baseline) continue;
    labels.insert(
        {choice.baseline->gpus(), choice.baseline->nodes(), choice.baseline->label(worker)});
  }
  std::string text;
  for (const auto& [gpus, nodes, label] : labels) text += (text.empty() ? "" : " or ") + label;
  return text.empty() ? "none" : text;
}

std::string describe_baseline(const std::vector<BaselineChoice>& choices,
                              const contract::BaselineRule& rule, const std::string& worker) {
  const bool any = std::ranges::any_of(
      choices, [](const BaselineChoice& choice) { return choice.baseline.has_value(); });
  if (!any) return "baseline: none, so no speed-up and no efficiency is computed";
  return fmt::format("baseline: {}, {}{}", baseline_labels(choices, worker), rule_words(rule),
                     denominator_words(choices, rule));
}

std::string describe_constants(const Frame& frame) {
  const std::vector<const RunRow*> used = used_runs(frame);
  if (used.empty()) return "no run was used";
  std::vector<std::string> parts;
  std::set<std::string> named;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (named.insert(name).second) parts.push_back(fmt::format("{} {}", name, value));
  };
  std::vector<std::string> axes;
  for (const contract::Axis& axis : frame.axes) axes.push_back(axis.name);
  for (const contract::Axis& axis : frame.axes) {
    std::set<std::string> values;
    for (const RunRow* run : used) {
      const auto found = run->point.find(axis.name);
      values.insert(found == run->point.end() ? "" : found->second);
      if (values.size() > 1) break;
    }
    if (values.size() == 1 && !values.begin()->empty()) {
      add(short_axis(axis.name, axes), *values.begin());
    }
    named.insert(axis.name);
  }
  for (const auto& [name, value] : shared_conditions(used)) {
    // The value "no" marks an optional part of the software that is not built in. Such a part is
    // not worth mentioning.
    if (value != "no") add(name, value);
  }
  if (parts.empty()) return "no recorded condition is the same in all runs";
  return fmt::format("all runs: {}", fmt::join(parts, ", "));
}

std::string describe_sources(const Frame& frame) {
  const std::vector<const RunRow*> used = used_runs(frame);
  std::vector<std::string> names;  // sources in the order of the frame
  std::map<std::string, std::vector<const RunRow*>> runs_of;
  for (const RunRow* run : used) {
    if (run->source.empty()) return "";
    std::vector<const RunRow*>& own = runs_of[run->source];
    if (own.empty()) names.push_back(run->source);
    own.push_back(run);
  }
  if (names.size() < 2) return "";
  const std::map<std::string, std::string> common = shared_conditions(used);
  std::set<std::string> axes;
  for (const contract::Axis& axis : frame.axes) axes.insert(axis.name);
  std::vector<std::string> sources;
  for (const std::string& source : names) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : shared_conditions(runs_of[source])) {
      if (!common.contains(name) && !axes.contains(name)) {
        parts.push_back(fmt::format("{} {}", name, value));
      }
    }
    if (!parts.empty()) {
      sources.push_back(fmt::format("source {}: {}", source, fmt::join(parts, ", ")));
    }
  }
  return fmt::format("{}", fmt::join(sources, "; "));
}

std::string describe_uneven_batches(const Frame& frame) {
  std::set<std::tuple<int, std::int64_t, std::string>> uneven;
  const CurveKeys keys(frame);
  for (const RunRow* run : used_runs(frame)) {
    if (!keys.has_uneven_batch(*run)) continue;
    uneven.insert({run->gpus, run->global_batch, keys.asked_global_batch(*run)});
  }
  std::vector<std::string> parts;
  for (const auto& [gpus, real, asked] : uneven) {
    parts.push_back(
        fmt::format("runs with gpus={} process {} samples per step instead of the global batch {}",
                    gpus, real, asked));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string describe_spread_batches(const Frame& frame) {
  std::set<std::pair<int, std::int64_t>> spread;
  for (const RunRow* run : used_runs(frame)) {
    // Third-party logs do not state how an uneven batch was divided among the GPUs.
    const bool ours = run->conditions.contains("trainer");
    if (!ours || run->batch_per_gpu > 0 || run->gpus < 1) continue;
    if (run->global_batch % run->gpus == 0) continue;
    spread.insert({run->gpus, run->global_batch});
  }
  std::vector<std::string> parts;
  for (const auto& [gpus, batch] : spread) {
    parts.push_back(
        fmt::format("runs with gpus={} divide {} samples per step into {} or {} per GPU", gpus,
                    batch, batch / gpus, batch / gpus + 1));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string describe_unknown_batches(const Frame& frame) {
  int timed = 0, unknown = 0;
  bool global = false;
  const CurveKeys keys(frame);
  for (const RunRow& run : frame.runs) {
    if (!has_throughput(run)) continue;
    ++timed;
    if (!keys.has_unknown_batch(run)) continue;
    ++unknown;
    global = keeps_global_batch(keys.of(run));
  }
  if (unknown == 0) return "";
  return fmt::format(
      "the {} is unknown for {} of {}: these runs form separate curves and are assumed to share "
      "one value",
      global ? "global batch" : "batch per " + worker_noun(frame), unknown,
      base::count_of(timed, "run"));
}

std::string axis_title(const std::string& axis, const std::string& worker,
                       const std::vector<std::string>& among) {
  if (axis == "batch_per_gpu") return "batch/" + worker;
  if (axis == "global_batch") return "global batch";
  if (axis == "lr_schedule") return "LR schedule";
  return short_axis(axis, among);
}

std::vector<std::string> describe_mixtures(const std::vector<ScalingCurve>& curves,
                                           const std::vector<BaselineChoice>& choices) {
  std::vector<std::string> warnings;
  const std::vector<std::string> axes = varying_axes(keys_of(curves));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!choices[i].baseline) continue;
    for (const std::string& mixed : {curves[i].mixed, choices[i].mixed}) {
      if (mixed.empty()) continue;
      warnings.push_back(
          fmt::format("warning: {} mixes conditions: {}", name_among(curves[i].key, axes), mixed));
    }
  }
  return warnings;
}

std::vector<std::string> describe_problems(const std::vector<BaselineChoice>& choices) {
  std::vector<std::string> problems;
  for (const BaselineChoice& choice : choices) {
    if (!choice.problem.empty() &&
        std::find(problems.begin(), problems.end(), choice.problem) == problems.end()) {
      problems.push_back(choice.problem);
    }
  }
  return problems;
}

}  // namespace dlscale::analysis
