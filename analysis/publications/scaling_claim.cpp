// SPDX-License-Identifier: Apache-2.0
// Compares stated speed-ups and efficiencies with the times and rates in the same table.
//
// A table seldom states the baseline of its speed-ups. The baseline may be the smallest GPU count
// of the table, a GPU count that the table does not show, or one GPU if the authors assume perfect
// scaling up to the smallest count. The table also seldom states whether the work of an epoch grows
// with the GPUs (weak scaling) or is fixed (strong scaling). A reading of a curve consists of a
// baseline and one of these two kinds of work. Each curve is compared in every reading that its
// numbers allow, and the reading with the fewest contradictions is used. A single wrong row
// therefore cannot determine the reading of the whole curve.
// If several readings have equally few contradictions, two criteria decide:
// - The work grows with the GPUs if the publication states this or if no time falls. Otherwise the
//   work is fixed.
// - Among the readings with this kind of work, the reading whose implied values are nearest to
//   the printed values is used.
#include "analysis/publications/scaling_claim.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/column_heading.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kSpeedup = "speedup", kEfficiency = "efficiency";

Printed product(const Printed& a, const Printed& b) {
  return {a.value * b.value, a.low * b.low, a.high * b.high};
}

bool is_about(const Printed& printed, double value) {
  return overlap(printed, {value, value, value});
}

/// Possible reading of a curve of speed-ups or efficiencies, which are called claims below.
struct Basis {
  double from = 0;          ///< GPU count of the measurement that is the baseline
  bool is_anchor = false;   ///< true if the baseline is missing and the claim at `from` is trusted
  bool is_one_gpu = false;  ///< true if the baseline is one GPU with perfect scaling up to `from`
  bool work_grows = false;  ///< true if an epoch has work in proportion to the GPU count
};

/// Curve of claims, and the curve of measurements with which the claims are compared.
struct Pairing {
  const PublishedSeries& claims;
  const PublishedSeries& measured;
  std::string_view quantity;
};

/// Returns the work per second at `count`, divided by the work per second at the baseline. Returns
/// nothing if the table lacks one of these two measurements.
std::optional<Printed> gain(const Pairing& pairing, const Basis& basis, double count) {
  const Published* const base = at(pairing.measured, basis.from);
  const Published* const point = at(pairing.measured, count);
  if (base == nullptr || point == nullptr || basis.from <= 0) return std::nullopt;
  if (base == point) return Printed{1, 1, 1};
  const bool per_gpu = basis.work_grows || is_gpu_rate(*base);
  return scaled(speedup_of(*base, *point), per_gpu ? count / basis.from : 1);
}

/// Returns the speed-up or efficiency at `count` that the measurements imply.
std::optional<Printed> implied(const Pairing& pairing, const Basis& basis, double count) {
  auto value = gain(pairing, basis, count);
  if (!value) return std::nullopt;
  if (pairing.quantity == kEfficiency) value = scaled(*value, basis.from / count);
  if (pairing.quantity == kSpeedup && basis.is_one_gpu) value = scaled(*value, basis.from);
  if (!basis.is_anchor) return value;
  const Published* const anchor = at(pairing.claims, basis.from);
  return product(*value, allowed(*anchor));
}

/// Returns the readings with all possible baselines of a curve. `stated` is the baseline that the
/// publication states. If it is 0, the values of the claims determine which counts can be the
/// baseline.
std::vector<Basis> possible_bases(const Pairing& pairing, double stated) {
  const auto claim_at = [&](double count) { return at(pairing.claims, count); };
  std::vector<Basis> bases, anchors;
  for (const SeriesPoint& point : pairing.measured.points) {
    if (claim_at(point.at) != nullptr) anchors.push_back({point.at, true});
  }
  if (stated > 0) {
    if (at(pairing.measured, stated) == nullptr) return anchors;
    bases.push_back({stated});
  } else {
    const double first = pairing.measured.points.front().at;
    const Published* const own = claim_at(first);
    const bool is_first = own == nullptr || is_about(allowed(*own), 1) ||
                          (pairing.quantity == kSpeedup && is_about(allowed(*own), first));
    if (is_first) bases.push_back({first});
    for (const Basis& anchor : anchors) {
      if (is_first) break;
      if (is_about(allowed(*claim_at(anchor.from)), 1)) bases.push_back({anchor.from});
    }
    if (!is_first) bases.insert(bases.end(), anchors.begin(), anchors.end());
  }
  for (std::size_t i = 0, count = bases.size(); i < count; ++i) {
    const bool may_be_one_gpu =
        pairing.quantity == kSpeedup && bases[i].from > 1 && !bases[i].is_anchor;
    if (may_be_one_gpu) bases.push_back({bases[i].from, false, true});
  }
  return bases;
}

