// SPDX-License-Identifier: Apache-2.0
// How a test says that it cannot judge here.
#pragma once

#include <string>

namespace dlscale::test {

/// Prints the reason. A program in which this was said and nothing has failed ends with 77, which
/// ctest shows as skipped.
void skip(const std::string& why);

}  // namespace dlscale::test
