// SPDX-License-Identifier: Apache-2.0
// One step of a small network under ZeRO, looked at from within.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "contract/run_spec/framework_options.hpp"
#include "trainer/comm/communicator.hpp"
#include "trainer/models/model.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::test {

struct ZeroSeen {
  std::int64_t parameters = 0;  ///< scalars
  std::int64_t tensors = 0;
  std::int64_t optimized_elements = 0;
  std::int64_t gradients_in_backward = 0;  ///< most parameters that had one at a time
  std::int64_t gradients_after_backward = 0;
  bool padding_is_zero = false;  ///< the end of this rank's partition, after the step
  std::int64_t bytes = 0;        ///< given to collectives in the step
};

/// **Collective.** DeepSpeed's way to agree on the gradients of `model`.
std::unique_ptr<trainer::GradientSync> zero_of(trainer::Model& model,
                                               const contract::FrameworkOptions& options,
                                               trainer::CollectiveQueue& queue,
                                               const base::Clock& clock);

/// **Collective.** `widths` of linear layers with bias, in double precision.
ZeroSeen look_at_zero(const std::vector<std::int64_t>& widths, int stage,
                      trainer::Communicator& communicator);

/// **Collective.** A step, of two micro-batches, of equal blocks, each of which one rank alone
/// uses, the others pass by: the ranks take turns. Returns the first number of each block, which
/// are 1 less the mean of gradients 1, 2, 3...
std::vector<double> learn_in_turns(const contract::FrameworkOptions& options,
                                   trainer::Communicator& communicator);

}  // namespace dlscale::test
