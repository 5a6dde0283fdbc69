// SPDX-License-Identifier: Apache-2.0
// Rule: a quantity that rises according to the text does not fall in the table.
#include <fmt/format.h>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the series along the axis of a claim. Words on this axis have the order in which the
/// settings of the publication list them.
std::vector<PublishedSeries> series_of(const Publication& publication, const Published& claim) {
  const bool numbers = AxisCell(claim.from).number() || claim.along == "gpus" ||
                       claim.along == "cores" || publication.setting(claim.along).empty();
  return series_along(publication, claim.along,
                      numbers ? Words{} : publication.setting(claim.along));
}

bool within(const Published& claim, const SeriesPoint& point) {
  const auto from = AxisCell(claim.from).number(), to = AxisCell(claim.to).number();
  return (!from || point.at >= *from) && (!to || point.at <= *to);
}

/// Two neighbouring points of a series that contradict the claimed trend.
struct Break {
  const PublishedSeries* series;
  const Published* before;
  const Published* after;
};

/// Adds the contradictions of one series to `breaks`. Returns the number of steps between
/// neighbouring points that the claim covers.
std::size_t add_breaks(const Published& claim, const PublishedSeries& series,
                       std::vector<Break>& breaks) {
  std::size_t steps = 0;
  const SeriesPoint* last = nullptr;
  for (const SeriesPoint& point : series.points) {
    if (!within(claim, point)) continue;
    if (last != nullptr && last->at < point.at) {
      ++steps;
      const Printed before = allowed(*last->value), after = allowed(*point.value);
      const bool broken =
          claim.relation == "rises" ? after.high < before.low : after.low > before.high;
      if (broken) breaks.push_back({&series, last->value, point.value});
    }
    last = &point;
  }
  return steps;
}

/// Describes a contradiction: "37.17 to 36.29 along gpus 64 to 128 (loader native, lines 32 and
/// 34)".
std::string break_text(const Published& claim, const Break& found) {
  auto axes = found.series->axes;
  std::erase_if(axes, [&](const auto& cell) { return claim.axes.contains(cell.first); });
  return fmt::format("{} to {} along {} {} to {} ({}; lines {} and {})", found.before->text,
                     found.after->text, claim.along, found.before->axis(claim.along),
                     found.after->axis(claim.along), in_words(axes), found.before->place.line,
                     found.after->place.line);
}

std::vector<Finding> judge(const Publication& publication, const Published& claim) {
  std::vector<Break> breaks;
  std::size_t steps = 0;
  const std::vector<PublishedSeries> all = series_of(publication, claim);
  for (const PublishedSeries& series : all) {
    if (concerns(claim, series)) steps += add_breaks(claim, series, breaks);
  }
  if (breaks.empty()) return {};
  Finding finding = finding_of(
      {&claim, breaks[0].before},
      fmt::format("The text states that {} {} along {}, but {} of {} steps go the other way.",
                  claim.quantity, claim.relation, claim.along, breaks.size(), steps));
  finding.values = describe(claim);
  for (const Break& one : breaks) finding.values += "; " + break_text(claim, one);
  return {finding};
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& claim : publication.values) {
    if (claim.relation != "rises" && claim.relation != "falls") continue;
    for (Finding& finding : judge(publication, claim)) found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace

extern const ContradictionRule broken_trend_entry;
const ContradictionRule broken_trend_entry{"broken_trend", "values do not rise or fall as stated",
                                           &find};

}  // namespace dlscale::analysis
