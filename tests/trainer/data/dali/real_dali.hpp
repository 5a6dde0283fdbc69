// SPDX-License-Identifier: Apache-2.0
// Access to the real DALI library for tests.
#pragma once

#include <cstdlib>
#include <optional>
#include <variant>

#include "tests/support/skip.hpp"
#include "trainer/data/dali/library.hpp"

namespace dlscale::test {

/// Returns the DALI library. Returns nothing and marks the test as skipped, with the reason, if
/// this machine does not have DALI.
inline std::optional<trainer::dali::Library> real_dali() {
  auto found = trainer::dali::find_library(::getenv);
  if (const auto* missing = std::get_if<trainer::dali::Missing>(&found)) {
    test::skip(missing->why);
    return std::nullopt;
  }
  return std::get<trainer::dali::Library>(std::move(found));
}

}  // namespace dlscale::test
