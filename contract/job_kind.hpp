// SPDX-License-Identifier: Apache-2.0
// Defines the kinds of batch jobs, by the way in which a job holds its runs.
#pragma once

#include <string>

namespace dlscale::contract {

/// Kind of a batch job:
/// - single: the job has one run.
/// - packed: several runs share the allocation of the job and run side by side if there is room.
/// - array: each task of a job array has one run.
enum class JobKind { single, packed, array };

/// Names of the kinds, in the order of JobKind, as in plan.json and in messages.
inline constexpr const char* kJobKinds[] = {"single", "packed", "array"};

inline std::string to_string(JobKind kind) {
  return kJobKinds[static_cast<int>(kind)];
}

}  // namespace dlscale::contract
