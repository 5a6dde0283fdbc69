// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/own_claim.hpp"

#include <algorithm>
#include <vector>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/publications/axes.hpp"
#include "analysis/publications/predicted_value.hpp"

namespace dlscale::analysis {
namespace {

/// Smallest reversal of a trend that contradicts the trend.
constexpr double kNoise = 0.05;

constexpr const char* kNoPoints =
    "the study has no point at the first or at the last value of the claim";
constexpr const char* kMixed = "the points of the study ran on different devices";

bool has_number(const Published& published) {
  return published.relation == "gain" || published.relation == "times";
}

/// Returns the value of the claimed quantity at a point. The claim itself is not about one point.
std::optional<Estimate> value_at(const Question& question, const OwnPoint& own) {
  Published plain = question.published;
  plain.relation = "=";
  plain.along.clear();
  return own_value({question.publication, plain, own, question.all}).estimate;
}

/// Returns the change from `from` to `to`. If the quantity is a throughput with an interval, the
/// change has the interval of the ratio of the throughputs.
std::optional<Estimate> change(const Question& question, const OwnPoint& from, const OwnPoint& to) {
  const auto first = value_at(question, from), last = value_at(question, to);
  if (!first || !last || first->value == 0) return std::nullopt;
  Estimate change{last->value / first->value, {}, std::min(first->n, last->n)};
  const bool is_rate = question.published.quantity == "throughput";
  if (is_rate && to.measured() && first->interval.kind != Interval::Kind::None) {
    change.interval = speedup(*to.point, Baseline(*from.point)).interval;
  }
  if (question.published.relation != "gain") return change;
  change.value -= 1;
  change.interval.low -= 1;
  change.interval.high -= 1;
  return change;
}

bool are_mixed(const OwnPoint& a, const OwnPoint& b) {
  const auto is_mixed = [](const OwnPoint& own) {
    return own.measured() && !own.curve->mixed.empty();
  };
  return is_mixed(a) || is_mixed(b);
}

OwnClaim claimed_change(const Question& question) {
  const Published& published = question.published;
  const OwnPoint* from = neighbour(question.all, question.own, published.along, published.from);
  const OwnPoint* to = neighbour(question.all, question.own, published.along, published.to);
  if (from == nullptr || to == nullptr || from == to) return {{std::nullopt, kNoPoints}};
  if (are_mixed(*from, *to)) return {{std::nullopt, kMixed}};
  const auto value = change(question, *from, *to);
  return {{value, value ? "" : "this quantity is not known at both points"}, {}, to};
}

/// Returns the points of the series between the ends of the claim, in the claimed order.
std::vector<const OwnPoint*> claimed_series(const Question& question) {
  const Published& published = question.published;
  if (!published.from.empty() && !published.to.empty() &&
      !AxisCell(published.from).number()) {  // a claim about two names, such as frameworks
    const OwnPoint* from = neighbour(question.all, question.own, published.along, published.from);
    const OwnPoint* to = neighbour(question.all, question.own, published.along, published.to);
    if (from == nullptr || to == nullptr || from == to) return {};
    return {from, to};
  }
  const Words& order = question.publication.setting(published.along);
  if (!order.empty() && !AxisCell(order.front()).number()) {  // names in the publication's order
    std::vector<const OwnPoint*> series;
    for (const std::string& name : order) {
      const OwnPoint* point = neighbour(question.all, question.own, published.along, name);
      if (point != nullptr) series.push_back(point);
    }
    return series;
  }
  std::vector<const OwnPoint*> series = series_of(question.all, question.own, published.along);
  const auto low = AxisCell(published.from).number(), high = AxisCell(published.to).number();
  std::erase_if(series, [&](const OwnPoint* point) {
    const auto axis = point->axes.find(published.along);
    const double at = axis == point->axes.end()
                          ? point->gpus
                          : AxisCell(axis->second).number().value_or(point->gpus);
    return (low && at < *low) || (high && at > *high);
  });
  return series;
}

OwnClaim claimed_trend(const Question& question) {
  const std::vector<const OwnPoint*> series = claimed_series(question);
  if (series.size() < 2) {
    return {{std::nullopt, "the study has fewer than two points along this axis"}};
  }
  const bool rises = question.published.relation == "rises";
  const double noise = std::max(kNoise, question.publication.variation);
  std::vector<double> values;
  for (const OwnPoint* point : series) {
    if (are_mixed(*point, *series.front())) return {{std::nullopt, kMixed}};
    const auto value = value_at(question, *point);
    if (!value || value->value <= 0) {
      return {{std::nullopt, "this quantity is not known at each point"}};
    }
    values.push_back(value->value);
  }
  bool holds = rises ? values.back() > values.front() : values.back() < values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = values[i] / values[i - 1];
    if (rises ? step < 1 - noise : step > 1 + noise) holds = false;
  }
  const Estimate ratio{values.back() / values.front(), {}, series.size()};
  return {{ratio, ""}, holds, series.back()};
}

OwnClaim claimed_best(const Question& question) {
  const auto wanted = AxisCell(question.published.to).number();
  const std::vector<const OwnPoint*> series = claimed_series(question);
  if (!wanted || series.size() < 2) {
    return {{std::nullopt, "the study has fewer than two points along this axis"}};
  }
  double best = 0;
  bool has_wanted = false;
  const OwnPoint* at = nullptr;
  for (const OwnPoint* point : series) {
    if (are_mixed(*point, *series.front())) return {{std::nullopt, kMixed}};
    const auto value = value_at(question, *point);
    if (!value) return {{std::nullopt, "this quantity is not known at each point"}};
    has_wanted = has_wanted || point->gpus == *wanted;
    if (at != nullptr && value->value <= best) continue;
    best = value->value;
    at = point;
  }
  if (!has_wanted) return {{std::nullopt, "the study lacks the count that is called the best"}};
  const Estimate count{static_cast<double>(at->gpus), {}, series.size()};
  return {{count, ""}, at->gpus == *wanted, at};
}

}  // namespace

bool is_claim(const Published& published) {
  const std::string& relation = published.relation;
  return relation == "rises" || relation == "falls" || relation == "best" ||
         (has_number(published) && published.number);
}

OwnClaim own_claim(const Question& question) {
  const bool predicts_loading = !question.own.predicted() || question.own.prediction->loading_s > 0;
  if (question.published.along == "loader" && !predicts_loading) {
    return {{std::nullopt, "the predictions contain no loading"}};
  }
  if (has_number(question.published)) return claimed_change(question);
  return question.published.relation == "best" ? claimed_best(question) : claimed_trend(question);
}

}  // namespace dlscale::analysis
