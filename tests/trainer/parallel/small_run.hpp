// SPDX-License-Identifier: Apache-2.0
// Steps of any style on a small net with batch norms, on ranks that are threads of the test.
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

/// Of the spec, one of style_spec(), everything but data set, rate and number of steps.
struct SmallRun {
  contract::RunSpec spec;
  int steps = 4;
  double rate_step = 0;  ///< by which the learning rate, 0.1 in the first step, grows in each
  std::map<std::string, at::Tensor> from = {};  ///< state to go on from; empty: a fresh one
  /// Done to what a rank gets for a step.
  std::function<void(int rank, int step, trainer::Batch&)> disturb = {};
  /// What each of a rank's calls of its communicator begins with; `call` as Communicator names it.
  std::function<void(int rank, std::string_view call)> before_call = {};
  /// Of a rank, on a CPU; null: the usual one.
  std::function<std::unique_ptr<trainer::Device>(int rank)> make_device = {};
  /// Done behind the forward passes, with the scores.
  std::function<void(const at::Tensor& scores)> after_forward = {};
};

struct SmallResult {
  std::map<std::string, at::Tensor> state;
  std::vector<at::Tensor> predictions;  ///< of each rank that makes some, for the same samples
  at::Tensor losses;                    ///< rank 0's, of each step
  std::map<std::string, std::int64_t> counts;
  std::string warning;                       ///< rank 0's, after the steps
  trainer::CommStats comm;                   ///< rank 0's, of the steps
  std::map<int, trainer::BlockTimes> times;  ///< of each rank's steps
  /// Running statistics of each rank's layers as its last step leaves them.
  std::map<int, std::vector<at::Tensor>> buffers;
};

SmallResult run(const SmallRun& run);
/// To the bit; what is no number is equal.
bool is_equal(const at::Tensor& a, const at::Tensor& b);
/// Over the model's parameters and buffers; the numbers' size is about 1.
double largest_difference(const SmallResult& a, const SmallResult& b);

}  // namespace dlscale::test
