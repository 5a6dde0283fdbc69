// SPDX-License-Identifier: Apache-2.0
// The real DALI, for tests that ask it.
#pragma once

#include <cstdlib>
#include <optional>
#include <variant>

#include "tests/support/skip.hpp"
#include "trainer/data/dali/library.hpp"

namespace dlscale::test {

/// Nothing where this machine has none; the test then says that it is skipped, and why.
inline std::optional<trainer::dali::Library> real_dali() {
  auto found = trainer::dali::find_library(::getenv);
  if (const auto* missing = std::get_if<trainer::dali::Missing>(&found)) {
    test::skip(missing->why);
    return std::nullopt;
  }
  return std::get<trainer::dali::Library>(std::move(found));
}

}  // namespace dlscale::test
