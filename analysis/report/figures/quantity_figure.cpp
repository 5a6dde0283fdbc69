// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/quantity_figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/report/figures/figure_parts.hpp"
#include "analysis/report/figures/quantity_values.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Largest number of points of a curve over the training for which each point has a mark.
constexpr std::size_t kMostMarks = 40;
/// Ratio of the largest to the smallest x value from which an axis of numbers is logarithmic.
constexpr double kWideRange = 16;

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Choice of the axes.

/// Returns the axis called `name`, or the only axis whose name ends in ".name". Throws
/// base::UsageError for another name.
std::string find_axis(const Names& known, const std::string& name, const char* option) {
  if (contains(known, name)) return name;
  Names ending;
  std::copy_if(known.begin(), known.end(), std::back_inserter(ending),
               [&](const std::string& axis) { return axis.ends_with("." + name); });
  if (ending.size() == 1) return ending.front();
  throw base::UsageError(fmt::format("{}: {}", option, base::unknown_name("axis", name, known)));
}

std::string curve_name(const CurveKey& key, const Names& axes) {
  std::string text;
  for (const std::string& axis : axes) text += value_of(key, axis) + "\n";
  return text;
}

/// Returns true if the values of the axes `given` determine the value of `axis` at all points.
bool follows(const std::string& axis, const Names& given, const std::vector<PlacedValue>& points) {
  std::map<std::string, std::string> seen;
  return std::all_of(points.begin(), points.end(), [&](const PlacedValue& point) {
    const std::string value = value_of(point.place, axis);
    return seen.try_emplace(curve_name(point.place, given), value).first->second == value;
  });
}

/// Returns the axes whose values make curves: all axes with several values, except x and the axes
/// that follow from x and the other axes. Batches that are not an axis of the study follow from the
/// GPU count and the other batch. If x is the global batch, the GPU count follows from x and the
/// batch per GPU.
Names varying_curve_axes(const Frame& frame, const std::vector<PlacedValue>& points,
                         const std::string& x) {
  std::vector<CurveKey> keys;
  for (const PlacedValue& point : points) keys.push_back(point.place);
  Names axes = varying_axes(keys);
  std::erase(axes, x);
  const auto is_of_study = [&](const std::string& name) {
    return std::ranges::find(frame.axes, name, &contract::Axis::name) != frame.axes.end();
  };
  std::erase_if(axes, [&](const std::string& axis) {
    const bool is_resource = axis == kGpus || axis == kNodes;
    return !is_resource && is_of_study(axis) && follows(axis, {x}, points);
  });
  Names candidates{kNodes};
  for (const bool of_study : {false, true}) {
    for (const char* batch : {kBatchPerGpu, kGlobalBatch}) {
      if (is_of_study(batch) == of_study) candidates.emplace_back(batch);
    }
    if (!of_study && x == kGlobalBatch) candidates.emplace_back(kGpus);
  }
  for (const std::string& axis : candidates) {
    Names others = axes;
    std::erase(others, axis);
    others.push_back(x);
    if (contains(axes, axis) && follows(axis, others, points)) std::erase(axes, axis);
  }
  return axes;
}

/// Returns all axes of the points, such as the axes of the study and the targets of the runs.
Names place_axes(const std::vector<PlacedValue>& points) {
  Names axes;
  for (const PlacedValue& point : points) {
    for (const AxisValue& entry : point.place) {
      if (!contains(axes, entry.axis)) axes.push_back(entry.axis);
    }
  }
  return axes;
}

/// Returns the part of the key with these axes, in their order. Omits the axes that the key does
/// not have.
CurveKey only(const CurveKey& key, const Names& axes) {
  CurveKey kept;
  for (const std::string& axis : axes) {
    const auto found = std::ranges::find(key, axis, &AxisValue::axis);
    if (found != key.end()) kept.push_back(*found);
  }
  return kept;
}

/// Returns the value of an axis for a message.
std::string value_or_reason(const CurveKey& key, const std::string& axis) {
  const auto found = std::ranges::find(key, axis, &AxisValue::axis);
  if (found == key.end()) return "not set";
  return found->value.empty() ? "unknown" : found->value;
}

/// Throws base::UsageError for two points at the same place of the figure, because they measured
/// different configurations and are not repeats.
[[noreturn]] void refuse_overlap(const PlacedValue& a, const PlacedValue& b, const std::string& x) {
  Names differing;
  for (const std::string& axis : place_axes({a, b})) {
    const std::string one = value_or_reason(a.place, axis);
    const std::string other = value_or_reason(b.place, axis);
    if (one != other) differing.push_back(fmt::format("{} ({}, {})", axis, one, other));
  }
  throw base::UsageError(
      fmt::format("--by: points of one curve have the same {} but differ in {}: name one of these "
                  "axes in --by, or select runs with --where",
                  x, fmt::join(differing, ", ")));
}

