// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/quantities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/import/mapped/measure.hpp"
#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepPart;
using Value = std::optional<double>;

constexpr const char* kTimed = "a completed run with timed steps";
constexpr const char* kPartOfStep = "a completed run that recorded this part of its steps";
constexpr const char* kEpochs = "a completed run that recorded its epochs";
constexpr const char* kEvaluated = "a completed run that was evaluated";
constexpr const char* kClassified = "a completed classification run that was evaluated";
constexpr const char* kInference = "a completed run with mode = \"inference\"";
constexpr const char* kSplitInference =
    "a completed run of inference whose passes exchange data between devices or ranks";
constexpr const char* kSize =
    "a completed training that records its trainable parameters and steps per epoch";

constexpr const char* kProfiled = "a completed run with profile = true";
constexpr const char* kOfStep = "share of the step time";
constexpr const char* kOfKernels = "share of the kernel time";

constexpr double kToMilli = 1e3;
constexpr double kToPercent = 100;
constexpr double kToGiga = 1e-9;

bool has_step_time(const RunRow& run) {
  return has_throughput(run) && run.steps.tells_steps;
}

Value per_sample(const RunRow& run) {
  return has_throughput(run) ? Value(seconds_per_sample(run)) : std::nullopt;
}

Value per_sample_of_gpu(const RunRow& run) {
  return has_throughput(run) ? Value(seconds_per_sample(run) * run.gpus) : std::nullopt;
}

Value time_of_step(const RunRow& run) {
  return has_step_time(run) ? Value(step_time_s(run)) : std::nullopt;
}

/// Returns the time of a part in a step, as a mean over the ranks.
template <StepPart part>
Value part_of_step(const RunRow& run) {
  if (!has_step_time(run) || !tells(run, part)) return std::nullopt;
  return run.steps.parts_s[static_cast<std::size_t>(part)] / static_cast<double>(run.steps.steps);
}

Value compute_of_step(const RunRow& run) {
  const Value forward = part_of_step<StepPart::forward>(run);
  const Value backward = part_of_step<StepPart::backward>(run);
  return forward && backward ? Value(*forward + *backward) : std::nullopt;
}

Value rest_of_step(const RunRow& run) {
  const Value load = part_of_step<StepPart::load_wait>(run);
  if (!load) return std::nullopt;
  const auto& parts = run.steps.parts_s;
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  return sum / static_cast<double>(run.steps.steps) - *load;
}

Value communication_in_progress(const RunRow& run) {
  if (!has_step_time(run) || !(run.steps.comm_busy_s > 0)) return std::nullopt;
  return run.steps.comm_busy_s / static_cast<double>(run.steps.steps);
}

template <StepPart part>
Value share_of_step(const RunRow& run) {
  const Value seconds = part_of_step<part>(run);
  return seconds ? Value(*seconds / step_time_s(run)) : std::nullopt;
}

Value load_of_epoch(const RunRow& run) {
  const Value load = part_of_step<StepPart::load_wait>(run);
  if (!load || run.size.steps_per_epoch <= 0) return std::nullopt;
  return *load * static_cast<double>(run.size.steps_per_epoch);
}

Value time_of_epoch(const RunRow& run) {
  return completed(run) ? epoch_time_s(run) : std::nullopt;
}

Value last_accuracy(const RunRow& run) {
  return has_accuracy(run) ? Value(final_accuracy(run)) : std::nullopt;
}

Value highest_accuracy(const RunRow& run) {
  return has_accuracy(run) ? Value(best_accuracy(run)) : std::nullopt;
}

Value last_train_loss(const RunRow& run) {
  return completed(run) && !run.epochs.empty() ? Value(run.epochs.back().train_loss) : std::nullopt;
}

Value last_validation_loss(const RunRow& run) {
  return completed(run) && !run.evals.empty() ? Value(run.evals.back().loss) : std::nullopt;
}

Value published_bytes(const RunRow& run) {
  const WorkSize& size = run.size;
  const bool is_known =
      has_throughput(run) && size.trainable_parameters > 0 && size.train_samples > 0;
  if (!is_known || size.steps_per_epoch <= 0 || run.global_batch <= 0) return std::nullopt;
  return kFp32Bytes * published_values_per_epoch(static_cast<double>(size.train_samples),
                                                 static_cast<double>(run.global_batch),
                                                 static_cast<double>(size.trainable_parameters));
}

