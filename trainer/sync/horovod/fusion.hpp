// SPDX-License-Identifier: Apache-2.0
// Which tensors are reduced together.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/sync/horovod/response.hpp"

namespace dlscale::trainer::horovod {

/// Horovod's greedy rule: the first response takes up those after it that have its type, as long as
/// their sum is at most `threshold_bytes`. Others are left for later, and the search goes on past
/// them only while they and what was taken up are together at most the threshold: a tensor that
/// became ready long after should not delay those before it. Errors stay alone. `responses` are of
/// one tensor each; the same input gives the same output on every rank.
std::vector<Response> fuse(const std::vector<Response>& responses, std::int64_t threshold_bytes);

/// `threshold_bytes` rounded up so that a fused buffer of any type divides among the `local_size`
/// ranks of a node in units of 64 elements (Horovod's FUSION_BUFFER_ATOMIC_UNIT).
std::int64_t rounded_threshold(std::int64_t threshold_bytes, int local_size);

}  // namespace dlscale::trainer::horovod
