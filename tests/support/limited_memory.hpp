// SPDX-License-Identifier: Apache-2.0
// Work in a process whose memory is limited.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <new>

namespace dlscale::test {

/// Returns what the work returns in a process of its own, which may have `bytes` more memory than
/// now. The work returns less than 97; 98 is returned where the memory did not suffice.
inline int with_memory(std::size_t bytes, const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::size_t now = std::size_t{64} << 20;  // a test program has less
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