Value ring_bytes(const RunRow& run) {
  const bool is_known = run.size.trainable_parameters > 0 && run.size.steps_per_epoch > 0;
  return has_throughput(run) && is_known ? ring_bytes_of_epoch(run) : std::nullopt;
}

Value counted_bytes(const RunRow& run) {
  return has_throughput(run) ? payload_per_epoch(run) : std::nullopt;
}

Value trainable_parameters(const RunRow& run) {
  if (!completed(run) || run.size.trainable_parameters <= 0) return std::nullopt;
  return static_cast<double>(run.size.trainable_parameters);
}

Value last_train_accuracy(const RunRow& run) {
  return completed(run) && !run.epochs.empty() ? run.epochs.back().train_accuracy : std::nullopt;
}

/// Returns the median time of the evaluations whose time was recorded.
Value time_of_evaluation(const RunRow& run) {
  std::vector<double> times;
  for (const EvalRow& eval : run.evals) {
    if (eval.wall_s > 0) times.push_back(eval.wall_s);
  }
  return completed(run) && !times.empty() ? Value(median(times)) : std::nullopt;
}

Value peak_memory(const RunRow& run) {
  return completed(run) ? run.peak_memory_bytes : std::nullopt;
}

template <double KernelShares::*member>
Value kernel_share(const RunRow& run) {
  if (!completed(run)) return std::nullopt;
  const auto shares = kernel_shares({&run});
  return shares ? Value((*shares).*member) : std::nullopt;
}

std::int64_t last_step(const RunRow& run, int epoch) {
  return run.size.steps_per_epoch * (epoch + 1);
}

/// Returns the values of `value` for the recorded epochs of a completed run. Epochs without a value
/// are left out.
template <class Rows, class RowValue>
std::vector<TracePoint> by_rows(const RunRow& run, const Rows& rows, RowValue value) {
  std::vector<TracePoint> points;
  if (!completed(run)) return points;
  for (const auto& row : rows) {
    const double one = value(row);
    if (row.epoch < 0 || !std::isfinite(one)) continue;
    points.push_back({{row.epoch, last_step(run, row.epoch)}, one});
  }
  return points;
}

std::vector<TracePoint> train_losses(const RunRow& run) {
  return by_rows(run, run.epochs, [](const EpochRow& row) { return row.train_loss; });
}

std::vector<TracePoint> validation_losses(const RunRow& run) {
  return by_rows(run, run.evals, [](const EvalRow& row) { return row.loss; });
}

std::vector<TracePoint> validation_accuracies(const RunRow& run) {
  if (!has_accuracy(run)) return {};
  return by_rows(run, run.evals, [](const EvalRow& row) { return row.accuracy; });
}

std::vector<TracePoint> train_accuracies(const RunRow& run) {
  return by_rows(run, run.epochs,
                 [](const EpochRow& row) { return row.train_accuracy.value_or(std::nan("")); });
}

std::vector<TracePoint> validation_times(const RunRow& run) {
  return by_rows(run, run.evals,
                 [](const EvalRow& row) { return row.wall_s > 0 ? row.wall_s : std::nan(""); });
}

/// Returns the losses of the step windows, each at the last step of its window.
std::vector<TracePoint> window_losses(const RunRow& run) {
  std::vector<TracePoint> points;
  if (!completed(run)) return points;
  for (const WindowLoss& window : run.window_losses) {
    points.push_back({{window.epoch, window.first_step + window.steps}, window.train_loss});
  }
  return points;
}

std::vector<TracePoint> epoch_times(const RunRow& run) {
  return by_rows(run, run.epochs,
                 [](const EpochRow& row) { return row.wall_s > 0 ? row.wall_s : std::nan(""); });
}

/// Returns the result of a rank in the last recorded epoch of a completed run.
template <std::vector<double> RankResults::*member>
Value of_last_epoch(const RunRow& run, std::size_t rank) {
  const std::optional<RankResults> ranks = completed(run) ? last_ranks(run) : std::nullopt;
  if (!ranks || rank >= ((*ranks).*member).size()) return std::nullopt;
  const double value = ((*ranks).*member)[rank];
  return std::isfinite(value) ? Value(value) : std::nullopt;
}

/// Returns a quantity that is a share of the time `title`.
constexpr Quantity share(const char* name, const char* summary, const char* id, const char* title,
                         const char* label, std::optional<double> (*of_run)(const RunRow& run),
                         const char* needs) {
  return {.name = name,
          .summary = summary,
          .id = id,
          .title = title,
          .label = label,
          .unit = "%",
          .scale = kToPercent,
          .needs = needs,
          .of_run = of_run};
}