/// Returns true if no time is clearly below the first time. Larger numbers of GPUs then did more
/// work.
bool stays(const PublishedSeries& times) {
  constexpr double kScatter = 0.05;
  const double first = times.points.front().value->number->value;
  return std::all_of(times.points.begin(), times.points.end(), [&](const SeriesPoint& point) {
    return point.value->number->value >= first * (1 - kScatter);
  });
}

std::vector<Basis> bases_of(const Pairing& pairing, const Publication& publication, double stated) {
  std::vector<Basis> bases = possible_bases(pairing, stated);
  if (!is_whole_time(*pairing.measured.points.front().value)) return bases;
  const bool grows_first = publication.work == "per_gpu" || stays(pairing.measured);
  std::vector<Basis> both;
  for (const bool grows : {grows_first, !grows_first}) {
    for (Basis basis : bases) {
      basis.work_grows = grows;
      both.push_back(basis);
    }
  }
  return both;
}

/// Returns true if the rounding of another printed value explains a mismatch. In this case the
/// claim is an efficiency that was computed from the printed speed-up, or a speed-up that was
/// computed from the printed efficiency, and that printed value agrees with the measurements.
bool follows_from_other(const Pairing& pairing, const Basis& basis, const SeriesPoint& claim,
                        const std::vector<PublishedSeries>& others) {
  const double ratio = claim.at / basis.from;
  for (const PublishedSeries& other : others) {
    const Published* const value =
        other.axes == pairing.claims.axes ? at(other, claim.at) : nullptr;
    if (value == nullptr || basis.is_anchor) continue;
    const double scale = pairing.quantity == kSpeedup ? ratio : 1 / ratio;
    const bool is_same = is_about(allowed(*claim.value), value->number->value * scale);
    const Pairing beside{other, pairing.measured, other.quantity};
    const auto expected = implied(beside, basis, claim.at);
    if (is_same && expected && overlap(allowed(*value), *expected)) return true;
  }
  return false;
}

struct Reading {
  bool work_grows = false;
  std::vector<ClaimMismatch> mismatches;
  double distance = 0;  ///< sum of |log(claim / implied claim)| over the mismatches
};

Reading read_as(const Pairing& pairing, const Basis& basis,
                const std::vector<PublishedSeries>& others) {
  Reading reading{basis.work_grows, {}, 0};
  for (const SeriesPoint& claim : pairing.claims.points) {
    const auto from = AxisCell(claim.value->from).number();
    Basis own = basis;
    if (from) own = {*from, false, false, basis.work_grows};
    const auto expected = implied(pairing, own, claim.at);
    if (!expected || overlap(allowed(*claim.value), *expected)) continue;
    if (follows_from_other(pairing, own, claim, others)) continue;
    const Published* const base = at(pairing.measured, own.from);
    const Published* const point = at(pairing.measured, claim.at);
    reading.mismatches.push_back(
        {claim.value, claim.at, own.from, base, point, expected->value, own.work_grows});
    reading.distance += std::abs(std::log(claim.value->number->value / expected->value));
  }
  return reading;
}

