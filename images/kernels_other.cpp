// SPDX-License-Identifier: Apache-2.0
// Selects the portable inner loops on processors for which there are no special inner loops.
#include "images/kernels.hpp"

namespace dlscale::images {

const Kernels& best_kernels() {
  return portable_kernels();
}

}  // namespace dlscale::images
