// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/own_claim.hpp"
#include "analysis/publications/predicted_value.hpp"
#include "analysis/publications/published_names.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::array<std::string_view, 7> kDescriptive{
    "device", "setup", "nodes", "epochs", "repeats", "system", "input_features"};
/// Axes that third-party logs often do not state. A result that lacks such an axis can still match
/// a published value.
constexpr std::array<std::string_view, 4> kOftenUnsaid{"framework", "model", "loader",
                                                       "lr_schedule"};
/// Quantities that a publication can state without a count, as one value for all counts. Such a
/// value is compared with the most extreme value of the user's points.
constexpr std::array<std::string_view, 3> kAtAnyCount{"cpu_occupancy", "variation",
                                                      "trainable_parameters"};
/// Quantities that describe hardware and methods.
constexpr std::array<std::string_view, 22> kDescriptions{"nodes",
                                                         "cpu_model",
                                                         "cpu_frequency",
                                                         "cpu_cores",
                                                         "ram",
                                                         "memory",
                                                         "gpu_model",
                                                         "gpu_memory",
                                                         "peak",
                                                         "usable_memory",
                                                         "link",
                                                         "link_latency",
                                                         "memory_bandwidth",
                                                         "neurons",
                                                         "link_bandwidth",
                                                         "values",
                                                         "meaning",
                                                         "unit",
                                                         "inputs",
                                                         "algorithms",
                                                         "parallelism",
                                                         "communication"};

template <class Names>
bool among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_count(const std::string& axis) {
  return axis == kGpus || axis == "cores";
}

/// Returns the value of a point of the user on an axis of a publication. For a point on CPUs, the
/// axis `gpus` gives the number of ranks. Returns null if the point has no value on the axis.
const std::string* value_on(const OwnPoint& own, const std::string& axis) {
  auto value = own.axes.find(axis);
  if (value == own.axes.end() && axis == kGpus) value = own.axes.find("cores");
  return value == own.axes.end() || value->second.empty() ? nullptr : &value->second;
}

/// Matches the axes of one published value against points of the user.
class Matcher {
 public:
  /// A ratio between two counts, such as a speed-up from 1 to 8 GPUs, is compared at the second
  /// count.
  Matcher(const Publication& publication, const Published& published) : published_(published) {
    for (const auto& [axis, cell] : published.axes) {
      if (among(kDescriptive, axis) || (is_claim(published) && axis == published.along)) continue;
      axes_.push_back({own_axis(publication, axis), own_cell(publication, axis, cell)});
    }
    const bool is_ratio = !is_claim(published) && is_count(published.along);
    if (is_ratio) axes_.push_back({published.along, published.to});
    std::stable_sort(axes_.begin(), axes_.end(),
                     [](const Axis& a, const Axis& b) { return rank(a.name) < rank(b.name); });
  }

  bool states_count() const {
    return is_count(published_.along) ||
           std::any_of(axes_.begin(), axes_.end(),
                       [](const Axis& axis) { return is_count(axis.name); });
  }

  bool is_about(const OwnPoint& own) const {
    if (published_.along == "cores" && !own.on_cpus) return false;
    return std::all_of(axes_.begin(), axes_.end(),
                       [&](const Axis& axis) { return agrees(axis, own); });
  }

  /// Returns the axes that the publication states and the point does not.
  std::set<std::string> missing_in(const OwnPoint& own) const {
    std::set<std::string> missing;
    for (const Axis& axis : axes_) {
      if (value_on(own, axis.name) == nullptr) missing.insert(axis.name);
    }
    return missing;
  }

  /// Returns the stated axes in words, such as "model resnet50, framework ddp".
  std::string in_words() const {
    std::vector<std::string> words;
    for (const Axis& axis : axes_) words.push_back(axis.name + " " + axis.cell);
    return fmt::format("{}", fmt::join(words, ", "));
  }

  /// Returns the reason why no point matches. The axes are checked one after the other, models
  /// first and counts last. The reason names the axis on which the last remaining points do not
  /// match.
  std::string why_none(const std::vector<OwnPoint>& points) const {
    std::vector<const OwnPoint*> left;
    for (const OwnPoint& own : points) left.push_back(&own);
    if (published_.along == "cores") {
      std::erase_if(left, [](const OwnPoint* own) { return !own->on_cpus; });
      if (left.empty()) return "no run on CPUs";
    }
    std::string kept;
    for (const Axis& axis : axes_) {
      std::erase_if(left, [&](const OwnPoint* own) { return !agrees(axis, *own); });
      if (left.empty()) {
        return fmt::format("no run with {} {}{}{}{}", axis.name, axis.cell,
                           kept.empty() ? "" : " among the runs with ", kept, remark(axis));
      }
      kept += fmt::format("{}{} {}", kept.empty() ? "" : ", ", axis.name, axis.cell);
    }
    return "no measured run at this point";
  }

