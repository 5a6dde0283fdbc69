// SPDX-License-Identifier: Apache-2.0
// Declares the version of this build.
#pragma once

namespace dlscale::contract {

/// Returns the version of this build, for example "0.2.0".
const char* version();

}  // namespace dlscale::contract