/// Returns the reading of a curve with the fewest contradictions.
Reading best_reading(const Pairing& pairing, const Publication& publication, double stated,
                     const std::vector<PublishedSeries>& others) {
  std::optional<Reading> best;
  for (const Basis& basis : bases_of(pairing, publication, stated)) {
    Reading reading = read_as(pairing, basis, others);
    const bool is_fewer = !best || reading.mismatches.size() < best->mismatches.size();
    const bool is_nearer = best && reading.mismatches.size() == best->mismatches.size() &&
                           reading.work_grows == best->work_grows &&
                           reading.distance < best->distance;
    const bool is_better = is_fewer || is_nearer;
    if (is_better) best = std::move(reading);
  }
  return best.value_or(Reading{});
}

bool is_speed(const Published& value) {
  return is_whole_time(value) || is_rate(value) || is_gpu_rate(value);
}

/// Returns true if one of the curves leaves open which of several values of an axis it means, and
/// the other curve does not have the same cell. Such a curve cannot contradict the other curve.
bool is_left_open(const PublishedSeries& a, const PublishedSeries& b) {
  const auto opens = [](const PublishedSeries& one, const PublishedSeries& other) {
    return std::any_of(one.axes.begin(), one.axes.end(), [&](const auto& cell) {
      const auto beside = other.axes.find(cell.first);
      return cell.second.starts_with('?') &&
             (beside == other.axes.end() || beside->second != cell.second);
    });
  };
  return opens(a, b) || opens(b, a);
}

/// Returns the measured curves with which claims are compared: the curves with the same axes, or
/// else all curves that may have the same points.
std::vector<const PublishedSeries*> measured_beside(const PublishedSeries& claims,
                                                    const std::vector<PublishedSeries>& all) {
  std::vector<const PublishedSeries*> same, possible;
  for (const PublishedSeries& series : all) {
    if (!is_speed(*series.points.front().value)) continue;
    if (!claims.statistic.empty() && !series.statistic.empty() &&
        claims.statistic != series.statistic) {
      continue;
    }
    if (series.axes == claims.axes) same.push_back(&series);
    const bool may_be = may_be_one_point(claims.axes, series.axes);
    if (may_be && !is_left_open(claims, series)) possible.push_back(&series);
  }
  return same.empty() ? possible : same;
}

double stated_baseline(const Publication& publication, std::string_view axis) {
  if (axis == "gpus") return publication.baseline_gpus;
  return axis == "nodes" ? publication.baseline_nodes : 0;
}

/// Keeps only those mismatches whose claim also mismatches in `next`. If a claim may concern
/// several curves of one quantity, agreement with one of these curves is sufficient.
void keep_common(std::vector<ClaimMismatch>& kept, const std::vector<ClaimMismatch>& next) {
  std::erase_if(kept, [&](const ClaimMismatch& one) {
    return std::none_of(next.begin(), next.end(),
                        [&](const ClaimMismatch& other) { return other.claim == one.claim; });
  });
}

}  // namespace

std::string assumption_of(const ClaimMismatch& mismatch) {
  if (mismatch.point == nullptr || !is_whole_time(*mismatch.point)) return "";
  return mismatch.work_grows
             ? " The work is assumed to grow with the GPUs (weak scaling)."
             : " The work is assumed to be the same on any number of GPUs (strong scaling).";
}

std::vector<ClaimMismatch> claims_beside_measurements(const Publication& publication,
                                                      const std::string& quantity) {
  const std::string other(quantity == kSpeedup ? kEfficiency : kSpeedup);
  std::vector<ClaimMismatch> all;
  for (const std::string_view name : kScalingAxes) {
    const std::string axis(name);
    const std::vector<PublishedSeries> curves = series_along(publication, axis);
    const std::vector<PublishedSeries> others = stated_along(publication, other, axis);
    for (const PublishedSeries& claims : stated_along(publication, quantity, axis)) {
      std::map<std::string, std::vector<ClaimMismatch>> of_quantity;
      for (const PublishedSeries* measured : measured_beside(claims, curves)) {
        const Reading reading = best_reading({claims, *measured, quantity}, publication,
                                             stated_baseline(publication, axis), others);
        const auto [known, is_new] =
            of_quantity.try_emplace(measured->quantity, reading.mismatches);
        if (!is_new) keep_common(known->second, reading.mismatches);
      }
      for (const auto& [measured, found] : of_quantity) {
        all.insert(all.end(), found.begin(), found.end());
      }
    }
  }
  return all;
}

