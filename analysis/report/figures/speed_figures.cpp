// SPDX-License-Identifier: Apache-2.0
// Draws the figures about speed: quantities such as throughput over the GPU count, and the parts of
// the step time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/scaling/knee.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/report/figures/figure_parts.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/figures/prediction_series.hpp"
#include "analysis/report/figures/quantity_figure.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/warnings.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Returns a baseline if the baselines of all curves have the same GPU count. Returns null
/// otherwise and if no curve has a baseline.
const Baseline* common_baseline(const std::vector<BaselineChoice>& choices) {
  const Baseline* common = nullptr;
  for (const BaselineChoice& choice : choices) {
    if (!choice.baseline) continue;
    if (common != nullptr && common->gpus() != choice.baseline->gpus()) return nullptr;
    common = &*choice.baseline;
  }
  return common;
}

/// Returns the line of ideal speed-ups at all x values of the series. The ideal speed-up is x
/// divided by the baseline's GPU count.
Series ideal_line(const std::vector<Series>& series, const Baseline& baseline) {
  Series ideal{"ideal", {}};
  for (const Series& one : series) {
    for (const FigurePoint& point : one.points) {
      ideal.points.push_back({point.x, point.x / baseline.gpus(), {}});
    }
  }
  return ideal;
}

/// Returns the series of a curve's predictions by scaling laws. `per_speedup` returns the factor
/// that converts a speed-up at a GPU count to the quantity of the figure.
Series law_series(const Series& measured, const std::vector<LawPrediction>& predictions,
                  double (*per_speedup)(double gpus, const Baseline& baseline),
                  const Baseline& baseline) {
  Series series{measured.label.empty() ? "laws" : measured.label + ", laws",
                {},
                measured.color,
                measured.mark,
                true};
  for (const LawPrediction& at : predictions) {
    const double unit = per_speedup(at.gpus, baseline);
    series.points.push_back({at.gpus, unit * at.speedup, Bounds{unit * at.low, unit * at.high}});
  }
  return series;
}

/// Adds a dashed line for each curve: the average of the scaling laws that were fitted to the
/// curve, at the measured GPU counts and beyond them. `per_speedup` returns the factor that
/// converts a speed-up to the quantity of the figure.
void add_laws(Figure& figure, const Drawing& drawing,
              double (*per_speedup)(double gpus, const Baseline& baseline)) {
  std::size_t number = 0;  // index of the measured series
  std::vector<Series> laws;
  for (std::size_t i = 0; i < drawing.curves.size(); ++i) {
    if (!drawing.choices[i].baseline) continue;
    const Series& measured = figure.series[number++];
    const Baseline& baseline = *drawing.choices[i].baseline;
    Series series = law_series(measured, predicted_speedups(drawing.curves[i], baseline),
                               per_speedup, baseline);
    if (!series.points.empty()) laws.push_back(std::move(series));
  }
  figure.notes.push_back(
      laws.empty()
          ? fmt::format("laws: no curve has {} points", kFewestForLaws)
          : "laws: average of the scaling laws fitted to the step times, up to 8 times the largest "
            "measured count; band: 95 % prediction interval of one more measurement");
  for (Series& series : laws) figure.series.push_back(std::move(series));
}

/// Quantity relative to the baseline of a curve (speed-up or efficiency), and how a figure shows
/// it.
struct Compared {
  FigureAxis y;
  bool band = false;
  Estimate (*of)(const CurvePoint& point, const Baseline& baseline);
  /// Function that returns the factor by which a speed-up is multiplied to get the quantity.
  double (*per_speedup)(double gpus, const Baseline& baseline);
};

Figure compared_figure(const Frame& frame, const AnalysisOptions& options, const Compared& shown) {
  Drawing drawing(frame, options);
  Figure figure;
  figure.x = gpu_axis(drawing.worker);
  figure.y = shown.y;
  figure.subtitle = fmt::format("baseline {}; {}; {}",
                                baseline_labels(drawing.choices, drawing.worker), short_mode(frame),
                                short_statistic(drawing.repeats, shown.band ? "band" : "bars"));
  figure.band = shown.band;
  figure.notes = figure_notes(frame);
  for (const std::string& problem : describe_problems(drawing.choices)) {
    figure.notes.push_back(problem);
  }
  figure.legend_title = drawing.legend.title();
  for (std::size_t i = 0; i < drawing.curves.size(); ++i) {
    if (!drawing.choices[i].baseline) continue;
    Series series = drawing.legend.series(drawing.curves[i].key);
    for (const CurvePoint& point : drawing.curves[i].points) {
      const Estimate value = shown.of(point, *drawing.choices[i].baseline);
      series.points.push_back({double(point.gpus), value.value, bounds_of(value.interval)});
    }
    figure.series.push_back(std::move(series));
  }
  if (options.laws) add_laws(figure, drawing, shown.per_speedup);
  const Baseline* common = common_baseline(drawing.choices);
  if (common != nullptr) figure.ideal = ideal_line(figure.series, *common);
  return figure;
}