 private:
  struct Axis {
    std::string name, cell;
  };

  /// Order in which axes are named in reasons: names first, then batches, then counts.
  static int rank(const std::string& axis) {
    if (axis == "model") return 0;
    if (axis == "batch_per_gpu" || axis == "global_batch") return 2;
    return is_count(axis) ? 3 : 1;
  }

  static bool agrees(const Axis& axis, const OwnPoint& own) {
    const std::string* value = value_on(own, axis.name);
    if (value == nullptr) return among(kOftenUnsaid, axis.name);
    return AxisCell(axis.cell).meets(AxisCell(*value));
  }

  static std::string remark(const Axis& axis) {
    return axis.cell == "dali_gpu" ? "; this loader needs a GPU" : "";
  }

  const Published& published_;
  std::vector<Axis> axes_;
};

/// Compares one published entry after another.
class Comparer {
 public:
  Comparer(const Publication& publication, const OwnResults& own)
      : publication_(publication), own_(own) {}

  Comparison compare() {
    for (const Published& published : publication_.values) {
      if (is_description(published)) {
        ++all_.descriptions;
        continue;
      }
      ++all_.values;
      const std::size_t before = all_.matches.size();
      const std::string reason = compare(published);
      if (all_.matches.size() == before) all_.unmatched.push_back({&published, reason});
      if (!is_about_models(published)) count_predictions(before);
    }
    return std::move(all_);
  }

 private:
  /// Adds the matches of a value. Returns a reason, which applies only if no match was added.
  std::string compare(const Published& published) {
    if (is_about_models(published)) return add_model_value(published);
    const bool known = is_measurable(published);
    if (!known) return "dlscale does not measure " + published.quantity;
    if (own_.points.empty()) return "the study has no measured point";
    const Matcher matcher(publication_, published);
    if (is_claim(published)) return add_claims(published, matcher);
    if (among(kAtAnyCount, published.quantity) && !matcher.states_count()) {
      return add_extreme(published, matcher);
    }
    if (!matcher.states_count()) return "the publication states no number of workers";
    return add_values(published, matcher);
  }

  /// Counts the value if all its matches, which begin at `first`, are predictions. Otherwise
  /// removes the predictions if measured values come first.
  void count_predictions(std::size_t first) {
    const auto begin = all_.matches.begin() + static_cast<std::ptrdiff_t>(first);
    const auto predicted = [](const Match& match) { return match.source.ends_with("prediction"); };
    if (std::all_of(begin, all_.matches.end(), predicted)) {
      all_.predicted += begin == all_.matches.end() ? 0 : 1;
    } else if (own_.measured_first) {
      all_.matches.erase(std::remove_if(begin, all_.matches.end(), predicted), all_.matches.end());
    }
  }

  Question question(const Published& published, const OwnPoint& own) const {
    return {publication_, published, own, own_.points};
  }

  void add(const Published& published, const OwnPoint& own, Estimate value,
           std::optional<bool> holds, const Matcher& matcher) {
    const bool for_cores = !published.axis("cores").empty() || published.along == "cores";
    all_.matches.push_back({&published, in_words(own), source_of(own, !for_cores), value, holds});
    all_.unsaid.merge(matcher.missing_in(own));
  }

  /// Returns true if the value is compared with this point. Times of profiled runs are left out if
  /// the same point also has unprofiled runs.
  bool is_compared(const Published& published, const OwnPoint& own, const Matcher& matcher) const {
    if (!matcher.is_about(own)) return false;
    return !follows_from_steps(published) || !has_unprofiled_runs(own_.points, own);
  }

  std::string add_values(const Published& published, const Matcher& matcher) {
    std::string reason;
    for (const OwnPoint& own : own_.points) {
      if (!is_compared(published, own, matcher) || !is_last_of_pair(published, own)) continue;
      const OwnValue value = own_value(question(published, own));
      if (value.estimate) {
        add(published, own, *value.estimate, {}, matcher);
      } else if (reason.empty() || own.measured()) {
        reason = value.missing;
      }
    }
    return reason.empty() ? matcher.why_none(own_.points) : reason;
  }

