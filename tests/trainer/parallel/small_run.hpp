// SPDX-License-Identifier: Apache-2.0
// Steps of any style on a small network with batch norms, on ranks that are threads of the test.
#pragma once

#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/device.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::test {

/// Settings of a short run. `spec` comes from style_spec(). The data set, the learning rate and the
/// number of steps in `spec` have no effect.
struct SmallRun {
  contract::RunSpec spec;
  int steps = 4;
  double rate_step = 0;  ///< increase of the learning rate per step, from 0.1 in the first step
  std::map<std::string, at::Tensor> from = {};  ///< state to resume from, empty for a fresh start
  /// Function that may change the batch of a rank before a step.
  std::function<void(int rank, int step, trainer::Batch&)> disturb = {};
  /// Function that runs before each communicator call of a rank. `call` is the name of the call in
  /// Communicator.
  std::function<void(int rank, std::string_view call)> before_call = {};
  /// Factory of the device of a rank, on a CPU. Null selects the usual device.
  std::function<std::unique_ptr<trainer::Device>(int rank)> make_device = {};
  /// Function that is called with the scores after each forward pass.
  std::function<void(const at::Tensor& scores)> after_forward = {};
};

struct SmallResult {
  std::map<std::string, at::Tensor> state;
  std::vector<at::Tensor> predictions;  ///< scores of each rank that predicts, for equal samples
  at::Tensor losses;                    ///< loss of each step on rank 0
  std::map<std::string, std::int64_t> counts;
  std::string warning;                       ///< warning of rank 0 after the steps
  trainer::CommStats comm;                   ///< communication of rank 0 in the steps
  std::map<int, trainer::BlockTimes> times;  ///< times of the steps of each rank
  /// Running statistics of the layers of each rank after its last step.
  std::map<int, std::vector<at::Tensor>> buffers;
};

SmallResult run(const SmallRun& run);
/// Returns whether tensors are equal bit by bit. NaN counts as equal to NaN.
bool is_equal(const at::Tensor& a, const at::Tensor& b);
/// Returns the largest difference over the parameters and buffers of the model. Their values are
/// about 1.
double largest_difference(const SmallResult& a, const SmallResult& b);

}  // namespace dlscale::test