namespace {

/// Baseline of the speed-ups, given as its GPU count. The efficiency on n GPUs is the speed-up
/// times this count divided by n.
struct PairBasis {
  double gpus = 1;
};

std::vector<PairBasis> pair_bases(const PublishedSeries& speedups,
                                  const PublishedSeries& efficiencies, double stated) {
  std::vector<PairBasis> bases;
  const double first = speedups.points.front().at;
  const Published& own = *speedups.points.front().value;
  if (stated > 0) {
    const Published* const at_stated = at(speedups, stated);
    bases.push_back({stated});
    if (at_stated != nullptr && is_about(allowed(*at_stated), stated)) bases.push_back({1});
    return bases;
  }
  bases = {{first}, {1}};
  for (const SeriesPoint& point : speedups.points) {
    if (is_about(allowed(*point.value), 1)) bases.push_back({point.at});
  }
  if (is_about(allowed(own), 1) || is_about(allowed(own), first)) return bases;
  for (const SeriesPoint& point : speedups.points) {
    const Published* const efficiency = at(efficiencies, point.at);
    if (efficiency == nullptr) continue;
    bases.push_back({efficiency->number->value * point.at / point.value->number->value});
  }
  return bases;
}

std::vector<PairMismatch> pairs_by(const PublishedSeries& speedups,
                                   const PublishedSeries& efficiencies, const PairBasis& basis) {
  std::vector<PairMismatch> found;
  for (const SeriesPoint& point : speedups.points) {
    const Published* const efficiency = at(efficiencies, point.at);
    if (efficiency == nullptr || AxisCell(point.value->from).number()) continue;
    const Printed expected = scaled(allowed(*point.value), basis.gpus / point.at);
    if (overlap(allowed(*efficiency), expected)) continue;
    found.push_back({point.value, efficiency, point.at / basis.gpus});
  }
  return found;
}

}  // namespace

std::vector<PairMismatch> speedups_beside_efficiencies(const Publication& publication) {
  std::vector<PairMismatch> all;
  for (const std::string_view name : kScalingAxes) {
    const std::string axis(name);
    const auto efficiencies = stated_along(publication, std::string(kEfficiency), axis);
    for (const PublishedSeries& speedups : stated_along(publication, std::string(kSpeedup), axis)) {
      for (const PublishedSeries& beside : efficiencies) {
        if (beside.axes != speedups.axes || beside.statistic != speedups.statistic) continue;
        std::optional<std::vector<PairMismatch>> best;
        for (const PairBasis& basis :
             pair_bases(speedups, beside, stated_baseline(publication, axis))) {
          auto found = pairs_by(speedups, beside, basis);
          if (!best || found.size() < best->size()) best = std::move(found);
        }
        all.insert(all.end(), best->begin(), best->end());
      }
    }
  }
  return all;
}

SpeedupBase base_of(const Publication& publication, const PublishedSeries& claims,
                    std::string_view axis) {
  const double stated = stated_baseline(publication, axis);
  const Published* const at_stated = stated > 0 ? at(claims, stated) : nullptr;
  const bool is_one_gpu =
      stated > 1 && at_stated != nullptr && is_about(allowed(*at_stated), stated);
  if (stated > 0) return {is_one_gpu ? 1 : stated, nullptr};
  const SeriesPoint& first = claims.points.front();
  if (is_about(allowed(*first.value), 1)) return {first.at, nullptr};
  for (const SeriesPoint& point : claims.points) {
    if (is_about(allowed(*point.value), 1)) return {point.at, nullptr};
  }
  if (is_about(allowed(*first.value), first.at)) return {1, nullptr};
  return {first.at, first.value};
}

}  // namespace dlscale::analysis
