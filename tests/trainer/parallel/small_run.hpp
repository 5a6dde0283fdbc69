// SPDX-License-Identifier: Apache-2.0
// Steps of any style on a small net with batch norms, on ranks that are threads of the test.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "contract/run_spec.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/data/batch.hpp"

namespace dlscale::test {

/// 24 samples a step, momentum 0.9; the framework's options are the spec's.
struct SmallRun {
  contract::RunSpec spec;
  int steps = 4;
  std::map<std::string, at::Tensor> from = {};  ///< state to go on from; empty: a fresh one
  /// Done to what a rank gets for a step.
  std::function<void(int rank, int step, trainer::Batch&)> disturb = {};
};

struct SmallResult {
  std::map<std::string, at::Tensor> state;
  std::vector<at::Tensor> predictions;  ///< of each rank that makes some, for the same samples
  std::map<std::string, std::int64_t> counts;
  trainer::CommStats comm;  ///< rank 0's, of the steps
};

/// `name` of the framework, for so many ranks, in double precision.
contract::RunSpec small_spec(const std::string& framework, int ranks);
SmallResult run(const SmallRun& run);
/// Every framework of this build, and ZeRO's stages 0, 1 and 3.
std::vector<contract::RunSpec> small_specs(int ranks);
/// Over the model's parameters and buffers; the numbers' size is about 1.
double largest_difference(const SmallResult& a, const SmallResult& b);

}  // namespace dlscale::test
