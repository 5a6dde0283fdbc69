// SPDX-License-Identifier: Apache-2.0
// Checks of one step of a small network under ZeRO.
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
  std::int64_t parameters = 0;  ///< number of scalars
  std::int64_t tensors = 0;
  std::int64_t optimized_elements = 0;
  std::int64_t gradients_in_backward = 0;  ///< largest number of gradients at one time
  std::int64_t gradients_after_backward = 0;
  bool padding_is_zero = false;  ///< whether this rank's padding is zero after the step
  std::int64_t bytes = 0;        ///< bytes passed to collectives in the step
};

/// **Collective.** Returns DeepSpeed's gradient synchronisation for `model`.
std::unique_ptr<trainer::GradientSync> zero_of(trainer::Model& model,
                                               const contract::FrameworkOptions& options,
                                               trainer::CollectiveQueue& queue,
                                               const base::Clock& clock);

/// **Collective.** Runs one step of linear layers with bias in double precision. `widths` are the
/// widths of the layers.
ZeroSeen look_at_zero(const std::vector<std::int64_t>& widths, int stage,
                      trainer::Communicator& communicator);

/// **Collective.** Runs one step of two micro-batches on equal blocks. Only one rank uses each
/// block, and the ranks take turns. Returns the first number of each block, which is 1 minus the
/// mean of the gradients 1, 2, 3...
std::vector<double> learn_in_turns(const contract::FrameworkOptions& options,
                                   trainer::Communicator& communicator);

}  // namespace dlscale::test
