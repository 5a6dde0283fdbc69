// SPDX-License-Identifier: Apache-2.0
// How many threads LibTorch computes with on this rank.
#pragma once

namespace dlscale::trainer {

/// One operator at a time on `cores` threads. To be called once, before the first operator.
void use_threads(int cores);

}  // namespace dlscale::trainer
