// SPDX-License-Identifier: Apache-2.0
// The function by which a test reports that it cannot run on this machine.
#pragma once

#include <string>

namespace dlscale::test {

/// Prints the reason and marks the test program as skipped. If no test fails, the program exits
/// with code 77, which ctest reports as skipped.
void skip(const std::string& why);

}  // namespace dlscale::test