// Axes and series of the figure.

/// Returns true if the values ascend in powers of two, such as 16, 32, 128.
bool doubles(const std::set<double>& values) {
  if (values.size() < 2 || *values.begin() <= 0) return false;
  for (auto value = std::next(values.begin()); value != values.end(); ++value) {
    const double octaves = std::log2(*value / *std::prev(value));
    if (std::abs(octaves - std::round(octaves)) > 1e-6) return false;
  }
  return true;
}

FigureAxis number_axis(const std::set<double>& values) {
  FigureAxis axis;
  axis.tick_points = values.size() <= kMostTicks;
  const bool is_wide = *values.begin() > 0 && *values.rbegin() > kWideRange * *values.begin();
  axis.log_base = doubles(values) ? 2 : is_wide ? 10 : 0;
  for (auto value = std::next(values.begin()); value != values.end(); ++value) {
    axis.spacing = std::min(axis.spacing, *value - *std::prev(value));
  }
  return axis;
}

std::string x_title(const std::string& axis, const std::string& worker, const Names& among) {
  if (axis == kGpus) return worker + "s";
  if (axis == kGlobalBatch) return batch_axis().title;
  return axis_title(axis, worker, among);
}

/// Sets the x values of the points to their values on the axis, and returns the axis. Points whose
/// value is unknown are removed.
FigureAxis place_on_axis(const Frame& frame, std::vector<PlacedValue>& points,
                         const std::string& x) {
  std::erase_if(points, [&](const PlacedValue& point) { return value_of(point.place, x).empty(); });
  std::map<std::pair<std::vector<std::size_t>, std::string>, double> values;
  bool are_numbers = true;
  for (const PlacedValue& point : points) {
    const std::string value = value_of(point.place, x);
    const std::optional<double> number = base::number_of<double>(value);
    are_numbers = are_numbers && number.has_value();
    values[{rank_of(frame, {{x, value}}), value}] = number.value_or(0);
  }
  FigureAxis axis;
  std::map<std::string, double> at;
  std::set<double> numbers;
  for (const auto& [order, number] : values) {
    at[order.second] = are_numbers ? number : static_cast<double>(axis.words.size());
    numbers.insert(number);
    if (!are_numbers) axis.words.push_back(order.second);
  }
  if (are_numbers && !numbers.empty()) axis = number_axis(numbers);
  axis.id = x;
  axis.title = x_title(x, worker_noun(frame), place_axes(points));
  for (PlacedValue& point : points) point.x = point.order = at[value_of(point.place, x)];
  return axis;
}

FigureAxis trace_axis(std::vector<PlacedValue>& points, const std::string& x) {
  if (x != "time") {
    const std::string title = x == "step" ? "optimizer step" : x == "samples" ? "samples" : "epoch";
    return {x, x == "samples" ? "training samples" : title, 0, false, x == "epoch"};
  }
  double longest_s = 0;
  for (const PlacedValue& point : points) longest_s = std::max(longest_s, point.x);
  const auto [axis, unit_s] = time_axis("training time", longest_s);
  for (PlacedValue& point : points) point.x /= unit_s;
  return axis;
}

/// Curves of the figure by the study's order and the text of their key.
using Curves = std::map<std::pair<std::vector<std::size_t>, std::string>, std::vector<PlacedValue>>;

/// Returns the points by curve. Within a curve, points ascend by quantity and position. Throws
/// base::UsageError if two points have the same quantity and position.
Curves curves_of(const Frame& frame, const std::vector<PlacedValue>& points, const Names& axes,
                 const std::string& x) {
  Curves curves;
  for (const PlacedValue& point : points) {
    const CurveKey key = only(point.place, axes);
    curves[{rank_of(frame, key), to_string(key)}].push_back(point);
  }
  for (auto& [order, placed] : curves) {
    const auto position = [](const PlacedValue& point) {
      return std::pair(point.quantity, point.order);
    };
    std::stable_sort(placed.begin(), placed.end(), [&](const PlacedValue& a, const PlacedValue& b) {
      return position(a) < position(b);
    });
    for (std::size_t i = 1; i < placed.size(); ++i) {
      if (position(placed[i - 1]) == position(placed[i]) &&
          placed[i - 1].place != placed[i].place) {
        refuse_overlap(placed[i - 1], placed[i], x);
      }
    }
  }
  return curves;
}

