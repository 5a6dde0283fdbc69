// SPDX-License-Identifier: Apache-2.0
// Signal handling of the trainer. SIGINT and SIGTERM end the process at once, even while its main
// thread is stuck in a collective. SIGUSR1, with which batch systems warn before the time limit,
// only sets a flag.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace dlscale::trainer {

/// Callback before the end of the process. The arguments are the name of the signal, for example
/// "SIGTERM", and the exit code, 128 + the number of the signal.
using LastWords = std::function<void(const std::string& signal, int exit_code)>;

/// Thread that waits for signals. The watch must be made before any other thread, because threads
/// inherit the set of blocked signals.
class SignalWatch {
 public:
  /// Starts the watch. `last_words` runs in the watching thread, and the process ends when it
  /// returns.
  explicit SignalWatch(LastWords last_words);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Returns true if SIGUSR1 has arrived. Any thread may call this member.
  bool time_is_nearly_up() const { return time_is_nearly_up_; }

  /// Ignores SIGINT and SIGTERM from now on, because only the end of the process is left and its
  /// exit code must not change. Launchers send SIGTERM to the other ranks as soon as a rank has
  /// ended with an exit code other than 0.
  void let_leave() { over_ = true; }

 private:
  void watch();

  LastWords last_words_;
  std::atomic<bool> time_is_nearly_up_ = false;
  std::atomic<bool> over_ = false;
  int signals_;  ///< descriptor that becomes readable with a signal
  int stop_;     ///< descriptor that becomes readable when the watch is over
  std::thread thread_;
};

}  // namespace dlscale::trainer