  /// Returns false if the value is about two counts ("2|3") and the point is not at the second
  /// count. The match at the second count covers both counts.
  static bool is_last_of_pair(const Published& published, const OwnPoint& own) {
    const bool of_pair = published.quantity == "p_value" ||
                         published.quantity == "step_time_ratio" ||
                         published.quantity == "cliffs_delta";
    const std::string cell = published.axis(own.on_cpus ? "cores" : kGpus);
    const std::size_t bar = cell.find('|');
    if (!of_pair || bar == std::string::npos) return true;
    return AxisCell(cell.substr(bar + 1)).meets(AxisCell(std::to_string(own.gpus)));
  }

  /// Adds the most extreme value of all matching measured points: the smallest for a lower bound,
  /// else the largest. If no point has a measured value, adds the most extreme predicted value.
  std::string add_extreme(const Published& published, const Matcher& matcher) {
    std::string reason;
    for (const auto is_of_kind : {&OwnPoint::measured, &OwnPoint::predicted}) {
      const OwnPoint* at = nullptr;
      Estimate extreme;
      for (const OwnPoint& own : own_.points) {
        if (!(own.*is_of_kind)() || !is_compared(published, own, matcher)) continue;
        const OwnValue value = own_value(question(published, own));
        if (!value.estimate) {
          if (reason.empty() || own.measured()) reason = value.missing;
          continue;
        }
        const bool smaller = value.estimate->value < extreme.value;
        if (at != nullptr && smaller != published.relation.starts_with('>')) continue;
        extreme = *value.estimate;
        at = &own;
      }
      if (at == nullptr) continue;
      add(published, *at, extreme, {}, matcher);
      return "";
    }
    return reason.empty() ? matcher.why_none(own_.points) : reason;
  }

  std::string add_claims(const Published& published, const Matcher& matcher) {
    std::array<std::string, 2> reasons;  // of runs and of predictions
    std::array<std::vector<const OwnPoint*>, 2> compared;
    std::set<const OwnPoint*> seen;
    Published translated = published;
    translated.along = own_axis(publication_, published.along);
    translated.from = own_cell(publication_, published.along, published.from);
    translated.to = own_cell(publication_, published.along, published.to);
    for (const OwnPoint& own : own_.points) {
      if (!own.measured() && !own.predicted()) continue;
      if (!is_compared(published, own, matcher)) continue;
      const std::size_t kind = own.measured() ? 0 : 1;
      compared.at(kind).push_back(&own);
      const OwnClaim claim = own_claim(question(translated, own));
      if (!claim.value.estimate) {
        if (reasons.at(kind).empty()) reasons.at(kind) = claim.value.missing;
      } else if (seen.insert(claim.at).second) {
        add(published, *claim.at, *claim.value.estimate, claim.holds, matcher);
      }
    }
    for (std::size_t kind = 0; kind < reasons.size(); ++kind) {
      if (!reasons.at(kind).empty() || compared.at(kind).empty()) continue;
      reasons.at(kind) = why_no_series(translated, matcher.in_words(), compared.at(kind));
    }
    const auto& [of_runs, of_predictions] = reasons;
    if (of_runs.empty() && of_predictions.empty()) return matcher.why_none(own_.points);
    if (of_runs.empty() || of_predictions.empty()) return of_runs + of_predictions;
    return fmt::format("runs: {}; predictions: {}", of_runs, of_predictions);
  }

  std::string add_model_value(const Published& published) {
    const ModelValue value = model_value(published, own_.models);
    if (!value.value.estimate) return value.value.missing;
    all_.matches.push_back({&published, value.point, value.source, *value.value.estimate, {}});
    return "";
  }

  const Publication& publication_;
  const OwnResults& own_;
  Comparison all_;
};

}  // namespace

bool is_description(const Published& published) {
  if (is_claim(published)) return false;
  return !published.is_value() || among(kDescriptions, published.quantity);
}

Comparison compare(const Publication& publication, const OwnResults& own) {
  return Comparer(publication, own).compare();
}

double difference(const Published& published, double own) {
  const Printed& number = *published.number;
  const bool range = published.text.find("..") != std::string::npos;
  if (!range && (published.relation == "=" || published.relation == "~" ||
                 published.relation == "gain" || published.relation == "times")) {
    return own / number.value - 1;
  }
  const Printed kept = allowed(published);
  if (own < kept.low) return own / kept.low - 1;
  return own > kept.high ? own / kept.high - 1 : 0;
}

std::string verdict(const Match& match) {
  if (match.holds) return *match.holds ? "agrees" : "disagrees";
  const Estimate& own = match.own;
  const bool bare = own.interval.kind == Interval::Kind::None;
  const double low = bare ? own.value : own.interval.low;
  const double high = bare ? own.value : own.interval.high;
  const Printed kept = allowed(*match.published);
  if (high < kept.low) return "lower";
  return low > kept.high ? "higher" : "agrees";
}

}  // namespace dlscale::analysis
