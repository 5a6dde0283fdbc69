// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/own_claim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/publications/axes.hpp"
#include "analysis/publications/predicted_value.hpp"

namespace dlscale::analysis {
namespace {

/// Smallest reversal of a trend that contradicts the trend.
constexpr double kNoise = 0.05;

constexpr const char* kMixed = "the points of the study ran on different devices";

bool has_number(const Published& published) {
  return published.relation == "gain" || published.relation == "times";
}

/// Returns the value of the claimed quantity at a point. The claim itself is not about one point.
OwnValue value_at(const Question& question, const OwnPoint& own) {
  Published plain = question.published;
  plain.relation = "=";
  plain.along.clear();
  return own_value({question.publication, plain, own, question.all});
}

/// Returns the reason why no ratio of the claim can contain the value at a point, or an empty text.
std::string why_no_ratio(const Question& question, const OwnPoint& own) {
  const Published& published = question.published;
  const OwnValue value = value_at(question, own);
  const std::string at = fmt::format("{} {}", published.along, value_along(own, published.along));
  if (!value.estimate) return fmt::format("no {} at {}: {}", published.quantity, at, value.missing);
  if (value.estimate->value > 0) return "";
  return fmt::format("{} is {:g} at {}, so there is no ratio", published.quantity,
                     value.estimate->value, at);
}

/// Returns the change from `from` to `to`. If the quantity is a throughput with an interval, the
/// change has the interval of the ratio of the throughputs.
std::optional<Estimate> change(const Question& question, const OwnPoint& from, const OwnPoint& to) {
  const auto first = value_at(question, from).estimate, last = value_at(question, to).estimate;
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
  if (from == nullptr || to == nullptr || from == to) return {};
  if (are_mixed(*from, *to)) return {{std::nullopt, kMixed}};
  const auto value = change(question, *from, *to);
  if (value) return {{value, ""}, {}, to};
  const std::string why = why_no_ratio(question, *from);
  return {{std::nullopt, why.empty() ? why_no_ratio(question, *to) : why}};
}

bool is_between(const Published& published, double at) {
  const auto low = AxisCell(published.from).number(), high = AxisCell(published.to).number();
  return (!low || at >= *low) && (!high || at <= *high);
}

/// Returns true if the claim is about two names, such as frameworks.
bool compares_names(const Published& published) {
  return !published.from.empty() && !published.to.empty() && !AxisCell(published.from).number();
}

/// Returns the points of the series between the ends of the claim, in the claimed order.
std::vector<const OwnPoint*> claimed_series(const Question& question) {
  const Published& published = question.published;
  if (compares_names(published)) {
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
  std::erase_if(series, [&](const OwnPoint* point) {
    const auto axis = point->axes.find(published.along);
    const double at = axis == point->axes.end()
                          ? point->gpus
                          : AxisCell(axis->second).number().value_or(point->gpus);
    return !is_between(published, at);
  });
  return series;
}

OwnClaim claimed_trend(const Question& question) {
  const std::vector<const OwnPoint*> series = claimed_series(question);
  if (series.size() < 2) return {};
  const bool rises = question.published.relation == "rises";
  const double noise = std::max(kNoise, question.publication.variation);
  std::vector<double> values;
  for (const OwnPoint* point : series) {
    if (are_mixed(*point, *series.front())) return {{std::nullopt, kMixed}};
    const auto value = value_at(question, *point).estimate;
    if (!value || value->value <= 0) return {{std::nullopt, why_no_ratio(question, *point)}};
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
  if (!wanted) return {{std::nullopt, "the publication states no number that is the best"}};
  if (series.size() < 2) return {};
  double best = 0;
  bool has_wanted = false;
  const OwnPoint* at = nullptr;
  for (const OwnPoint* point : series) {
    if (are_mixed(*point, *series.front())) return {{std::nullopt, kMixed}};
    const auto value = value_at(question, *point).estimate;
    if (!value) return {{std::nullopt, why_no_ratio(question, *point)}};
    has_wanted = has_wanted || point->gpus == *wanted;
    if (at != nullptr && value->value <= best) continue;
    best = value->value;
    at = point;
  }
  if (!has_wanted) return {{std::nullopt, "the study lacks the count that is called the best"}};
  const Estimate count{static_cast<double>(at->gpus), {}, series.size()};
  return {{count, ""}, at->gpus == *wanted, at};
}

/// Returns the reason why no two points with the values `from` and `to` of the claim agree in
/// everything else. `kind` is the word for such points, and `stated` ends reasons about one point.
std::string why_no_pair(const Published& published, const std::string& kind,
                        const std::string& stated, const std::vector<const OwnPoint*>& points) {
  const auto at = [&](const std::string& cell) {
    std::vector<const OwnPoint*> found = points;
    std::erase_if(found, [&](const OwnPoint* own) {
      return !AxisCell(cell).meets(AxisCell(value_along(*own, published.along)));
    });
    return found;
  };
  const auto first = at(published.from), last = at(published.to);
  for (const auto& [cell, found] : {std::pair(&published.from, &first), {&published.to, &last}}) {
    if (found->empty())
      return fmt::format("no {} with {} {}{}", kind, published.along, *cell, stated);
  }
  std::string text;
  std::size_t fewest = 0;
  for (const OwnPoint* from : first) {
    for (const OwnPoint* to : last) {
      const auto differing = differences(*from, *to, published.along);
      if (!text.empty() && differing.size() >= fewest) continue;
      fewest = differing.size();
      text = fmt::format("the nearest {}s with {} {} and {} also differ in {}", kind,
                         published.along, value_along(*from, published.along),
                         value_along(*to, published.along), fmt::join(differing, ", "));
    }
  }
  return text;
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

std::string why_no_series(const Published& published, const std::string& stated,
                          const std::vector<const OwnPoint*>& points) {
  const std::string kind = points.front()->predicted() ? "prediction" : "run";
  const std::string among =
      stated.empty() ? "" : fmt::format(" among the {}s with {}", kind, stated);
  std::vector<const OwnPoint*> placed = points;
  std::erase_if(placed,
                [&](const OwnPoint* own) { return value_along(*own, published.along).empty(); });
  if (placed.empty()) return fmt::format("no {} states {}{}", kind, published.along, among);
  if (has_number(published) || compares_names(published)) {
    return why_no_pair(published, kind, among, placed);
  }
  std::set<std::pair<double, std::string>> values;
  for (const OwnPoint* own : placed) {
    const std::string value = value_along(*own, published.along);
    const auto number = AxisCell(value).number();
    if (!number || is_between(published, *number)) values.emplace(number.value_or(0), value);
  }
  if (values.size() < 2) {
    if (values.empty()) return fmt::format("no {} in the range of the claim{}", kind, among);
    return fmt::format("only {} {}{}", published.along, values.begin()->second, among);
  }
  Published pair = published;  // the claim about the nearest pair of values
  pair.from = values.begin()->second;
  pair.to = std::next(values.begin())->second;
  return why_no_pair(pair, kind, among, placed);
}

}  // namespace dlscale::analysis
