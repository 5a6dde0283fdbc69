// SPDX-License-Identifier: Apache-2.0
// Watch that measures LibTorch's operators on the CPU. When a call of an operator ends, the watch
// adds the time of the call to the sum of the operator. The memory of a watch therefore does not
// grow with the number of calls.
#pragma once

#include <memory>

#include "trainer/profile/step_profile.hpp"

namespace dlscale::trainer {

class OperatorWatch;

/// Starts a watch of the operators that the calling thread runs. The watch includes other threads
/// that work for the calling thread, such as the threads of further devices. Each of these other
/// threads must use WatchedBy.
std::unique_ptr<KernelWatch> make_operator_watch();

/// Returns the watch of this thread, or null if no watch is active in this thread.
OperatorWatch* operator_watch();

/// Guard for a thread that works for another thread. During the lifetime of the guard, `watch`
/// includes the operator calls of this thread.
class WatchedBy {
 public:
  explicit WatchedBy(OperatorWatch* watch);
  ~WatchedBy();
  WatchedBy(const WatchedBy&) = delete;
  WatchedBy& operator=(const WatchedBy&) = delete;

 private:
  OperatorWatch* before_;
};

/// Guard during whose lifetime the watch ignores the operator calls of this thread. The guard is
/// for copies between devices, because the statistics of the communicator already count these
/// copies.
class UncountedSection {
 public:
  UncountedSection();
  ~UncountedSection();
  UncountedSection(const UncountedSection&) = delete;
  UncountedSection& operator=(const UncountedSection&) = delete;

 protected:
  OperatorWatch* const watch_;
};

/// Guard whose whole lifetime counts as I/O, under the name "loading". The watch ignores the
/// individual operator calls of this thread during this time.
class LoadingSection : UncountedSection {
 public:
  LoadingSection();
  ~LoadingSection();

 private:
  double start_s_;
};

}  // namespace dlscale::trainer
