// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench loader`, which measures the speed of a loader without any other work.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

struct LoaderBench {
  contract::RunSpec spec;   ///< loader, data set, batch and cores; other keys have no effect
  double seconds = 1;       ///< minimum duration of a block of whole epochs
  int blocks = 5;           ///< number of counted blocks, after one warm-up block
  bool evaluation = false;  ///< true to load the test set with centre crops
  bool json = false;
};

extern const char* const kLoaderBenchUsage;

/// Reads the arguments after `dlscale-bench loader`: optionally the file or folder of a run
/// description, then KEY=VALUE and options. Throws base::UsageError, base::SpecError.
LoaderBench read_loader_bench(const std::vector<std::string>& arguments);

/// Runs the benchmark. Returns the text to print: a table, or one JSON object. Throws the
/// exceptions of loaders.
std::string measure_loader(const LoaderBench& bench);

}  // namespace dlscale::trainer
