// SPDX-License-Identifier: Apache-2.0
// Signal handling of the trainer. SIGINT and SIGTERM end the process at once, even while its main
// thread is stuck in a collective. SIGUSR1, which batch systems send shortly before the time limit,
// only sets a flag.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace dlscale::trainer {

/// Callback that runs before a signal ends the process. The arguments are the name of the signal,
/// for example "SIGTERM", and the exit code, 128 + the number of the signal.
using LastWords = std::function<void(const std::string& signal, int exit_code)>;

/// Thread that waits for signals. The watch blocks these signals in the calling thread, so that
/// only the watch receives them. It must be created before any other thread, because a new thread
/// inherits the set of blocked signals.
class SignalWatch {
 public:
  /// Starts the watch. When SIGINT or SIGTERM arrives, the watching thread calls `last_words` and
  /// then ends the process.
  explicit SignalWatch(LastWords last_words);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Returns true if SIGUSR1 has arrived, which means that the time limit is near. Any thread may
  /// call this function.
  bool time_is_nearly_up() const { return time_is_nearly_up_; }

  /// Ignores SIGINT and SIGTERM from now on. The caller uses this function when the process is
  /// about to end and its exit code must not change any more. Without this function, a SIGTERM
  /// could change the exit code: MPI launchers send SIGTERM to the other ranks as soon as one rank
  /// has ended with an exit code other than 0.
  void let_leave() { over_ = true; }

 private:
  void watch();

  LastWords last_words_;
  std::atomic<bool> time_is_nearly_up_ = false;
  std::atomic<bool> over_ = false;
  int signals_;  ///< file descriptor that becomes readable when a signal arrives
  int stop_;     ///< file descriptor that becomes readable when the watch must end
  std::thread thread_;
};

}  // namespace dlscale::trainer
