// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/predicted_value.hpp"

#include <optional>
#include <string_view>

#include "analysis/publications/axes.hpp"

namespace dlscale::analysis {
namespace {

using contract::PredictedValue;
using contract::RunPrediction;

Interval range_of(double low, double high) {
  return {Interval::Kind::Range, low, high};
}

std::optional<Estimate> as_estimate(const PredictedValue& value, double factor = 1) {
  if (value.value <= 0) return std::nullopt;
  return Estimate{value.value * factor, range_of(value.low * factor, value.high * factor), 1};
}

std::optional<Estimate> throughput(const Question& question) {
  const std::string& statistic = question.published.statistic;
  const Definition* definition = question.publication.definition("throughput");
  const bool by_definition = definition != nullptr && statistic == definition->statistic;
  if (!statistic.empty() && statistic != "median" && !by_definition) return std::nullopt;
  return as_estimate(question.own.prediction->samples_per_s);
}

std::optional<Estimate> step_time(const Question& question) {
  return as_estimate(question.own.prediction->step_s);
}

std::optional<Estimate> epoch_time(const Question& question) {
  return as_estimate(question.own.prediction->epoch_s);
}

std::optional<Estimate> runtime(const Question& question) {
  const auto epochs = AxisCell(question.published.axis("epochs")).number();
  if (!epochs) return std::nullopt;
  return as_estimate(question.own.prediction->epoch_s, *epochs);
}

/// Returns the predicted speed-up. The range follows from the range of the efficiency if the
/// predicted curve begins at `start`, because the efficiency is relative to this beginning.
std::optional<Estimate> speedup(const OwnPoint& start, const OwnPoint& own) {
  const RunPrediction &from = *start.prediction, &to = *own.prediction;
  if (from.samples_per_s.value <= 0 || to.samples_per_s.value <= 0) return std::nullopt;
  Estimate faster{to.samples_per_s.value / from.samples_per_s.value, {}, 1};
  const bool at_beginning = from.efficiency.value == 1 && to.efficiency.value > 0;
  if (at_beginning) {
    const double scale = faster.value / to.efficiency.value;
    faster.interval = range_of(to.efficiency.low * scale, to.efficiency.high * scale);
  }
  return faster;
}

std::optional<Estimate> ratio(const Question& question) {
  const OwnPoint* start = start_of_series(question);
  if (start == nullptr || start->measured()) return std::nullopt;
  const auto faster = speedup(*start, question.own);
  if (!faster || question.published.quantity != "efficiency") return faster;
  const Definition* definition = question.publication.definition("efficiency");
  const Definition usual{.formula = "speedup * gpus0 / gpus"};
  const bool defined =
      definition != nullptr && !(definition->formula + definition->reading).empty();
  return efficiency_by_definition(defined ? *definition : usual, *faster, *start, question.own);
}

/// Returns the share of a part in the predicted kernel time of a step, which is the time of
/// communication and computation. Kernels of loading are not predicted.
std::optional<Estimate> kernel_share(const Question& question, double RunPrediction::*part) {
  const RunPrediction& prediction = *question.own.prediction;
  const double kernels = prediction.communication_s + prediction.computation_s;
  if (prediction.main_kernels_s <= 0) return std::nullopt;
  return Estimate{prediction.*part / kernels, {}, 1};
}

std::optional<Estimate> communication_share(const Question& question) {
  return kernel_share(question, &RunPrediction::communication_s);
}

std::optional<Estimate> computation_share(const Question& question) {
  return kernel_share(question, &RunPrediction::main_kernels_s);
}

std::optional<Estimate> loading(const Question& question) {
  const double loading_s = question.own.prediction->loading_s;
  if (loading_s <= 0) return std::nullopt;
  return Estimate{loading_s, {}, 1};
}

/// Returns the predicted time of a step without loading. A step whose loading was not predicted
/// contains no loading.
std::optional<Estimate> compute(const Question& question) {
  const RunPrediction& prediction = *question.own.prediction;
  if (prediction.step_s.value <= 0) return std::nullopt;
  return Estimate{prediction.step_s.value - prediction.loading_s, {}, 1};
}

/// Returns the communication that computation does not hide, as records of runs measure it.
std::optional<Estimate> communication_time(const Question& question) {
  const double exposed_s = question.own.prediction->exposed_communication_s;
  if (exposed_s <= 0) return std::nullopt;
  return Estimate{exposed_s, {}, 1};
}

std::optional<Estimate> trainable_parameters(const Question& question) {
  const std::int64_t parameters = question.own.size.trainable_parameters;
  if (parameters <= 0) return std::nullopt;
  return Estimate{static_cast<double>(parameters), {}, 1};
}

std::optional<Estimate> transferred(const Question& question) {
  return computed_value(question).estimate;
}

struct PredictedQuantityOf {
  std::string_view name;
  std::optional<Estimate> (*predict)(const Question& question);
  const char* missing;  ///< reason for a missing value, as a part of a sentence
};

constexpr const char* kNoBaseline = "no point at the baseline of the publication was predicted";
constexpr const char* kNoStep = "the prediction contains no step time";
constexpr const char* kNoEpoch =
    "the prediction contains no epoch time, or the publication does not state the number of epochs";
constexpr const char* kNoKernels = "the prediction contains no kernel times";
constexpr const char* kNoSizes = "the prediction contains no sizes of the model and data set";

constexpr PredictedQuantityOf kPredictedQuantities[] = {
    {"efficiency", &ratio, kNoBaseline},
    {"speedup", &ratio, kNoBaseline},
    {"throughput", &throughput, "predictions contain no statistic of repeats except the median"},
    {"step_time", &step_time, kNoStep},
    {"mean_loading", &loading,
     "the prediction contains no loading, because no calibration with measured loading was given"},
    {"mean_compute", &compute, kNoStep},
    {"communication_time", &communication_time, "the prediction contains no exposed communication"},
    {"epoch_time", &epoch_time, "the prediction contains no epoch time"},
    {"train_time", &epoch_time, "the prediction contains no epoch time"},
    {"runtime", &runtime, kNoEpoch},
    {"training_time", &runtime, kNoEpoch},
    {"allreduce", &communication_share, kNoKernels},
    {"cudnn", &computation_share, kNoKernels},
    {"trainable_parameters", &trainable_parameters, kNoSizes},
    {"transfer", &transferred, kNoSizes},
    {"ring_transfer", &transferred, kNoSizes},
};

const PredictedQuantityOf* predicted_quantity_of(const Published& published) {
  for (const PredictedQuantityOf& quantity : kPredictedQuantities) {
    if (quantity.name == published.quantity) return &quantity;
  }
  return nullptr;
}

}  // namespace

OwnValue predicted_value(const Question& question) {
  const PredictedQuantityOf* quantity = predicted_quantity_of(question.published);
  if (quantity == nullptr) return {std::nullopt, "predictions do not contain this quantity"};
  const auto estimate = quantity->predict(question);
  if (estimate) return {estimate, ""};
  const bool is_alone = quantity->predict == &communication_time && question.own.gpus == 1;
  return {std::nullopt, is_alone ? "a single rank does not communicate" : quantity->missing};
}

OwnValue own_value(const Question& question) {
  if (question.own.measured()) return measured_value(question);
  return question.own.predicted() ? predicted_value(question) : computed_value(question);
}

}  // namespace dlscale::analysis
