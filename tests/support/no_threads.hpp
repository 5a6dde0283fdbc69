// SPDX-License-Identifier: Apache-2.0
// A system that gives no threads, as where a user has all that are allowed. (RLIMIT_NPROC does not
// hold for root, as whom tests run in containers.)
#pragma once

#include <pthread.h>

#include <cstddef>

namespace dlscale::test {

/// While it lives no thread can be started: each asks for a stack that no address space has.
class NoThreads {
 public:
  NoThreads() {
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t vast{};
    ::pthread_attr_init(&vast);
    ::pthread_attr_setstacksize(&vast, std::size_t{1} << 48);
    ::pthread_setattr_default_np(&vast);
    ::pthread_attr_destroy(&vast);
  }
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

}  // namespace dlscale::test
