// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM end the process at once, even while its main thread is stuck in a collective.
#pragma once

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

 private:
  void watch();

  LastWords last_words_;
  int signals_;  ///< descriptor that becomes readable with a signal
  int stop_;     ///< descriptor that becomes readable when the watch is over
  std::thread thread_;
};

}  // namespace dlscale::trainer
