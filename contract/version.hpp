// SPDX-License-Identifier: Apache-2.0
// The version of this build.
#pragma once

namespace dlscale::contract {

/// For example "0.1.0".
const char* version();

}  // namespace dlscale::contract
