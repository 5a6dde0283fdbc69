// SPDX-License-Identifier: Apache-2.0
// Defines the kinds of batch jobs: a job with one run, a job with several runs, and a job array.
#pragma once

#include <string>

namespace dlscale::contract {

/// Kind of a batch job:
/// - single: the job has one run.
/// - packed: the job has several runs. They run at the same time as far as the allocation has room.
/// - array: each task of a job array has one run.
enum class JobKind { single, packed, array };

/// Names of the job kinds in plan.json and in messages, in the order of JobKind.
inline constexpr const char* kJobKinds[] = {"single", "packed", "array"};

inline std::string to_string(JobKind kind) {
  return kJobKinds[static_cast<int>(kind)];
}

}  // namespace dlscale::contract
