// SPDX-License-Identifier: Apache-2.0
// LibTorch's operators as they are called on the CPU. What they took is added up as they end, so
// that a watch of any length takes no more memory.
#pragma once

#include <memory>

#include "trainer/profile/step_profile.hpp"

namespace dlscale::trainer {

class OperatorWatch;

/// Of the thread that makes it, and of those that work for it in its thread-local state (see
/// WatchedBy).
std::unique_ptr<KernelWatch> make_operator_watch();

/// The watch of this thread; null: none.
OperatorWatch* operator_watch();

/// While it lives, this thread is watched as the one that had `watch`.
class WatchedBy {
 public:
  explicit WatchedBy(OperatorWatch* watch);
  ~WatchedBy();
  WatchedBy(const WatchedBy&) = delete;
  WatchedBy& operator=(const WatchedBy&) = delete;

 private:
  OperatorWatch* before_;
};

/// While it lives, nothing that this thread calls is counted: it copies between devices, which the
/// communicator counts.
class UncountedSection {
 public:
  UncountedSection();
  ~UncountedSection();
  UncountedSection(const UncountedSection&) = delete;
  UncountedSection& operator=(const UncountedSection&) = delete;

 protected:
  OperatorWatch* const watch_;
};

/// While it lives, this thread loads: all of its time counts as I/O, whatever it calls.
class LoadingSection : UncountedSection {
 public:
  LoadingSection();
  ~LoadingSection();

 private:
  double start_s_;
};

}  // namespace dlscale::trainer
