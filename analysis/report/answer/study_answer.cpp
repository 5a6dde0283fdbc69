// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/answer/study_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "analysis/report/answer/answer_parts.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

AnsweredStudy::AnsweredStudy(const Frame& from, const AnalysisOptions& with)
    : frame(from),
      options(with),
      curves(scaling_curves(from)),
      choices(choose_baselines(curves, with.baseline, with.allow_mixed)),
      verdicts(verdicts_between(curves, with.allow_mixed)),
      batches(batch_verdicts(curves, with.allow_mixed)),
      accuracies(accuracy_points(from)),
      axes(varying_axes(keys_of(curves))),
      all_axes(axes_of(keys_of(curves))),
      worker(worker_noun(from)) {}

// Words.

std::string quoted_value(std::string value) {
  std::replace(value.begin(), value.end(), '`', '\'');
  return "`" + (value.empty() ? "none" : value) + "`";
}

std::string with_interval(const Estimate& estimate, int decimals, double scale,
                          const std::string& unit) {
  const auto number = [&](double value) {
    const std::string text = fmt::format("{:.{}f}", value * scale, decimals);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text.starts_with('-') ? text.substr(1) : text;  // "-0.00" becomes "0.00"
  };
  std::string text = number(estimate.value) + unit;
  const Interval& interval = estimate.interval;
  switch (interval.kind) {
    case Interval::Kind::None:
      return text + " (one run)";
    case Interval::Kind::Range:
      return text + fmt::format(" (range {} to {}, n = {})", number(interval.low),
                                number(interval.high), estimate.n);
    case Interval::Kind::Confidence95:
      return text + fmt::format(" [{}, {}]", number(interval.low), number(interval.high));
  }
  return text;
}

bool is_zero_points(const Estimate& difference) {
  return std::abs(100 * difference.value) < 0.005;
}

Estimate negated(const Estimate& estimate) {
  const Interval& interval = estimate.interval;
  return {-estimate.value, {interval.kind, -interval.high, -interval.low}, estimate.n};
}

namespace {

bool has_values(const CurveKey& key, const CurveKey& values) {
  return std::all_of(values.begin(), values.end(), [&](const AxisValue& entry) {
    return std::ranges::find(key, entry) != key.end();
  });
}

/// Returns the axis values that all members have and share, among the axes in which `all` differ.
CurveKey shared_values(const std::vector<CurveKey>& all, const std::vector<std::size_t>& members) {
  CurveKey shared;
  for (const std::string& axis : varying_axes(all)) {
    const AxisValue entry{axis, value_of(all[members.front()], axis)};
    const bool is_shared = std::all_of(members.begin(), members.end(), [&](std::size_t i) {
      return std::ranges::find(all[i], entry) != all[i].end();
    });
    if (is_shared) shared.push_back(entry);
  }
  return shared;
}

}  // namespace

std::string group_name(const std::vector<CurveKey>& all, const std::vector<std::size_t>& members) {
  if (members.size() == all.size()) return "";
  const CurveKey shared = shared_values(all, members);
  const auto same = std::count_if(all.begin(), all.end(),
                                  [&](const CurveKey& key) { return has_values(key, shared); });
  if (!shared.empty() && same == static_cast<std::ptrdiff_t>(members.size())) {
    return name_among(all[members.front()], axes_of({shared}));
  }
  if (members.size() > 2) return fmt::format("{} of {} configurations", members.size(), all.size());
  const std::vector<std::string> axes = varying_axes(all);
  std::string names;
  for (const std::size_t i : members) {
    names += (names.empty() ? "" : " and ") + name_among(all[i], axes);
  }
  return names;
}

std::string count_condition(const std::set<int>& selected, const std::set<int>& all) {
  if (selected == all) return "";
  if (selected.size() == 1) return fmt::format("gpus == {}", *selected.begin());
  const std::set<int> above(all.lower_bound(*selected.begin()), all.end());
  if (above == selected) return fmt::format("gpus >= {}", *selected.begin());
  const std::set<int> below(all.begin(), all.upper_bound(*selected.rbegin()));
  if (below == selected) return fmt::format("gpus <= {}", *selected.rbegin());
  std::string list;
  for (const int gpus : selected) list += fmt::format("{}{}", list.empty() ? "" : ", ", gpus);
  return fmt::format("gpus in [{}]", list);
}

// The study in one sentence.