/// Returns a quantity that is a time in a step.
constexpr Quantity of_step(const char* name, const char* summary, const char* id, const char* label,
                           std::optional<double> (*of_run)(const RunRow& run),
                           const char* needs = kPartOfStep) {
  return {.name = name,
          .summary = summary,
          .id = id,
          .title = "time per step",
          .label = label,
          .unit = "ms",
          .scale = kToMilli,
          .needs = needs,
          .of_run = of_run};
}

constexpr Quantity kQuantities[] = {
    {.name = "throughput",
     .summary = "samples per second of all GPUs",
     .id = "throughput_samples_per_s",
     .title = "throughput",
     .label = "all GPUs",
     .unit = "samples/s",
     .needs = kTimed,
     .of_run = &per_sample,
     .inverse = true},
    {.name = "throughput-per-gpu",
     .summary = "samples per second of each GPU",
     .id = "throughput_per_gpu_samples_per_s",
     .title = "throughput per GPU",
     .label = "per GPU",
     .unit = "samples/s",
     .needs = kTimed,
     .of_run = &per_sample_of_gpu,
     .inverse = true},
    {.name = "speedup",
     .summary = "speed-up relative to the baseline of the scaling curve",
     .id = "speedup",
     .title = "speed-up",
     .label = "speed-up",
     .unit = "",
     .needs = "a curve with a baseline",
     .relative = &speedup},
    {.name = "efficiency",
     .summary = "parallel efficiency relative to the baseline of the scaling curve",
     .id = "efficiency",
     .title = "parallel efficiency",
     .label = "parallel efficiency",
     .unit = "",
     .needs = "a curve with a baseline",
     .relative = &efficiency},
    of_step("step-time", "time of a step on the slowest rank", "step_time_ms", "whole step",
            &time_of_step, kTimed),
    of_step("load", "waiting for data in a step", "load_ms", "loading",
            &part_of_step<StepPart::load_wait>),
    of_step("copy", "copies from the host to the device in a step", "copy_ms", "copy",
            &part_of_step<StepPart::h2d>),
    of_step("forward", "forward pass of a step", "forward_ms", "forward",
            &part_of_step<StepPart::forward>),
    of_step("backward", "backward pass of a step", "backward_ms", "backward",
            &part_of_step<StepPart::backward>),
    of_step("compute", "forward and backward pass of a step", "compute_ms", "computation",
            &compute_of_step,
            "a completed run that recorded the forward and the backward pass of its steps"),
    of_step("communication", "communication in a step that computation does not hide",
            "communication_ms", "communication", &part_of_step<StepPart::exposed_comm>),
    of_step("communication-busy", "time in a step with communication in progress, hidden or not",
            "communication_busy_ms", "communication in progress", &communication_in_progress),
    of_step("optimizer", "optimizer in a step", "optimizer_ms", "optimizer",
            &part_of_step<StepPart::optimizer>),
    of_step("bubble", "waiting of pipeline stages in a step", "bubble_ms", "bubble",
            &part_of_step<StepPart::bubble>),
    of_step("other", "parts of a step that were not recorded separately", "other_ms", "other",
            &part_of_step<StepPart::other>, kTimed),
    of_step("rest", "all parts of a step except loading", "rest_ms", "all but loading",
            &rest_of_step, "a completed run that recorded the loading time of its steps"),
    share("load-share", "share of the step time in which ranks wait for data", "load_percent",
          kOfStep, "loading", &share_of_step<StepPart::load_wait>, kPartOfStep),
    share("communication-share", "share of the step time with exposed communication",
          "communication_percent", kOfStep, "communication", &share_of_step<StepPart::exposed_comm>,
          kPartOfStep),
    share("kernel-communication", "share of communication in the kernel time",
          "kernel_communication_percent", kOfKernels, "communication",
          &kernel_share<&KernelShares::communication>, kProfiled),
    share("kernel-io", "share of I/O in the kernel time", "kernel_io_percent", kOfKernels, "I/O",
          &kernel_share<&KernelShares::io>, kProfiled),
    share("kernel-computation", "share of computation in the kernel time",
          "kernel_computation_percent", kOfKernels, "computation",
          &kernel_share<&KernelShares::computation>, kProfiled),
    {.name = "load-per-epoch",
     .summary = "waiting for data in an epoch",
     .id = "load_per_epoch_s",
     .title = "time per epoch",
     .label = "loading",
     .unit = "s",
     .needs = "a completed run that recorded the loading time and the number of its steps",
     .of_run = &load_of_epoch},
    {.name = "epoch-time",
     .summary = "training time of an epoch",
     .id = "epoch_time_s",
     .title = "time per epoch",
     .label = "training",
     .unit = "s",
     .needs = kEpochs,
     .of_run = &time_of_epoch,
     .by_epoch = &epoch_times,
     .note = "training excludes the first epoch"},
    {.name = "validation-time",
     .summary = "time of an evaluation on the test set",
     .id = "validation_time_s",
     .title = "time per epoch",
     .label = "validation",
     .unit = "s",
     .needs = "a completed run that recorded the times of its evaluations",
     .of_run = &time_of_evaluation,
     .by_epoch = &validation_times},
    {.name = "final-accuracy",
     .summary = "test accuracy after the last epoch",
     .id = "accuracy_percent",
     .title = "test accuracy",
     .label = "final",
     .unit = "%",
     .scale = kToPercent,
     .needs = kClassified,
     .of_run = &last_accuracy,
     .of_rank = &of_last_epoch<&RankResults::test_accuracy>,
     .from_zero = false},
    {.name = "best-accuracy",
     .summary = "highest test accuracy of the run",
     .id = "best_accuracy_percent",
     .title = "test accuracy",
     .label = "best",
     .unit = "%",
     .scale = kToPercent,
     .needs = kClassified,
     .of_run = &highest_accuracy,
     .from_zero = false},
    {.name = "train-accuracy",
     .summary = "accuracy on the training set during training, in the last epoch or by epoch",
     .id = "accuracy_percent",
     .title = "accuracy",
     .label = "training",
     .unit = "%",
     .scale = kToPercent,
     .needs = "a completed run that recorded its training accuracy",
     .of_run = &last_train_accuracy,
     .by_epoch = &train_accuracies,
     .of_rank = &of_last_epoch<&RankResults::train_accuracy>,
     .from_zero = false},
    {.name = "validation-accuracy",
     .summary = "accuracy on the test set, after the last epoch or by epoch",
     .id = "accuracy_percent",
     .title = "accuracy",
     .label = "validation",
     .unit = "%",
     .scale = kToPercent,
     .needs = kClassified,
     .of_run = &last_accuracy,
     .by_epoch = &validation_accuracies,
     .of_rank = &of_last_epoch<&RankResults::test_accuracy>,
     .from_zero = false},
    {.name = "train-loss",
     .summary = "training loss (mean of an epoch, or of a step window)",
     .id = "loss",
     .title = "loss",
     .label = "training",
     .unit = "",
     .needs = "a completed run that recorded its training loss",
     .of_run = &last_train_loss,
     .by_epoch = &train_losses,
     .by_window = &window_losses,
     .of_rank = &of_last_epoch<&RankResults::train_loss>,
     .from_zero = false},
    {.name = "validation-loss",
     .summary = "loss on the test set, after the last epoch or by epoch",
     .id = "loss",
     .title = "loss",
     .label = "validation",
     .unit = "",
     .needs = kEvaluated,
     .of_run = &last_validation_loss,
     .by_epoch = &validation_losses,
     .of_rank = &of_last_epoch<&RankResults::test_loss>,
     .from_zero = false},
    {.name = "time-to-target",
     .summary = "training time until the target of the run was reached",
     .id = "time_to_target_s",
     .title = "training time to the target",
     .label = "training time to the target",
     .unit = "s",
     .needs = "a completed run that reached a target (training.target)",
     .of_target = [](const TargetRow& row) { return Value(row.train_s); }},
    {.name = "steps-to-target",
     .summary = "optimizer steps until the target of the run was reached",
     .id = "steps_to_target",
     .title = "steps to the target",
     .label = "steps to the target",
     .unit = "",
     .needs = "a completed run that reached a target (training.target)",
     .of_target =
         [](const TargetRow& row) {
           return row.step > 0 ? Value(static_cast<double>(row.step)) : std::nullopt;
         }},
    {.name = "latency",
     .summary = "latency of a batch in inference, median of the batches",
     .id = "latency_ms",
     .title = "time per batch",
     .label = "latency",
     .unit = "ms",
     .scale = kToMilli,
     .needs = kInference,
     .of_inference = [](const InferenceRow& row) { return Value(row.latency_p50_s); }},
    {.name = "latency-p90",
     .summary = "latency of a batch in inference, 90 % quantile of the batches",
     .id = "latency_p90_ms",
     .title = "time per batch",
     .label = "latency p90",
     .unit = "ms",
     .scale = kToMilli,
     .needs = kInference,
     .of_inference = [](const InferenceRow& row) { return Value(row.latency_p90_s); }},
    {.name = "latency-compute",
     .summary = "computation in the latency of a batch, median of the batches",
     .id = "latency_compute_ms",
     .title = "time per batch",
     .label = "computation",
     .unit = "ms",
     .scale = kToMilli,
     .needs = kSplitInference,
     .of_inference = [](const InferenceRow& row) { return row.compute_p50_s; }},
    {.name = "latency-communication",
     .summary = "exchange of data in the latency of a batch, median of the batches",
     .id = "latency_communication_ms",
     .title = "time per batch",
     .label = "communication",
     .unit = "ms",
     .scale = kToMilli,
     .needs = kSplitInference,
     .of_inference = [](const InferenceRow& row) { return row.communication_p50_s; }},
    {.name = "inference-throughput",
     .summary = "samples per second of all GPUs in inference",
     .id = "inference_samples_per_s",
     .title = "throughput",
     .label = "inference",
     .unit = "samples/s",
     .needs = kInference,
     .of_inference = [](const InferenceRow& row) { return Value(row.samples_per_s); }},
    {.name = "sent",
     .summary = "data that each GPU passes to collectives in an epoch, as counted",
     .id = "sent_gb",
     .title = "data sent per epoch",
     .label = "counted",
     .unit = "GB",
     .scale = kToGiga,
     .needs = "a completed run that counted the sent bytes and its steps per epoch",
     .of_run = &counted_bytes,
     .is_exact = true},
    {.name = "sent-ring",
     .summary = "data that each GPU sends in an epoch, by the formula of the ring all-reduce",
     .id = "sent_ring_gb",
     .title = "data sent per epoch",
     .label = "ring",
     .unit = "GB",
     .scale = kToGiga,
     .needs = kSize,
     .of_run = &ring_bytes,
     .is_exact = true},
    {.name = "sent-published",
     .summary =
         "data sent in an epoch in fp32, by the formula N / (B k) x parameters (Banerjee and Shah)",
     .id = "sent_published_gb",
     .title = "data sent per epoch",
     .label = "published formula",
     .unit = "GB",
     .scale = kToGiga,
     .needs = kSize,
     .of_run = &published_bytes,
     .is_exact = true},
    {.name = "memory",
     .summary = "peak memory of the GPU or rank with the highest peak",
     .id = "peak_memory_gb",
     .title = "peak memory per GPU",
     .label = "peak memory per GPU",
     .unit = "GB",
     .scale = kToGiga,
     .needs = "a completed run that recorded its peak memory",
     .of_run = &peak_memory},
    {.name = "parameters",
     .summary = "number of trainable parameters",
     .id = "trainable_parameters",
     .title = "trainable parameters",
     .label = "trainable parameters",
     .unit = "",
     .needs = "a completed run that records its trainable parameters",
     .of_run = &trainable_parameters,
     .is_exact = true},
};

