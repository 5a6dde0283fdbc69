// SPDX-License-Identifier: Apache-2.0
// A guard that makes every thread creation fail, as on a system where the user has reached the
// thread limit. RLIMIT_NPROC is unsuitable, because it has no effect for root and tests run as root
// in containers.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace dlscale::test {

/// Guard that prevents new threads during its lifetime. It sets the default stack size to more than
/// any address space can hold.
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
