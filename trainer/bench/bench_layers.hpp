// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench layers`, which measures the time of each layer of a model in training
// steps on the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/records/layer_times.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/about/describe.hpp"

namespace dlscale::trainer {

struct LayerBench {
  Description model;
  std::vector<std::int64_t> batches{32};
  contract::OptimizerSpec optimizer{.kind = "sgd", .momentum = 0};
  int cores = 0;       ///< number of CPU threads, 0 for all usable cores
  double seconds = 1;  ///< minimum duration of the measured steps of a batch size
  std::string file;    ///< file to which a line is appended for each batch size
};

extern const char* const kLayerBenchUsage;

/// Reads the arguments after `dlscale-bench layers`. Throws base::UsageError for an invalid
/// argument.
LayerBench read_layer_bench(const std::vector<std::string>& arguments);

/// Runs the benchmark and appends a record for each batch size to the file. Returns the table to
/// print. Throws base::Error on failure.
std::string bench_layers(const LayerBench& bench);

}  // namespace dlscale::trainer
