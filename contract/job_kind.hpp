// SPDX-License-Identifier: Apache-2.0
// How a job holds its runs.
#pragma once

#include <string>

namespace dlscale::contract {

/// One run; several that share the allocation, side by side where there is room; or tasks of a job
/// array, one run each.
enum class JobKind { single, packed, array };

/// "single", "packed", "array": how plan.json and people say it.
inline constexpr const char* kJobKinds[] = {"single", "packed", "array"};

inline std::string to_string(JobKind kind) {
  return kJobKinds[static_cast<int>(kind)];
}

}  // namespace dlscale::contract
