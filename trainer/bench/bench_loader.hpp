// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-bench loader`, which measures the speed of a loader alone, without training.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

struct LoaderBench {
  contract::RunSpec spec;   ///< loader, data set, batch size and cores; other keys have no effect
  double seconds = 1;       ///< minimum duration of a block of whole epochs
  int blocks = 5;           ///< number of counted blocks, after one warm-up block
  bool evaluation = false;  ///< true to load the test set, whose images are cropped at their centre
  bool json = false;
};

extern const char* const kLoaderBenchUsage;

/// Reads the arguments after `dlscale-bench loader`: first, optionally, the file or folder of a run
/// description, and then settings KEY=VALUE and options. Throws base::UsageError for an invalid
/// argument and base::SpecError for an invalid run description.
LoaderBench read_loader_bench(const std::vector<std::string>& arguments);

/// Runs the benchmark. Returns the text to print: a table, or one JSON object. Rethrows the
/// exceptions of the loader.
std::string measure_loader(const LoaderBench& bench);

}  // namespace dlscale::trainer