namespace {

std::string counts_in_words(const AnsweredStudy& study) {
  std::set<int> counts;
  for (const RunRow& run : study.frame.runs) {
    if (completed(run)) counts.insert(run.gpus);
  }
  if (counts.empty()) return "";
  const int last = *counts.rbegin();
  if (counts.size() == 1) return " on " + base::count_of(last, study.worker);
  return fmt::format(" on {} to {}", *counts.begin(), base::count_of(last, study.worker));
}

std::string study_sentence(const AnsweredStudy& study) {
  const Frame& frame = study.frame;
  const auto used = std::count_if(frame.runs.begin(), frame.runs.end(), &is_used);
  const bool scales = frame.scaling == "weak" || frame.scaling == "strong";
  std::string text = frame.study + ": " + (scales ? frame.scaling + " scaling" : "throughput");
  if (frame.scaling == "weak") text += fmt::format(" (fixed batch per {})", study.worker);
  if (frame.scaling == "strong") text += " (fixed global batch)";
  if (study.curves.size() > 1) {
    text += " of " + base::count_of(study.curves.size(), "configuration");
  }
  text += counts_in_words(study);
  text += fmt::format("; {} of {} used", used, base::count_of(frame.runs.size(), "run"));
  const auto [fewest, most] = repeats_of(study.curves);
  if (most == 0) return text + ".";
  return text +
         (fewest == most ? ", " + base::count_of(most, "repetition")
                         : fmt::format(", {} to {} repetitions", fewest, most)) +
         " per point.";
}

// The device and the data set in one sentence.

/// Returns a condition of the run or, if the run does not record it, an axis value. Returns an
/// empty text if the run has neither.
std::string condition_or_axis(const RunRow& run, const char* name) {
  for (const auto* values : {&run.conditions, &run.point}) {
    const auto found = values->find(name);
    if (found != values->end() && found->second != "no") return found->second;
  }
  return "";
}

/// Returns the model of the run's GPUs or, for a run on CPUs, of its CPUs. Returns "GPU" or "CPU"
/// if the model is unknown, and an empty text if the kind of device is unknown, too.
std::string device_model(const RunRow& run) {
  const std::string device = condition_or_axis(run, "device");
  const bool is_cpu = device == "cpu";
  const std::string model = condition_or_axis(run, is_cpu ? "cpu" : "gpu");
  if (!model.empty()) return model + (is_cpu ? " (CPU)" : "");
  if (device.empty()) return "";
  return is_cpu ? "CPU" : "GPU";
}

/// Returns one or two names, or the number of the things if there are more.
std::string some_of(const std::set<std::string>& names, const std::string& thing) {
  return names.size() > 2 ? base::count_of(names.size(), thing)
                          : fmt::format("{}", fmt::join(names, " and "));
}

/// Sets the sentence on the device and the data set of the used runs. Leaves it empty if no run was
/// used.
void add_setup(StudyAnswer& answer, const Frame& frame) {
  std::set<std::string> devices, data;
  bool any = false;
  for (const RunRow& run : frame.runs) {
    if (!is_used(run)) continue;
    any = true;
    devices.insert(device_model(run));
    data.insert(condition_or_axis(run, "dataset"));
  }
  devices.erase("");
  data.erase("");
  if (!any) return;
  if (devices.empty() && data.empty()) {
    answer.setup = "The runs do not record their device and data set.";
    return;
  }
  answer.has_several_setups = devices.size() > 1 || data.size() > 1;
  const std::string on =
      devices.empty() ? "an unrecorded device" : some_of(devices, "device model");
  const std::string with = data.empty() ? "an unrecorded data set" : some_of(data, "data set");
  answer.setup = fmt::format(
      "Measured on {} with {}{}.", on,
      data.size() == 1 ? "the data set " : (data.size() == 2 ? "the data sets " : ""), with);
}

void add_answer(std::vector<Answer>& list, std::optional<Answer> answer) {
  if (answer) list.push_back(std::move(*answer));
}

/// Returns the text broken at spaces into lines of at most 98 columns. Lines after the first one
/// begin with `indent`.
std::string broken(const std::string& text, const std::string& indent) {
  constexpr std::size_t kColumns = 98;
  std::string all, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && base::display_width(line) + 1 + base::display_width(word) > kColumns) {
      all += line + "\n";
      line = indent + word;
      continue;
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + line + "\n";
}

}  // namespace

StudyAnswer answer_study(const Frame& frame, const AnalysisOptions& options) {
  const AnsweredStudy study(frame, options);
  StudyAnswer answer;
  answer.study = study_sentence(study);
  add_setup(answer, frame);
  add_answer(answer.answers, gpu_count_answer(study));
  add_answer(answer.answers, speed_answer(study));
  add_answer(answer.answers, batch_speed_answer(study));
  add_answer(answer.answers, accurate_variant_answer(study));
  add_answer(answer.answers, batch_answer(study));
  answer.checks = trust_checks(study);
  answer.next = next_steps(study);
  return answer;
}

TrustCheck::Light worst_light(const StudyAnswer& answer) {
  TrustCheck::Light worst = TrustCheck::Light::Green;
  for (const TrustCheck& check : answer.checks) worst = std::max(worst, check.light);
  return worst;
}

const char* light_word(TrustCheck::Light light) {
  switch (light) {
    case TrustCheck::Light::Green:
      return "ok";
    case TrustCheck::Light::Amber:
      return "caution";
    case TrustCheck::Light::Red:
      return "problem";
  }
  return "";
}

std::string answer_text(const StudyAnswer& answer) {
  std::string text = broken(answer.study, "  ");
  if (!answer.setup.empty()) text += broken(answer.setup, "  ");
  for (const Answer& one : answer.answers) {
    text += broken("- " + one.question + " " + one.text, "  ");
  }
  std::string warned;
  for (const TrustCheck& check : answer.checks) {
    if (check.light == TrustCheck::Light::Green) continue;
    warned += fmt::format(" {} ({}): {}.", check.name, light_word(check.light), check.text);
  }
  text += broken("- Can I trust it?" + (warned.empty() ? " All checks passed." : warned), "  ");
  for (const NextStep& step : answer.next) {
    text += broken("- Next: " + step.reason, "  ");
    for (const std::string& command : step.commands) text += "    " + command + "\n";
  }
  return text;
}

}  // namespace dlscale::analysis
