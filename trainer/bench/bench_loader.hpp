// SPDX-License-Identifier: Apache-2.0
// `dlscale-bench loader`: how fast a loader is when nothing else is done.
#pragma once

#include <string>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

struct LoaderBench {
  contract::RunSpec spec;   ///< loader, data set, batch, cores; the rest is not looked at
  double seconds = 1;       ///< a block of whole epochs takes at least so long
  int blocks = 5;           ///< that are counted, after one that is not
  bool evaluation = false;  ///< the test set, by its middle
  bool json = false;
};

extern const char* const kLoaderBenchUsage;

/// From the arguments behind `dlscale-bench loader`: the file or folder of a run's description, or
/// nothing, then KEY=VALUE and options. Throws base::UsageError, base::SpecError.
LoaderBench read_loader_bench(const std::vector<std::string>& arguments);

/// What is to be printed: a table, or one JSON object. Throws as loaders do.
std::string measure_loader(const LoaderBench& bench);

}  // namespace dlscale::trainer
