// SPDX-License-Identifier: Apache-2.0
#include "contract/records/bench_record.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using Catch::Contains;
using contract::bench_records_from_jsonl;

namespace {

contract::CommTime made_comm() {
  return {.collective = "all_reduce",
          .communicator = "mpi",
          .algorithm = "ring",
          .topology = "ib",
          .device = "a CPU",
          .host = "n1",
          .ranks = 4,
          .nodes = 2,
          .ranks_per_node = 2,
          .bytes = 1024,
          .seconds = 1e-5,
          .low_s = 0.9e-5,
          .high_s = 1.2e-5,
          .iterations = 40,
          .algbw_gbs = 0.1,
          .busbw_gbs = 0.15,
          .made_with = {{"mpi", "Open MPI 4"}}};
}

contract::KernelSample made_kernel() {
  return {.kernel = "relu_forward",
          .size = {{"n", 1024}},
          .seconds = 2e-6,
          .repetitions = 9,
          .device = "a CPU",
          .threads = 2};
}

contract::StepLayers made_layers() {
  contract::StepLayers step{.model = "mlp", .input = {1, 28, 28}, .classes = 10, .batch = 4};
  step.forward_s = 0.002;
  step.backward_s = 0.003;
  step.repetitions = 5;
  step.device = "a CPU";
  contract::MeasuredLayer layer{.forward_s = 0.001, .backward_s = 0.002, .update_s = 0.0001};
  layer.cost.name = "0";
  layer.cost.kind = "addmm";
  layer.cost.parameters = 7850;
  layer.cost.size = {{"inputs", 784}, {"outputs", 10}};
  step.layers = {layer};
  return step;
}

void refused_line(const std::string& text, const std::string& message) {
  CHECK_THROWS_WITH(bench_records_from_jsonl(text, "b.jsonl"), Contains(message));
  CHECK_THROWS_AS(bench_records_from_jsonl(text, "b.jsonl"), base::SpecError);
}

}  // namespace

TEST_CASE("measurements of both kinds are read as they were written") {
  const std::string text = to_json_line(made_comm()) + "\n" + to_json_line(made_kernel()) + "\n";
  CHECK_THAT(text, Catch::StartsWith("{\"record\":\"comm\","));
  const contract::BenchRecords read = bench_records_from_jsonl(text, "b.jsonl");
  CHECK(read.comm == std::vector{made_comm()});
  CHECK(read.kernels == std::vector{made_kernel()});
}

TEST_CASE("the layers of a step are read as they were written") {
  const std::string text = to_json_line(made_layers()) + "\n";
  CHECK_THAT(text, Catch::StartsWith("{\"record\":\"layers\","));
  CHECK(bench_records_from_jsonl(text, "b.jsonl").layers == std::vector{made_layers()});
}

TEST_CASE("impossible layers are rejected with the line") {
  contract::StepLayers none = made_layers(), negative = made_layers(), empty = made_layers();
  none.layers.clear();
  negative.layers[0].update_s = -1;
  empty.batch = 0;
  refused_line(to_json_line(none) + "\n", "b.jsonl:1: layers: must contain at least one layer");
  refused_line(to_json_line(negative) + "\n", "layers: must not contain negative times");
  refused_line(to_json_line(empty) + "\n", "batch: must be at least 1");
}

TEST_CASE("records of unknown kinds and empty lines are skipped") {
  const auto read = bench_records_from_jsonl(
      "{\"record\":\"disk\"}\n\n" + to_json_line(made_kernel()) + "\n", "");
  CHECK(read.comm.empty());
  CHECK(read.kernels.size() == 1);
}

TEST_CASE("a line that is not a measurement is rejected with its number") {
  const std::string whole = to_json_line(made_kernel()) + "\n";
  refused_line(whole + whole.substr(0, 40), "b.jsonl:2: the line is incomplete");
  refused_line(whole + "{\"kernel\":\"x\"}\n", "b.jsonl:2: record: missing");
  refused_line(whole + "{\n", "b.jsonl:2: ");
  refused_line("{\"record\":\"kernel\"}\n", "b.jsonl:1: kernel: missing");
}

TEST_CASE("impossible measurements are rejected") {
  contract::KernelSample sample = made_kernel();
  sample.seconds = 0;
  refused_line(to_json_line(sample) + "\n", "b.jsonl:1: seconds: must be above 0");
  sample = made_kernel();
  sample.size["n"] = 0;
  refused_line(to_json_line(sample) + "\n", "size.n: must be above 0");
  contract::CommTime time = made_comm();
  time.nodes = 5;
  refused_line(to_json_line(time) + "\n", "ranks: must be at least the number of nodes");
  time = made_comm();
  time.bytes = 0;
  refused_line(to_json_line(time) + "\n", "bytes: must be at least 1");
}
