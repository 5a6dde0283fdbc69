// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/model_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/metrics/prediction_score.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/publications/axes.hpp"
#include "base/text.hpp"
#include "predict/all_reduce_fit.hpp"
#include "predict/layer_estimates.hpp"

namespace dlscale::analysis {
namespace {

using contract::AllReduceFit;
using contract::AllReduceTime;
using contract::Calibration;

constexpr const char* kCalibration = "calibration";
constexpr const char* kNoCalibration = "needs a calibration (--calibration FILE)";

ModelValue missing(std::string why, const char* source = kCalibration) {
  return {{std::nullopt, std::move(why)}, "", source};
}

ModelValue found(double value, std::size_t n, std::string point,
                 const char* source = kCalibration) {
  return {{Estimate{value, {}, n}, ""}, std::move(point), source};
}

/// Returns the mean of the values, or the largest value for a published upper bound.
double summary(const std::vector<double>& values, const Published& published) {
  if (published.relation.starts_with('<')) return *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

bool is_weighted(const Published& published) {
  return published.quantity == "weighted_relative_error";
}

/// Returns true if the cell of the axis is empty or covers the value.
bool agrees(const Published& published, const std::string& axis, const std::string& value) {
  return AxisCell(published.axis(axis)).meets(AxisCell(value));
}

ModelValue kernel_error(const Published& published, const Calibration& calibration) {
  std::vector<double> errors;
  for (const contract::KernelModel& model : calibration.kernel_models) {
    if (!agrees(published, "kernel", model.kernel)) continue;
    errors.push_back(is_weighted(published) ? model.weighted_relative_error : model.relative_error);
  }
  if (errors.empty()) return missing("the calibration has no learned model of these kernels");
  return found(summary(errors, published), errors.size(),
               base::count_of(static_cast<std::int64_t>(errors.size()), "kernel model"));
}

/// Returns the fit that covers a message of a placement, or null.
const AllReduceFit* fit_of(const Calibration& calibration, const AllReduceTime& time) {
  for (const AllReduceFit& fit : calibration.all_reduce_fits) {
    const bool same = fit.topology == time.topology && fit.nodes == time.nodes &&
                      fit.gpus == time.gpus && fit.least_bytes <= time.bytes &&
                      time.bytes <= fit.most_bytes;
    if (same) return &fit;
  }
  return nullptr;
}

ModelValue all_reduce_error(const Published& published, const Calibration& calibration) {
  std::vector<double> errors;
  for (const AllReduceTime& time : calibration.all_reduce) {
    const bool wanted = agrees(published, "gpus", std::to_string(time.gpus)) &&
                        agrees(published, "bytes", std::to_string(time.bytes));
    const AllReduceFit* fit = wanted ? fit_of(calibration, time) : nullptr;
    if (fit == nullptr || time.seconds <= 0) continue;
    const double ranks = time.gpus;
    const double fitted =
        2 * (ranks - 1) * fit->latency_s.value +
        2 * (ranks - 1) / ranks * static_cast<double>(time.bytes) * fit->seconds_per_byte.value;
    errors.push_back(std::abs(fitted / time.seconds - 1));
  }
  if (errors.empty()) {
    return missing("the calibration has no fitted all-reduces of these counts and sizes");
  }
  double sum = 0;  // of all errors, because the publication states a bound of their mean
  for (const double error : errors) sum += error;
  return found(sum / static_cast<double>(errors.size()), errors.size(),
               base::count_of(static_cast<std::int64_t>(errors.size()), "measured all-reduce"));
}

ModelValue all_reduce_time(const Published& published, const Calibration& calibration) {
  const auto bytes = AxisCell(published.axis("bytes")).number();
  const auto gpus = AxisCell(published.axis("gpus")).number();
  if (!bytes || !gpus)
    return missing("the publication does not state both the message size and the number of GPUs");
  std::int64_t least = 0, most = 0;
  const AllReduceTime* one = nullptr;
  for (const AllReduceTime& time : calibration.all_reduce) {
    if (time.gpus != *gpus) continue;
    const bool other =
        one != nullptr && (one->nodes != time.nodes || one->topology != time.topology);
    if (other) continue;
    least = one == nullptr ? time.bytes : std::min(least, time.bytes);
    most = one == nullptr ? time.bytes : std::max(most, time.bytes);
    one = &time;
  }
  if (one == nullptr) {
    return missing(fmt::format("the calibration has no all-reduces of {:.0f} ranks", *gpus));
  }
  const bool inside = static_cast<double>(least) <= *bytes && *bytes <= static_cast<double>(most);
  if (!inside) {
    return missing(fmt::format(
        "the calibration has all-reduces of {} to {} bytes, and times are not extrapolated", least,
        most));
  }
  const predict::AllReduceEstimate estimate =
      predict::AllReduceTable(calibration.all_reduce)
          .estimate(one->topology, {one->nodes, one->gpus}, predict::Bytes{*bytes});
  const double time = estimate.time.value, spread = std::max(0.0, estimate.relative_error);
  ModelValue value = found(
      time, 1,
      fmt::format("{}, {}, {:.0f} bytes", base::count_of(static_cast<std::int64_t>(*gpus), "rank"),
                  base::count_of(one->nodes, "node"), *bytes));
  value.value.estimate->interval = {Interval::Kind::Range, time * (1 - spread),
                                    time * (1 + spread)};
  return value;
}

/// Returns the latency that was fitted to the smallest messages on most ranks, or the bandwidth
/// that was fitted to the largest messages on most ranks. The latency is a small part of the time
/// of a large message, so the fit to large messages does not determine it.
ModelValue calibrated_link(const Published& published, const Calibration& calibration) {
  const bool latency = published.quantity == "calibrated_latency";
  const AllReduceFit* best = nullptr;
  for (const AllReduceFit& fit : calibration.all_reduce_fits) {
    const bool fits_better = best != nullptr && (latency ? fit.least_bytes < best->least_bytes
                                                         : fit.most_bytes > best->most_bytes);
    const bool better =
        best == nullptr || fit.gpus > best->gpus || (fit.gpus == best->gpus && fits_better);
    if (better) best = &fit;
  }
  if (best == nullptr) return missing("the calibration has no fitted all-reduces");
  const contract::FittedValue& fit = latency ? best->latency_s : best->seconds_per_byte;
  if (fit.value <= 0) return missing("the fit of the calibration gives no value above 0");
  ModelValue value =
      found(latency ? fit.value : 1 / fit.value, static_cast<std::size_t>(best->points),
            fmt::format("{}, {}, {} to {} bytes", base::count_of(best->gpus, "rank"),
                        base::count_of(best->nodes, "node"), best->least_bytes, best->most_bytes));
  if (fit.low > 0 && fit.high > 0) {
    value.value.estimate->interval = {Interval::Kind::Confidence95,
                                      latency ? fit.low : 1 / fit.high,
                                      latency ? fit.high : 1 / fit.low};
  }
  return value;
}

/// Returns the stages of a step that a published error is about: one stage, or all stages.
std::vector<predict::Stage> stages_of(const Published& published) {
  std::vector<predict::Stage> stages;
  for (const predict::Stage stage : predict::kStages) {
    if (agrees(published, "stage", predict::to_string(stage))) stages.push_back(stage);
  }
  return stages;
}

/// Returns the absolute errors of all layers with an estimate in these stages.
std::vector<double> absolute_errors(const predict::LayerEstimates& estimates,
                                    const std::vector<predict::Stage>& stages) {
  std::vector<double> errors;
  for (const predict::LayerEstimate& layer : estimates.layers) {
    for (const predict::Stage stage : stages) {
      if (const auto error = layer.at(stage).error()) errors.push_back(std::abs(*error));
    }
  }
  return errors;
}

/// Returns the error for one measured step, as the publication defines it. The error of the whole
/// step is the error of the sum of its layers. The unweighted error of single layers is the median
/// of their absolute errors, because the publication states a range that holds for most layers.
double layer_error_of(const Published& published, const predict::LayerEstimates& estimates,
                      const predict::StageErrors& errors) {
  if (is_weighted(published)) return errors.weighted;
  if (published.axis("estimate") == "step") return std::abs(errors.of_total());
  return median(absolute_errors(estimates, stages_of(published)));
}

/// Returns the mean published error over the measured steps of the model and the batch.
ModelValue layer_error(const Published& published, const Calibration& calibration) {
  std::string reason = "the calibration has no layers of this model and batch";
  std::vector<double> errors;
  int layers = 0;
  for (const contract::StepLayers& step : calibration.layers) {
    if (!agrees(published, "model", step.model)) continue;
    if (!agrees(published, "batch_per_gpu", std::to_string(step.batch))) continue;
    const auto estimates = predict::estimate_layers(step, calibration.kernel_models);
    const auto found = predict::errors_of(estimates, stages_of(published));
    if (!found || found->covered < predict::kLeastCovered) {
      reason = fmt::format(
          "the kernel models estimate {:.0f} % of the measured time, and {:.0f} % are needed",
          found ? 100 * found->covered : 0, 100 * predict::kLeastCovered);
      continue;
    }
    errors.push_back(layer_error_of(published, estimates, *found));
    layers += found->layers;
  }
  if (errors.empty()) return missing(reason);
  return found(mean(errors), static_cast<std::size_t>(layers),
               base::count_of(layers, "measured layer"));
}

ModelValue step_error(const Published& published, const ModelData& data) {
  constexpr const char* kSource = "prediction";
  if (std::ranges::all_of(data.frames,
                          [](const Frame* frame) { return frame->predictions.empty(); })) {
    if (data.calibration != nullptr) return layer_error(published, *data.calibration);
    return missing("needs saved predictions of measured runs (--predicted)", kSource);
  }
  const PredictedQuantity& step = predicted_quantities().front();
  double errors = 0, differences = 0, times = 0;
  std::size_t n = 0;
  for (const Frame* frame : data.frames) {
    for (const ScoredValue& scored : score(*frame, step)) {
      std::map<std::string, std::string> axes = scored.run->conditions;
      axes["batch_per_gpu"] = std::to_string(scored.run->batch_per_gpu);
      if (!agrees(published, "model", axes["model"])) continue;
      if (!agrees(published, "batch_per_gpu", axes["batch_per_gpu"])) continue;
      errors += std::abs(scored.error());
      differences += std::abs(scored.said.value - scored.measured);
      times += scored.measured;
      ++n;
    }
  }
  if (n == 0 && data.calibration != nullptr) return layer_error(published, *data.calibration);
  if (n == 0) return missing("no run of this model and batch has a saved prediction", kSource);
  const double value =
      is_weighted(published) ? differences / times : errors / static_cast<double>(n);
  return found(value, n, base::count_of(static_cast<std::int64_t>(n), "predicted point"), kSource);
}

}  // namespace

bool is_about_models(const Published& published) {
  const std::string& quantity = published.quantity;
  return quantity == "relative_error" || is_weighted(published) || quantity == "allreduce_time" ||
         quantity == "calibrated_latency" || quantity == "calibrated_bandwidth";
}

ModelValue model_value(const Published& published, const ModelData& data) {
  const std::string estimate = published.axis("estimate");
  const bool is_error = published.quantity == "relative_error" || is_weighted(published);
  if (is_error && estimate == "step") return step_error(published, data);
  if (data.calibration == nullptr) return missing(kNoCalibration);
  if (published.quantity == "allreduce_time") return all_reduce_time(published, *data.calibration);
  if (!is_error) return calibrated_link(published, *data.calibration);
  if (estimate == "layer") return layer_error(published, *data.calibration);
  return estimate == "kernel" ? kernel_error(published, *data.calibration)
                              : all_reduce_error(published, *data.calibration);
}

}  // namespace dlscale::analysis
