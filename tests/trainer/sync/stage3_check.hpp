// SPDX-License-Identifier: Apache-2.0
// Steps of a model of equal blocks under ZeRO, its memory looked at while it runs.
#pragma once

#include <cstdint>

#include "contract/framework_options.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// Blocks of kBlockElements; bytes of tensors that a rank holds between steps.
struct BlocksSeen {
  int most_whole_in_forward = 0;  ///< blocks whose parameters were there at a time
  int most_whole_in_backward = 0;
  std::int64_t parameter_bytes = 0;  ///< of the model, and of the part that the optimizer steps
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;
  std::int64_t step_bytes = 0;  ///< given to collectives in the last step
};

inline constexpr int kBlocks = 6;
inline constexpr std::int64_t kBlockElements = 24 * 24;

/// **Collective.** Two steps of `micro_batches` each, in double precision, with momentum.
BlocksSeen look_at_blocks(const contract::FrameworkOptions& options, int micro_batches,
                          trainer::Communicator& communicator);

}  // namespace dlscale::test