/// Removes the curves whose points have a single x value, if another curve has several. Returns the
/// number of removed curves.
std::size_t drop_single_points(Curves& curves) {
  const auto is_single = [](const Curves::value_type& curve) {
    return std::all_of(curve.second.begin(), curve.second.end(),
                       [&](const PlacedValue& point) { return point.x == curve.second.front().x; });
  };
  if (std::all_of(curves.begin(), curves.end(), is_single)) return 0;
  return std::erase_if(curves, is_single);
}

/// Returns the text with the word for a worker of the runs instead of "GPU".
std::string for_worker(std::string text, const std::string& worker) {
  const std::size_t at = text.find("GPU");
  return at == text.npos ? text : text.replace(at, 3, worker);
}

std::string capitalised(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

/// Figure that is being drawn, with its quantities.
class QuantityFigure {
 public:
  QuantityFigure(const Frame& frame, std::vector<const Quantity*> drawn, bool is_trace)
      : frame_(frame), drawn_(std::move(drawn)), is_trace_(is_trace), worker_(worker_noun(frame)) {}

  Figure draw(const Curves& curves, const Names& axes, FigureAxis x) {
    figure_.x = std::move(x);
    figure_.marks = std::ranges::all_of(curves, [&](const Curves::value_type& curve) {
      return curve.second.size() <= kMostMarks * drawn_.size();
    });
    figure_.band = !figure_.marks;
    add_series(curves, axes);
    add_y_axis();
    figure_.title = title();
    figure_.notes = figure_notes(frame_);
    if (!figure_.x.words.empty()) figure_.lines = false;
    add_subtitle();
    return std::move(figure_);
  }

 private:
  std::string label(const Quantity& quantity) const { return for_worker(quantity.label, worker_); }

  void add_series(const Curves& curves, const Names& axes) {
    std::vector<CurveKey> keys;
    for (const auto& [order, points] : curves) keys.push_back(only(points.front().place, axes));
    Legend legend(keys, worker_);
    figure_.legend_title = legend.title();
    std::size_t number = 0;
    for (const auto& [order, points] : curves) {
      Series curve = legend.series(keys[number]);
      // Without marks, only colours and dashes distinguish the curves.
      if (!figure_.marks) curve.color = curve.mark = number;
      ++number;
      for (std::size_t j = 0; j < drawn_.size(); ++j) {
        Series series = drawn_.size() == 1 ? curve : of_quantity(curve, j, keys.size() == 1);
        for (const PlacedValue& point : points) {
          if (point.quantity != j) continue;
          repeats_.add(point.value.n);
          series.points.push_back({point.x, point.value.value, bounds_of(point.value.interval)});
        }
        if (!series.points.empty()) figure_.series.push_back(std::move(series));
      }
    }
  }

  /// Returns the series of quantity `j` on a curve. If the figure has one curve, colours show the
  /// quantities. Otherwise colours show the curves, and quantities differ in their marks, of which
  /// every second one is hollow with a dashed line.
  Series of_quantity(const Series& curve, std::size_t j, bool is_only) const {
    Series series = curve;
    const std::string name = label(*drawn_[j]);
    series.label = is_only ? name : curve.label + ", " + name;
    if (is_only) {
      series.color = series.mark = j;
    } else {
      series.mark = (curve.mark + j / 2) % kMarkShapes + (j % 2) * kMarkShapes;
    }
    return series;
  }

  std::string joined(const char* Quantity::*member) const {
    Names words;
    for (const Quantity* quantity : drawn_) {
      if (!contains(words, quantity->*member)) words.emplace_back(quantity->*member);
    }
    return for_worker(fmt::format("{}", fmt::join(words, ", ")), worker_);
  }

  void add_y_axis() {
    const std::string title = with_unit(joined(&Quantity::title), *drawn_.front());
    const bool one_id = std::ranges::all_of(drawn_, [&](const Quantity* quantity) {
      return std::string_view(quantity->id) == drawn_.front()->id;
    });
    const std::string unit = drawn_.front()->unit;
    const std::string id = one_id                                ? drawn_.front()->id
                           : unit == "%"                         ? "percent"
                           : unit.empty()                        ? "value"
                           : unit == "GB"                        ? "gb"
                           : unit == "ms"                        ? "time_ms"
                           : unit == "s"                         ? "time_s"
                           : drawn_.front()->measured != nullptr ? "value"
                                                                 : "samples_per_s";
    const auto [least, most] = y_span(figure_);
    const bool from_zero = std::ranges::all_of(drawn_, &Quantity::from_zero);
    figure_.y = from_zero ? value_axis(id, title, least, most) : FigureAxis{id, title};
  }

  std::string title() const {
    const std::string name = capitalised(joined(&Quantity::title));
    const Quantity& first = *drawn_.front();
    const bool is_clear = drawn_.size() > 1 || std::string_view(first.label) == first.title;
    const std::string x = figure_.x.title.substr(0, figure_.x.title.find(" ("));
    return fmt::format("{}{} by {} of {}", name, is_clear ? "" : " (" + label(first) + ")", x,
                       frame_.study);
  }

  void add_subtitle() {
    figure_.subtitle = fmt::format("{}; {}", short_mode(frame_),
                                   short_statistic(repeats_, figure_.band ? "band" : "bars"));
    Names notes;
    for (const Quantity* quantity : drawn_) {
      if (!is_trace_ && *quantity->note != '\0' && !contains(notes, quantity->note)) {
        notes.emplace_back(quantity->note);
        figure_.subtitle += "; " + notes.back();
      }
    }
  }

  const Frame& frame_;
  std::vector<const Quantity*> drawn_;
  bool is_trace_;  ///< true if x is one of trace_axes()
  std::string worker_;
  Figure figure_;
  Repeats repeats_;
};

/// Throws base::UsageError if the quantities have different units.
void require_one_unit(const std::vector<const Quantity*>& quantities) {
  const auto unit = [](const Quantity& one) {
    return *one.unit == '\0' ? std::string("no unit") : std::string(one.unit);
  };
  for (const Quantity* quantity : quantities) {
    const Quantity& first = *quantities.front();
    if (std::string_view(quantity->unit) == first.unit) continue;
    if (std::string_view(quantity->name) == first.name) {
      throw base::UsageError(fmt::format(
          "{}: the programs of the runs gave this quantity different units ({} and {}): select "
          "the runs of one program with --where or --run",
          first.name, unit(first), unit(*quantity)));
    }
    throw base::UsageError(fmt::format(
        "{} ({}) and {} ({}) cannot share an axis: draw quantities of different units in "
        "different figures",
        first.name, unit(first), quantity->name, unit(*quantity)));
  }
}

/// Returns the quantities with these names. Throws base::UsageError for an unknown name and for
/// quantities with different units.
std::vector<const Quantity*> find_quantities(const Names& names,
                                             const MeasuredQuantities& measured) {
  std::vector<const Quantity*> found;
  for (const std::string& name : names) {
    const std::vector<const Quantity*> named =
        MeasuredQuantities::is_measured(name) ? measured.named(name) : quantities_named(name);
    if (named.empty()) {
      throw base::UsageError(unknown_quantity("quantity", name, quantity_names()));
    }
    for (const Quantity* quantity : named) {
      if (std::ranges::find(found, quantity) == found.end()) found.push_back(quantity);
    }
  }
  require_one_unit(found);
  return found;
}

std::string default_axis(const std::vector<const Quantity*>& chosen) {
  const bool are_learnt = std::ranges::all_of(chosen, [](const Quantity* quantity) {
    return quantity->by_epoch != nullptr && !quantity->from_zero;
  });
  return are_learnt ? "epoch" : kGpus;
}

/// Throws base::UsageError if a quantity is not recorded over the course of the training.
void require_traces(const std::vector<const Quantity*>& drawn, const std::string& x,
                    const Names& axes) {
  Names traced;
  for (const Quantity& quantity : quantities()) {
    if (quantity.by_epoch != nullptr) traced.emplace_back(quantity.name);
  }
  for (const Quantity* quantity : drawn) {
    if (quantity->by_epoch != nullptr) continue;
    throw base::UsageError(fmt::format(
        "--x {}: {} has one value for each run; use an axis of the study ({}), or a quantity that "
        "is recorded by epoch ({})",
        x, quantity->name, fmt::join(axes, ", "), fmt::join(traced, ", ")));
  }
}

/// Returns the reason why the figure has no values of the quantity over the axis `x`.
std::string why_not_over(const Quantity& quantity, const std::string& x, bool is_trace,
                         const Frame& frame, const AnalysisOptions& options) {
  const bool has_values = is_trace ? !values_over_training(frame, quantity, "epoch").empty()
                                   : !values_at_points(frame, options, quantity).empty();
  if (!has_values) return why_no_values(quantity, frame, options);
  return is_trace ? fmt::format(
                        "the runs record {} by epoch, but not the {} of the epochs (use --x epoch)",
                        quantity.name,
                        x == "time"   ? "times"
                        : x == "step" ? "numbers of steps"
                                      : "numbers of samples")
                  : fmt::format("{} is unknown for the runs that record {} (choose another --x)", x,
                                quantity.name);
}

}  // namespace

