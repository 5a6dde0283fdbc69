// SPDX-License-Identifier: Apache-2.0
// The number format of parameters, activations and gradients.
#pragma once

namespace dlscale::trainer {

enum class Precision { fp32, fp64 };

}  // namespace dlscale::trainer
