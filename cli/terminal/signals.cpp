// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/error.hpp"

namespace dlscale::cli {
namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

// Number of stop signals. It is the only global variable of the program, because a signal handler
// cannot access other memory.
volatile std::sig_atomic_t stop_signal_count = 0;

void count_signal(int) {
  stop_signal_count = stop_signal_count + 1;
}

// Empty signal handler. SIG_IGN would also ignore the signal, but child processes would inherit
// SIG_IGN.
void pass_over(int) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

/// Returns whether `signal` is SIGHUP and the program was started with nohup, which ignores SIGHUP.
/// The program must then keep ignoring it.
bool is_ignored_hangup(int signal) {
  struct sigaction present {};
  ::sigaction(signal, nullptr, &present);
  return signal == SIGHUP && present.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() {
  stop_signal_count = 0;
  for (int signal : kStopSignals) {
    if (!is_ignored_hangup(signal)) handle(signal, &count_signal);
  }
  handle(SIGPIPE, &pass_over);
}

StopSignals::~StopSignals() {
  for (int signal : kStopSignals) {
    if (!is_ignored_hangup(signal)) handle(signal, SIG_DFL);
  }
  handle(SIGPIPE, SIG_DFL);
}

int StopSignals::count() const {
  return stop_signal_count;
}

namespace {

int open_or_throw(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor >= 0) return descriptor;
  throw base::RunError(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace

bool detach(const std::filesystem::path& log) {
  const int out = open_or_throw(log, O_WRONLY | O_APPEND | O_CREAT);
  const int nothing = open_or_throw("/dev/null", O_RDONLY);
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw base::RunError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child > 0) {
    std::cout << fmt::format("continues as process {}; output: {}\n", child, log.string());
    return false;
  }
  ::setsid();
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::close(nothing);
  ::close(out);
  return true;
}

}  // namespace dlscale::cli