std::string why_no_values(const Quantity& quantity, const Frame& frame,
                          const AnalysisOptions& options) {
  if (quantity.relative != nullptr) {
    const std::vector<std::string> problems = describe_problems(
        choose_baselines(scaling_curves(frame), options.baseline, options.allow_mixed));
    if (!problems.empty()) return problems.front();
  }
  return describe_lack(frame, quantity.name, quantity.needs);
}

const std::vector<std::string>& trace_axes() {
  static const std::vector<std::string> axes{"epoch", "step", "samples", "time"};
  return axes;
}

RunDetails needed_details(const QuantityChoice& choice) {
  RunDetails details;
  for (const std::string& name : choice.names) {
    for (const Quantity* quantity : quantities_named(name)) {
      details.window_losses = details.window_losses || uses_windows(*quantity, choice.x);
      details.peak_memory = details.peak_memory || std::string_view(quantity->name) == "memory";
    }
  }
  return details;
}

std::vector<std::string> study_axes(const Frame& frame) {
  Names names;
  for (const contract::Axis& axis : frame.axes) names.push_back(axis.name);
  for (const char* name : {kGpus, kNodes, kBatchPerGpu, kGlobalBatch}) {
    if (!contains(names, name)) names.emplace_back(name);
  }
  return names;
}