/// Word of the command line that names several quantities.
struct Group {
  const char* name;
  std::vector<const char*> members;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all{
      {"loss", {"train-loss", "validation-loss"}},
      {"accuracy", {"train-accuracy", "validation-accuracy"}},
      {"inference", {"latency", "latency-compute", "latency-communication"}},
      {"transfer", {"sent-published", "sent-ring", "sent"}}};
  return all;
}

}  // namespace

std::span<const Quantity> quantities() {
  return kQuantities;
}

std::optional<double> value_of(const Quantity& quantity, const RunRow& run) {
  if (quantity.of_run != nullptr) {
    const Value value = quantity.of_run(run);
    return value && quantity.inverse ? Value(1 / *value) : value;
  }
  if (quantity.measured != nullptr) return measured_value(*quantity.measured, run);
  if (quantity.of_inference != nullptr && completed(run) && run.inference.size() == 1) {
    return quantity.of_inference(run.inference.front());
  }
  if (quantity.of_target != nullptr && run.targets.size() == 1) {
    return quantity.of_target(run.targets.front());
  }
  return std::nullopt;
}

std::optional<double> measured_value(const MeasuredColumn& column, const RunRow& run) {
  const auto found = run.measured.find(column);
  if (!completed(run) || found == run.measured.end()) return std::nullopt;
  return found->second;
}

