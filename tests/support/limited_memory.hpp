// SPDX-License-Identifier: Apache-2.0
// A helper that runs work in a child process with limited memory.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <new>

namespace dlscale::test {

/// Runs `work` in a child process that may allocate at most `bytes` more memory than now, and
/// returns the result of `work`. The result of `work` must be less than 97. Returns 98 if the
/// memory did not suffice.
inline int with_memory(std::size_t bytes, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    // Test programs use less memory than this.
    const std::size_t now = std::size_t{64} << 20;
    const rlimit limit{now + bytes, now + bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
    int result = 99;
    try {
      result = work();
    } catch (const std::bad_alloc&) {
      result = 98;
    }
    ::_exit(result);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

}  // namespace dlscale::test