Figure quantity_figure(const Frame& frame, const AnalysisOptions& options,
                       const QuantityChoice& choice) {
  const MeasuredQuantities measured(frame);
  const std::vector<const Quantity*> chosen = find_quantities(choice.names, measured);
  const Names axes = study_axes(frame);
  Names horizontal = axes;
  horizontal.insert(horizontal.end(), trace_axes().begin(), trace_axes().end());
  const std::string x =
      choice.x.empty() ? default_axis(chosen) : find_axis(horizontal, choice.x, "--x");
  const bool is_trace = !contains(axes, x);
  if (is_trace) require_traces(chosen, x, axes);
  std::vector<const Quantity*> drawn;
  Names without;
  std::vector<PlacedValue> points;
  for (const Quantity* quantity : chosen) {
    std::vector<PlacedValue> own = is_trace ? values_over_training(frame, *quantity, x)
                                            : values_at_points(frame, options, *quantity);
    if (own.empty()) {
      without.push_back(fmt::format("{} (needs {})", quantity->name, quantity->needs));
      continue;
    }
    for (PlacedValue& point : own) {
      point.quantity = drawn.size();
      points.push_back(std::move(point));
    }
    drawn.push_back(quantity);
  }
  FigureAxis axis = is_trace ? trace_axis(points, x) : place_on_axis(frame, points, x);
  if (points.empty()) {
    Figure figure;
    Names reasons;
    for (const Quantity* quantity : chosen) {
      std::string why = why_not_over(*quantity, x, is_trace, frame, options);
      if (!contains(reasons, why)) reasons.push_back(std::move(why));
    }
    figure.notes = {fmt::format("{}; {}", fmt::join(reasons, "; "), describe_use(frame))};
    return figure;
  }
  Names by;
  for (const std::string& name : choice.by)
    by.push_back(find_axis(place_axes(points), name, "--by"));
  std::erase(by, x);
  const Names curve_axes = by.empty() ? varying_curve_axes(frame, points, x) : by;
  Curves curves = curves_of(frame, points, curve_axes, x);
  const std::size_t dropped = choice.by.empty() && !is_trace ? drop_single_points(curves) : 0;
  Figure figure = QuantityFigure(frame, drawn, is_trace).draw(curves, curve_axes, std::move(axis));
  if (dropped > 0) {
    figure.subtitle +=
        fmt::format("; {} left out (--by AXES shows them)",
                    base::count_of(static_cast<std::int64_t>(dropped), "curve of one point is",
                                   "curves of one point are"));
  }
  // The names of a group such as "loss" stand for all its quantities that the runs recorded.
  const bool are_explicit = choice.names.size() == chosen.size();
  if (are_explicit && !without.empty()) {
    figure.subtitle += fmt::format("; not recorded: {}", fmt::join(without, ", "));
  }
  return figure;
}

}  // namespace dlscale::analysis
