// SPDX-License-Identifier: Apache-2.0
// Request of short time slices through prctl and sched_setattr. The code makes the system call
// sched_setattr directly, because the C library of Debian 12 has no wrapper for it.
#include "trainer/comm/realtime_thread.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace dlscale::trainer {
namespace {

constexpr std::uint64_t kTurnNs = 100'000;  // shortest time slice that Linux grants
constexpr unsigned long kTimerSlackNs = 1'000;

/// Layout of struct sched_attr in the first version of the kernel interface.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = kTurnNs;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

}  // namespace

void request_realtime_priority() {
  ::prctl(PR_SET_TIMERSLACK, kTimerSlackNs, 0, 0, 0);
  Attributes now;
  if (::syscall(SYS_sched_getattr, 0, &now, sizeof(now), 0) != 0) return;
  if (now.policy != SCHED_OTHER) return;  // keeps a scheduling policy that the user has chosen
  now.runtime = kTurnNs;
  ::syscall(SYS_sched_setattr, 0, &now, 0);
}

}  // namespace dlscale::trainer