std::vector<const Quantity*> quantities_named(std::string_view name) {
  std::vector<const Quantity*> found;
  for (const Group& group : groups()) {
    if (group.name != name) continue;
    for (const char* member : group.members) found.push_back(quantities_named(member).front());
    return found;
  }
  for (const Quantity& quantity : kQuantities) {
    if (quantity.name == name) found.push_back(&quantity);
  }
  return found;
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const Quantity& quantity : kQuantities) names.emplace_back(quantity.name);
  for (const Group& group : groups()) names.emplace_back(group.name);
  return names;
}

namespace {

/// Quantities with the values of measures of logs. The other measures, such as step, are no
/// quantities.
constexpr std::pair<std::string_view, std::string_view> kQuantitiesOfMeasures[] = {
    {"load_wait_s", "load"},
    {"h2d_s", "copy"},
    {"forward_s", "forward"},
    {"backward_s", "backward"},
    {"exposed_comm_s", "communication"},
    {"optimizer_s", "optimizer"},
    {"bubble_s", "bubble"},
    {"other_s", "other"},
    {"compute_s", "other"},
    {"wall_s", "step-time"},
    {"elapsed_s", "step-time"},
    {"samples_per_s", "throughput"},
    {"loss", "train-loss"},
    {"train_accuracy", "train-accuracy"},
    {"accuracy", "validation-accuracy"},
    {"test_loss", "validation-loss"}};

}  // namespace