/// Returns a figure of a quantity over GPU counts, with one line for each curve. `value` returns
/// the estimate of the quantity at a point, or an empty value if the point has none.
template <class Value>
Figure curve_figure(const Frame& frame, const AnalysisOptions& options, FigureAxis y, Value value) {
  Drawing drawing(frame, options);
  Figure figure;
  figure.subtitle = fmt::format("{}; {}", short_mode(frame), short_statistic(drawing.repeats));
  figure.notes = figure_notes(frame);
  figure.x = gpu_axis(drawing.worker);
  figure.legend_title = drawing.legend.title();
  for (const ScalingCurve& curve : drawing.curves) {
    Series series = drawing.legend.series(curve.key);
    for (const CurvePoint& point : curve.points) {
      const std::optional<Estimate> estimate = value(point);
      if (!estimate) continue;
      series.points.push_back({double(point.gpus), estimate->value, bounds_of(estimate->interval)});
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  const auto [least, most] = y_span(figure);
  figure.y = value_axis(y.id, y.title, least, most);
  return figure;
}

/// Returns the median and its interval over the repeats for which `value` returns a number. Returns
/// an empty value if there are no such repeats.
template <class Value>
std::optional<Estimate> estimate_of(const CurvePoint& point, Value value) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) {
    if (const std::optional<double> one = value(*run)) values.push_back(*one);
  }
  if (values.empty()) return std::nullopt;
  return Estimate{median(values), interval_of_median(values), values.size()};
}

/// Adds the series of `validation`, which show the same curves as the series of the figure. They
/// have the same colours, hollow marks and dashed lines.
void add_validation(Figure& figure, Figure validation) {
  if (validation.series.empty()) return;
  const auto name = [](Series& series, const std::string& label) {
    series.label = series.label == "measured" ? label : series.label + ", " + label;
  };
  for (Series& series : figure.series) name(series, "training");
  for (Series& series : validation.series) {
    name(series, "validation");
    series.mark = kMarkShapes + series.mark % kMarkShapes;
    figure.series.push_back(std::move(series));
  }
  const auto [least, most] = y_span(figure);
  figure.y = value_axis(figure.y.id, figure.y.title, least, most);
}

}  // namespace

Figure speedup_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure = compared_figure(
      frame, options,
      {{"speedup", "speed-up", 2}, false, &speedup, [](double, const Baseline&) { return 1.0; }});
  figure.title = fmt::format("Speed-up of {}", frame.study);
  add_predicted(figure, frame, options, PredictedCurve::speedup);
  return figure;
}

Figure efficiency_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure = compared_figure(
      frame, options,
      {{"efficiency", "parallel efficiency", 0, true},
       true,
       &efficiency,
       [](double gpus, const Baseline& baseline) { return baseline.gpus() / gpus; }});
  figure.title = fmt::format("Parallel efficiency of {}", frame.study);
  if (figure.ideal) {
    for (FigurePoint& point : figure.ideal->points) point.y = 1;
  }
  add_predicted(figure, frame, options, PredictedCurve::efficiency);
  return figure;
}

Figure throughput_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure =
      curve_figure(frame, options, {"throughput_samples_per_s", "throughput (samples/s)"},
                   [](const CurvePoint& point) { return std::optional(throughput(point)); });
  figure.title = fmt::format("Throughput of {}", frame.study);
  add_predicted(figure, frame, options, PredictedCurve::throughput);
  return figure;
}

Figure throughput_per_gpu_figure(const Frame& frame, const AnalysisOptions& options) {
  const std::string worker = worker_noun(frame);
  Figure figure = curve_figure(
      frame, options,
      {"throughput_per_gpu_samples_per_s", fmt::format("throughput per {} (samples/s)", worker)},
      [](const CurvePoint& point) {
        Estimate each = throughput(point);
        each.value /= point.gpus;
        each.interval.low /= point.gpus;
        each.interval.high /= point.gpus;
        return std::optional(each);
      });
  figure.title = fmt::format("Throughput per {} of {}", worker, frame.study);
  add_predicted(figure, frame, options, PredictedCurve::throughput_per_gpu);
  return figure;
}

Figure epoch_time_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure =
      curve_figure(frame, options, {"epoch_time_s", "time per epoch (s)"},
                   [](const CurvePoint& point) { return estimate_of(point, &epoch_time_s); });
  const Quantity* validation = quantities_named("validation-time").front();
  add_validation(figure, curve_figure(frame, options, figure.y, [&](const CurvePoint& point) {
                   return estimate_of(point, validation->of_run);
                 }));
  figure.title = fmt::format("Time per epoch of {}", frame.study);
  figure.subtitle += "; training excludes the first epoch";
  add_predicted(figure, frame, options, PredictedCurve::epoch_time);
  return figure;
}

