// SPDX-License-Identifier: Apache-2.0
#include "contract/records/calibration.hpp"

#include <fmt/format.h>

#include "contract/json/codec.hpp"
#include "contract/records/layer_fields.hpp"
#include "contract/run_spec/run_spec_fields.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, AllReduceTime& t) {
  v.sparse("topology", t.topology);
  v.optional("nodes", t.nodes);
  v.required("gpus", t.gpus);
  v.required("bytes", t.bytes);
  v.required("seconds", t.seconds);
  v.sparse("low_s", t.low_s);
  v.sparse("high_s", t.high_s);
  v.sparse("repetitions", t.repetitions);
}

template <class Visitor>
void visit_fields(Visitor& v, KernelTime& t) {
  v.required("kernel", t.kernel);
  v.required("size", t.size);
  v.optional("precision", t.precision);
  v.required("seconds", t.seconds);
  v.sparse("deviation_s", t.deviation_s);
  v.sparse("repetitions", t.repetitions);
}

template <class Visitor>
void visit_fields(Visitor& v, DenseWeights& w) {
  v.required("weights", w.weights);
  v.required("biases", w.biases);
}

template <class Visitor>
void visit_fields(Visitor& v, KernelModel& m) {
  v.required("kernel", m.kernel);
  v.optional("precision", m.precision);
  v.required("inputs", m.inputs);
  v.required("input_mean", m.input_mean);
  v.required("input_deviation", m.input_deviation);
  v.required("output_mean", m.output_mean);
  v.required("output_deviation", m.output_deviation);
  v.required("input_least", m.input_least);
  v.required("input_most", m.input_most);
  v.required("layers", m.layers);
  v.sparse("relative_error", m.relative_error);
  v.sparse("weighted_relative_error", m.weighted_relative_error);
  v.sparse("taught_with", m.taught_with);
  v.sparse("held_out_errors", m.held_out_errors);
}

template <class Visitor>
void visit_fields(Visitor& v, ComputeTime& t) {
  v.required("model", t.model);
  v.required("input", t.input);
  v.optional("precision", t.precision);
  v.sparse("framework", t.framework);
  v.required("batch", t.batch);
  v.required("forward_s", t.forward_s);
  v.required("backward_s", t.backward_s);
  v.required("optimizer_s", t.optimizer_s);
  v.sparse("deviation_s", t.deviation_s);
  v.sparse("steps", t.steps);
  v.sparse("ranks_on_node", t.ranks_on_node);
  v.sparse("options", t.options);
}

template <class Visitor>
void visit_fields(Visitor& v, ExchangeTime& t) {
  v.required("framework", t.framework);
  v.optional("nodes", t.nodes);
  v.required("gpus", t.gpus);
  v.required("hidden", t.hidden);
  v.sparse("hidden_low", t.hidden_low);
  v.sparse("hidden_high", t.hidden_high);
  v.sparse("runs", t.runs);
}

template <class Visitor>
void visit_fields(Visitor& v, LoadTime& t) {
  v.required("loader", t.loader);
  v.required("dataset", t.dataset);
  v.required("seconds_per_sample", t.seconds_per_sample);
  v.sparse("low_s", t.low_s);
  v.sparse("high_s", t.high_s);
  v.sparse("runs", t.runs);
}

template <class Visitor>
void visit_fields(Visitor& v, MemoryPeak& m) {
  v.required("model", m.model);
  v.required("input", m.input);
  v.optional("precision", m.precision);
  v.required("framework", m.framework);
  v.required("device", m.device);
  v.required("loader", m.loader);
  v.required("dataset", m.dataset);
  v.optional("gpus", m.gpus);
  v.required("batch", m.batch);
  v.required("peak_memory_bytes", m.peak_memory_bytes);
  v.required("card_bytes", m.card_bytes);
  v.required("activations_bytes", m.activations_bytes);
  v.sparse("runs", m.runs);
  v.sparse("options", m.options);
}

template <class Visitor>
void visit_fields(Visitor& v, FittedValue& f) {
  v.required("value", f.value);
  v.required("low", f.low);
  v.required("high", f.high);
}

template <class Visitor>
void visit_fields(Visitor& v, AllReduceFit& f) {
  v.sparse("topology", f.topology);
  v.optional("nodes", f.nodes);
  v.required("gpus", f.gpus);
  v.required("least_bytes", f.least_bytes);
  v.required("most_bytes", f.most_bytes);
  v.required("latency_s", f.latency_s);
  v.required("seconds_per_byte", f.seconds_per_byte);
  v.sparse("sum_s_per_byte", f.sum_s_per_byte);
  v.required("relative_error", f.relative_error);
  v.required("points", f.points);
}

template <class Visitor>
void visit_fields(Visitor& v, ComputeFit& f) {
  v.required("model", f.model);
  v.required("input", f.input);
  v.optional("precision", f.precision);
  v.required("pass", f.pass);
  v.optional("ranks_on_node", f.ranks_on_node);
  v.required("start_s", f.start_s);
  v.required("seconds_per_sample", f.seconds_per_sample);
  v.required("relative_error", f.relative_error);
  v.required("points", f.points);
  v.sparse("options", f.options);
}

template <class Visitor>
void visit_fields(Visitor& v, Calibration& c) {
  v.required("schema_version", c.schema_version);
  v.optional("device", c.device);
  v.optional("communicator", c.communicator);
  v.optional("source", c.source);
  v.optional("made_with", c.made_with);
  v.sparse("all_reduce", c.all_reduce);
  v.sparse("kernels", c.kernels);
  v.sparse("kernel_models", c.kernel_models);
  v.sparse("layers", c.layers);
  v.sparse("compute", c.compute);
  v.sparse("exchange", c.exchange);
  v.sparse("loading", c.loading);
  v.sparse("memory", c.memory);
  v.sparse("all_reduce_fits", c.all_reduce_fits);
  v.sparse("compute_fits", c.compute_fits);
}