std::string unknown_quantity(std::string_view kind, const std::string& name,
                             const std::vector<std::string>& known) {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const bool is_near = std::ranges::find(known, dashed) != known.end();  // epoch_time
  if (is_near) return base::unknown_name(kind, name, known);
  const std::string other = measure_called(name);
  const std::string& measure = other.empty() ? name : other;
  for (const auto& [measured, quantity] : kQuantitiesOfMeasures) {
    if (measured != measure) continue;
    return fmt::format("unknown {} \"{}\"; did you mean \"{}\"? (known: {})", kind, name, quantity,
                       fmt::join(known, ", "));
  }
  return base::unknown_name(kind, name, known);
}

namespace {

constexpr std::string_view kMeasured = "measured";
constexpr std::string_view kMeasuredPrefix = "measured.";

}  // namespace

MeasuredQuantities::MeasuredQuantities(const Frame& frame) {
  std::set<MeasuredColumn> columns;
  for (const RunRow& run : frame.runs) {
    for (const auto& [column, value] : run.measured) columns.insert(column);
  }
  for (const MeasuredColumn& column : columns) {
    std::string title = column.name;
    std::replace(title.begin(), title.end(), '_', ' ');
    Texts& texts = all_.emplace_back(
        Texts{column, std::string(kMeasuredPrefix) + column.name, column.name, title, {}});
    texts.quantity = {.name = texts.name.c_str(),
                      .summary = texts.title.c_str(),
                      .id = texts.id.c_str(),
                      .title = texts.title.c_str(),
                      .label = texts.title.c_str(),
                      .unit = texts.column.unit.c_str(),
                      .needs = "a completed run that measured this quantity",
                      .measured = &texts.column};
  }
}

bool MeasuredQuantities::is_measured(std::string_view word) {
  return word == kMeasured || word.starts_with(kMeasuredPrefix);
}

std::vector<const Quantity*> MeasuredQuantities::named(const std::string& word) const {
  std::vector<const Quantity*> found;
  for (const Texts& texts : all_) {
    if (word == kMeasured || texts.name == word) found.push_back(&texts.quantity);
  }
  if (!found.empty()) return found;
  if (all_.empty()) {
    throw base::UsageError(word + ": no run of the study measured a quantity; name quantities in " +
                           "the log format or with the Python package");
  }
  throw base::UsageError(base::unknown_name("quantity", word, names()));
}

std::vector<std::string> MeasuredQuantities::names() const {
  std::vector<std::string> names;
  for (const Texts& texts : all_) {
    if (names.empty() || names.back() != texts.name) names.push_back(texts.name);
  }
  return names;
}

std::string with_unit(const std::string& title, const Quantity& quantity) {
  return *quantity.unit == '\0' ? title : fmt::format("{} ({})", title, quantity.unit);
}

}  // namespace dlscale::analysis
