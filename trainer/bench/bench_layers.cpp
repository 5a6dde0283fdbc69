// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_layers.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "trainer/bench/bench_kernels.hpp"
#include "trainer/bench/layer_timer.hpp"
#include "trainer/bench/measurement_file.hpp"
#include "trainer/bench/options.hpp"
#include "trainer/record/result_writer.hpp"

namespace dlscale::trainer {

const char* const kLayerBenchUsage =
    "usage: dlscale-bench layers MODEL --input SHAPE --classes N -o FILE [OPTION ...]\n"
    "  Measure each layer of a model within training steps on the CPU: the operator of the "
    "forward\n"
    "  pass, its part of the backward pass, and the update of its parameters.\n"
    "  -o FILE           append one JSON line per batch size to FILE\n"
    "  --batch LIST      comma-separated batch sizes (default: 32)\n"
    "  --optimizer NAME  sgd (default), momentum or adam\n"
    "  --cores N         number of CPU threads (default: all cores)\n"
    "  --seconds S       minimum time of the measured steps of a batch size (default: 1)\n"
    "  --words, --precision and the settings of the model: as for dlscale-train --describe\n"
    "  example:          dlscale-bench layers vgg11 --input 3x32x32 --classes 10 --batch 64,128 -o "
    "layers.jsonl\n";

namespace {

constexpr double kMomentum = 0.9;

contract::OptimizerSpec optimizer_called(const std::string& name) {
  known_value("optimizer", name, {"sgd", "momentum", "adam"});
  return {.kind = name == "adam" ? "adam" : "sgd", .momentum = name == "momentum" ? kMomentum : 0};
}

std::string table_of(const contract::StepLayers& step) {
  const auto milli = [](double seconds) { return fmt::format("{:.4g}", seconds * 1e3); };
  std::vector<std::vector<std::string>> rows;
  double forward = 0, backward = 0, update = 0;
  for (const contract::MeasuredLayer& layer : step.layers) {
    rows.push_back({layer.cost.name, layer.cost.kind, milli(layer.forward_s),
                    milli(layer.backward_s),
                    layer.cost.parameters > 0 ? milli(layer.update_s) : "-"});
    forward += layer.forward_s;
    backward += layer.backward_s;
    update += layer.update_s;
  }
  rows.push_back({"all layers", "", milli(forward), milli(backward), milli(update)});
  rows.push_back({"whole passes", "", milli(step.forward_s), milli(step.backward_s), "-"});
  return fmt::format("\nbatch {}, {} steps\n", step.batch, step.repetitions) +
         base::print_table({"layer", "kind", "forward ms", "backward ms", "update ms"}, rows);
}

}  // namespace

LayerBench read_layer_bench(const std::vector<std::string>& arguments) {
  using Text = const std::string&;
  LayerBench bench;
  std::vector<std::string> described;
  OptionTable options;
  options.valued = {{"-o", [&](Text, Text v) { bench.file = v; }},
                    {"--batch", [&](Text o, Text v) { bench.batches = counts_value(o, v, 1); }},
                    {"--optimizer", [&](Text, Text v) { bench.optimizer = optimizer_called(v); }},
                    {"--cores", [&](Text o, Text v) { bench.cores = whole_value(o, v, 1); }},
                    {"--seconds", [&](Text o, Text v) { bench.seconds = positive_value(o, v); }}};
  for (const char* option :
       {"--input", "--classes", "--words", "--precision", "--backbone", "--classifier-hidden",
        "--dropout", "--embedding", "--hidden", "--cell"}) {
    options.valued[option] = [&](Text o, Text v) { described.insert(described.end(), {o, v}); };
  }
  options.word = [&](Text word) {
    if (!bench.model.model.empty()) {
      throw base::UsageError(fmt::format("{}: only one model can be measured; {} was given before",
                                         word, bench.model.model));
    }
    bench.model.model = word;
  };
  read_options(arguments, options);
  if (bench.model.model.empty()) throw base::UsageError("a model name is missing");
  if (bench.file.empty()) throw base::UsageError("-o is missing; give the output file");
  described.insert(described.begin(), bench.model.model);
  bench.model = read_description(described);
  return bench;
}

std::string bench_layers(const LayerBench& bench) {
  keep_freed_memory();  // uses the same memory allocator settings as training
  const base::SystemClock clock;
  const BenchDevice device = open_bench_device("cpu", 0, bench.cores);
  const DescribedModel made = make_described_model(bench.model);
  const std::vector<TracedLayer> traced = trace_layers(*made.model, made.make_batch, made.forward);
  MeasurementFile file(bench.file);
  std::string text =
      fmt::format("{}, {}, threads: {}\n", device.name, bench.model.precision, device.threads);
  for (const std::int64_t batch : bench.batches) {
    contract::StepLayers step = time_layers(*made.model, made.make_batch, made.forward, traced,
                                            {batch, bench.optimizer, bench.seconds}, clock);
    step.model = bench.model.model;
    step.input = bench.model.input;
    step.classes = bench.model.classes;
    step.precision = bench.model.precision;
    step.device = device.name;
    step.host = this_host();
    step.threads = device.threads;
    step.time = clock.unix_s();
    step.made_with = bench_made_with();
    file.append(step);
    text += table_of(step);
  }
  return text;
}

}  // namespace dlscale::trainer
