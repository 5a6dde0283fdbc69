// SPDX-License-Identifier: Apache-2.0
// Checks of the memory that steps of a model of equal blocks use under ZeRO.
#pragma once

#include <cstdint>

#include "contract/run_spec/framework_options.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// Measurements of a model with blocks of kBlockElements. Bytes are those of tensors that a rank
/// holds between steps.
struct BlocksSeen {
  int most_whole_in_forward = 0;  ///< largest number of blocks with whole parameters at one time
  int most_whole_in_backward = 0;
  /// Bytes of the model's parameters, and of the part of the parameters that the optimizer updates.
  std::int64_t parameter_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t optimizer_bytes = 0;
  std::int64_t step_bytes = 0;  ///< bytes passed to collectives in the last step
  // The following numbers include all tensors that the rank holds in the last step.
  std::int64_t most_bytes = 0;             ///< largest number of bytes at one time
  std::int64_t bytes_behind_backward = 0;  ///< bytes after the last message of the backward pass
};

inline constexpr int kBlocks = 6;
inline constexpr std::int64_t kBlockSide = 72;  // its square is divisible by 2, 3 and 4
inline constexpr std::int64_t kBlockElements = kBlockSide * kBlockSide;

/// **Collective.** Runs two steps of `micro_batches` micro-batches each, in double precision, with
/// momentum.
BlocksSeen look_at_blocks(const contract::FrameworkOptions& options, int micro_batches,
                          trainer::Communicator& communicator);

}  // namespace dlscale::test