Figure inference_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure =
      quantity_figure(frame, options, {.names = {"inference"}, .x = "batch_per_gpu", .by = {}});
  figure.title = fmt::format("Latency of inference of {}", frame.study);
  return figure;
}

Figure inference_throughput_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure = quantity_figure(
      frame, options, {.names = {"inference-throughput"}, .x = "batch_per_gpu", .by = {}});
  figure.title = fmt::format("Throughput of inference of {}", frame.study);
  return figure;
}

Figure transfer_figure(const Frame& frame, const AnalysisOptions& options) {
  constexpr double kGiga = 1e-9;
  const auto sent = [](const RunRow& run) {
    std::optional<double> bytes = payload_per_epoch(run);
    if (bytes) *bytes *= kGiga;
    return bytes;
  };
  const std::string worker = worker_noun(frame);
  Figure figure = curve_figure(
      frame, options, {"payload_gb_per_epoch", fmt::format("sent per {} and epoch (GB)", worker)},
      [&](const CurvePoint& point) { return estimate_of(point, sent); });
  figure.title = fmt::format("Data sent by {} in an epoch", frame.study);
  figure.subtitle += "; counted payload of collectives";
  return figure;
}

Figure overlap_figure(const Frame& frame, const AnalysisOptions& options) {
  constexpr auto kExposed = static_cast<std::size_t>(contract::StepPart::exposed_comm);
  const auto hidden = [](const RunRow& run) -> std::optional<double> {
    if (run.gpus < 2 || !(run.steps.comm_busy_s > 0)) return std::nullopt;
    return 100 * std::max(0.0, 1 - run.steps.parts_s[kExposed] / run.steps.comm_busy_s);
  };
  Figure figure = curve_figure(frame, options, {"overlap_percent", "communication hidden (%)"},
                               [&](const CurvePoint& point) { return estimate_of(point, hidden); });
  figure.y.log_base = 0;
  figure.y.from_zero = true;
  figure.title = fmt::format("Overlap of communication in {}", frame.study);
  figure.subtitle += "; 1 - exposed communication / time with collectives in progress";
  return figure;
}

Figure load_share_figure(const Frame& frame, const AnalysisOptions& options) {
  const auto waiting = [](const RunRow& run) -> std::optional<double> {
    const auto& parts = run.steps.parts_s;
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    if (!(sum > 0) || !tells(run, contract::StepPart::load_wait)) return std::nullopt;
    return 100 * parts[static_cast<std::size_t>(contract::StepPart::load_wait)] / sum;
  };
  Figure figure =
      curve_figure(frame, options, {"load_share_percent", "waiting for data (% of step time)"},
                   [&](const CurvePoint& point) { return estimate_of(point, waiting); });
  figure.y.log_base = 0;
  figure.y.from_zero = true;
  figure.title = fmt::format("Waiting for data in {}", frame.study);
  return figure;
}

Figure breakdown_figure(const Frame& frame, const AnalysisOptions& options) {
  const Drawing drawing(frame, options);
  Figure figure;
  figure.title = fmt::format("Breakdown of the step time in {}", frame.study);
  figure.subtitle = fmt::format("mean over ranks and repeats ({}); {}",
                                repeats_words(drawing.repeats), short_mode(frame));
  figure.notes = figure_notes(frame);
  figure.x = {"run", ""};
  figure.y = {"ms", "time per step (ms)", 0, true};
  const std::vector<std::string> axes = varying_axes(keys_of(drawing.curves));
  std::vector<Breakdown> bars = breakdowns(drawing.curves);
  std::erase_if(bars, [](const Breakdown& bar) { return !bar.tells_steps; });
  std::vector<std::size_t> reported;  // parts of a step that were measured for at least one bar
  for (std::size_t part = 0; part < contract::kStepParts; ++part) {
    if (std::none_of(bars.begin(), bars.end(),
                     [&](const Breakdown& bar) { return bar.reported[part]; })) {
      continue;
    }
    reported.push_back(part);
    figure.series.push_back({contract::kStepPartNames[part], {}, part, part});
  }
  if (const std::string text = describe_untold_parts(bars); !text.empty()) {
    figure.notes.push_back(text);
  }
  for (const Breakdown& breakdown : bars) {
    std::string label;
    for (const std::string& axis : axes) label += value_of(breakdown.key, axis) + ", ";
    figure.categories.push_back(label + base::count_of(breakdown.gpus, drawing.worker));
    for (std::size_t i = 0; i < reported.size(); ++i) {
      double ms = 1000 * breakdown.share[reported[i]] * breakdown.closure * breakdown.step_time_s;
      if (!breakdown.reported[reported[i]]) ms = std::nan("");
      figure.series[i].points.push_back({0, ms, {}});
    }
  }
  if (figure.categories.empty()) figure.series.clear();
  return figure;
}

}  // namespace dlscale::analysis
