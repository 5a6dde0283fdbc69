// SPDX-License-Identifier: Apache-2.0
// Steps of a model of equal blocks under ZeRO, its memory looked at while it runs.
#pragma once

#include <cstdint>

#include "contract/run_spec/framework_options.hpp"
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
  // Of all tensors of the rank, whoever made them, in the last step:
  std::int64_t most_bytes = 0;             ///< at a time
  std::int64_t bytes_behind_backward = 0;  ///< once all that was sent in it has arrived
};

inline constexpr int kBlocks = 6;
inline constexpr std::int64_t kBlockSide = 72;  // squared divides by 2, 3 and 4
inline constexpr std::int64_t kBlockElements = kBlockSide * kBlockSide;

/// **Collective.** Two steps of `micro_batches` each, in double precision, with momentum.
BlocksSeen look_at_blocks(const contract::FrameworkOptions& options, int micro_batches,
                          trainer::Communicator& communicator);

}  // namespace dlscale::test
