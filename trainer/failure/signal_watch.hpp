// SPDX-License-Identifier: Apache-2.0
// Signals: SIGINT and SIGTERM end the process at once, even while its main thread is stuck in a
// collective; SIGUSR1, by which batch systems warn before the time limit, is kept in mind.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace dlscale::trainer {

/// Gets the signal's name, for example "SIGTERM", and the exit code, 128 + its number.
using LastWords = std::function<void(const std::string& signal, int exit_code)>;

/// To be made before any other thread, since threads inherit which signals are blocked.
class SignalWatch {
 public:
  /// `last_words` runs in the watching thread; the process ends when it returns.
  explicit SignalWatch(LastWords last_words);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// SIGUSR1 has come. Any thread may ask.
  bool time_is_nearly_up() const { return time_is_nearly_up_; }

  /// All is done but leaving: from now on SIGINT and SIGTERM change no exit code. Launchers send
  /// the latter to the other ranks as soon as one has left with another code than 0.
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
