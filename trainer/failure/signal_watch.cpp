// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/signal_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace dlscale::trainer {
namespace {

int open_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_CLOEXEC);
}

}  // namespace

SignalWatch::SignalWatch(LastWords last_words)
    : last_words_(std::move(last_words)),
      signals_(open_signals()),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { watch(); }) {}

SignalWatch::~SignalWatch() {
  ::eventfd_write(stop_, 1);
  thread_.join();
  ::close(signals_);
  ::close(stop_);
}

void SignalWatch::watch() {
  signalfd_siginfo info{};
  for (bool ends = false; !ends;) {
    pollfd sources[] = {{signals_, POLLIN, 0}, {stop_, POLLIN, 0}};
    while (::poll(sources, 2, -1) < 0) {
    }
    if (!(sources[0].revents & POLLIN)) return;
    if (::read(signals_, &info, sizeof info) != sizeof info) return;
    const bool warning = info.ssi_signo == SIGUSR1;
    if (warning) time_is_nearly_up_ = true;
    ends = !warning && !over_;
  }
  const int exit_code = 128 + static_cast<int>(info.ssi_signo);
  last_words_(info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM", exit_code);
  ::_exit(exit_code);
}

}  // namespace dlscale::trainer