namespace {

struct Fault {
  std::string key;
  std::string message;
};

std::optional<Fault> fault_of(const AllReduceTime& time) {
  if (time.seconds <= 0) return {{"seconds", "must be above 0"}};
  if (time.bytes < 1) return {{"bytes", "must be at least 1"}};
  if (time.nodes < 1) return {{"nodes", "must be at least 1"}};
  if (time.gpus < 2) return {{"gpus", "must be at least 2"}};
  if (time.gpus < time.nodes) return {{"nodes", "must be at most the number of GPUs"}};
  if (time.low_s > time.seconds || (time.high_s > 0 && time.high_s < time.seconds)) {
    return {{"low_s", "the interval from low_s to high_s must contain seconds"}};
  }
  return {};
}

std::optional<Fault> fault_of(const KernelTime& time) {
  if (time.seconds <= 0) return {{"seconds", "must be above 0"}};
  return {};
}

std::optional<Fault> fault_of(const ComputeTime& time) {
  if (time.batch < 1) return {{"batch", "must be at least 1"}};
  if (time.forward_s <= 0) return {{"forward_s", "must be above 0"}};
  if (time.backward_s < 0) return {{"backward_s", "must not be negative"}};
  if (time.optimizer_s < 0) return {{"optimizer_s", "must not be negative"}};
  if (time.ranks_on_node < 0) return {{"ranks_on_node", "must not be negative"}};
  return {};
}

std::optional<Fault> fault_of(const ExchangeTime& time) {
  if (time.framework.empty()) return {{"framework", "must not be empty"}};
  if (time.gpus < 2) return {{"gpus", "must be at least 2"}};
  if (time.nodes < 1 || time.nodes > time.gpus)
    return {{"nodes", "must be between 1 and the number of GPUs"}};
  if (time.hidden < 0 || time.hidden > 1) return {{"hidden", "must be between 0 and 1"}};
  return {};
}

std::optional<Fault> fault_of(const LoadTime& time) {
  if (time.loader.empty()) return {{"loader", "must not be empty"}};
  if (time.seconds_per_sample < 0) return {{"seconds_per_sample", "must not be negative"}};
  return {};
}

std::optional<Fault> fault_of(const MemoryPeak& peak) {
  if (peak.device.empty()) return {{"device", "must not be empty"}};
  if (peak.gpus < 1) return {{"gpus", "must be at least 1"}};
  if (peak.batch < 1) return {{"batch", "must be at least 1"}};
  if (peak.peak_memory_bytes <= 0) return {{"peak_memory_bytes", "must be above 0"}};
  if (peak.card_bytes < 0) return {{"card_bytes", "must not be negative"}};
  if (peak.activations_bytes < 0) return {{"activations_bytes", "must not be negative"}};
  if (peak.activations_bytes > peak.card_bytes) {
    return {{"activations_bytes", "must be at most card_bytes, which includes activations_bytes"}};
  }
  return {};
}

/// Returns a fault if the layers of a kernel model do not fit together. The inputs of each layer
/// must be the outputs of the previous layer, and the last layer must have one output.
std::optional<Fault> fault_of(const KernelModel& model) {
  const std::size_t inputs = model.inputs.size();
  if (inputs == 0) return {{"inputs", "must not be empty"}};
  for (const auto* each :
       {&model.input_mean, &model.input_deviation, &model.input_least, &model.input_most}) {
    if (each->size() != inputs)
      return {
          {"inputs",
           "must have as many entries as input_mean, input_deviation, input_least and input_most"}};
  }
  std::size_t width = inputs;
  for (const DenseWeights& layer : model.layers) {
    if (layer.biases.empty() || layer.weights.size() != width * layer.biases.size()) {
      return {{"layers", "each layer must have (number of inputs) x (number of biases) weights"}};
    }
    width = layer.biases.size();
  }
  if (model.layers.empty() || width != 1)
    return {{"layers", "the last layer must have exactly one output"}};
  return {};
}

template <class T>
void check_each(const std::vector<T>& list, const char* key, std::string_view file) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const auto fault = fault_of(list[i])) {
      throw base::SpecError({std::string(file)}, fmt::format("{}[{}].{}", key, i, fault->key),
                            fault->message);
    }
  }
}

}  // namespace

std::string to_json(const Calibration& calibration) {
  constexpr codec::Layout kLinePerMeasurement{1, 2};
  return codec::to_text(calibration, kLinePerMeasurement) + "\n";
}

Calibration calibration_from_json(std::string_view text, std::string_view file) {
  auto calibration = codec::read_object<Calibration>(text, file);
  if (calibration.schema_version > kCalibrationVersion) {
    throw base::SpecError(
        {std::string(file)}, "schema_version",
        fmt::format("is {}, but this build supports at most {}; use a newer dlscale",
                    calibration.schema_version, kCalibrationVersion));
  }
  check_each(calibration.all_reduce, "all_reduce", file);
  check_each(calibration.kernels, "kernels", file);
  check_each(calibration.kernel_models, "kernel_models", file);
  for (std::size_t i = 0; i < calibration.layers.size(); ++i) {
    try {
      check(calibration.layers[i]);
    } catch (const base::SpecError& error) {
      throw base::SpecError({std::string(file)}, fmt::format("layers[{}]", i), error.what());
    }
  }
  check_each(calibration.compute, "compute", file);
  check_each(calibration.exchange, "exchange", file);
  check_each(calibration.loading, "loading", file);
  check_each(calibration.memory, "memory", file);
  return calibration;
}

}  // namespace dlscale::contract
