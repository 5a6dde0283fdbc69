// SPDX-License-Identifier: Apache-2.0
#include "contract/version.hpp"

namespace dlscale::contract {

const char* version() {
  return DLSCALE_VERSION;
}

}  // namespace dlscale::contract
