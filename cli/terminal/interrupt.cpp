// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/interrupt.hpp"

#include <signal.h>

#include <array>

namespace dlscale::cli {
namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

// The one global of the program: a signal handler has no other place to write to.
volatile std::sig_atomic_t stop_signal_count = 0;

void count_signal(int) {
  stop_signal_count = stop_signal_count + 1;
}

// Not SIG_IGN: programs started by this one would inherit that.
void pass_over(int) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

/// Under nohup SIGHUP is ignored, and is to stay so.
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

}  // namespace dlscale::cli
