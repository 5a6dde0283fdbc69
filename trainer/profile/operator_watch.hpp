// SPDX-License-Identifier: Apache-2.0
// Watch of LibTorch's operators on the CPU. Times are added up as operators end, so the memory of a
// watch does not grow with its length.
#pragma once

#include <memory>

#include "trainer/profile/step_profile.hpp"

namespace dlscale::trainer {

class OperatorWatch;

/// Starts a watch of the calling thread. The watch includes threads that work for the calling
/// thread in its thread-local state (see WatchedBy).
std::unique_ptr<KernelWatch> make_operator_watch();

/// Returns the watch of this thread, or null if there is none.
OperatorWatch* operator_watch();

/// Guard that adds the calls of this thread to `watch` during its lifetime.
class WatchedBy {
 public:
  explicit WatchedBy(OperatorWatch* watch);
  ~WatchedBy();
  WatchedBy(const WatchedBy&) = delete;
  WatchedBy& operator=(const WatchedBy&) = delete;

 private:
  OperatorWatch* before_;
};

/// Guard that excludes the calls of this thread from the watch during its lifetime. The guard is
/// for copies between devices, which the communicator counts.
class UncountedSection {
 public:
  UncountedSection();
  ~UncountedSection();
  UncountedSection(const UncountedSection&) = delete;
  UncountedSection& operator=(const UncountedSection&) = delete;

 protected:
  OperatorWatch* const watch_;
};

/// Guard that counts all time of this thread as I/O (loading) during its lifetime, whatever the
/// thread calls.
class LoadingSection : UncountedSection {
 public:
  LoadingSection();
  ~LoadingSection();

 private:
  double start_s_;
};

}  // namespace dlscale::trainer
