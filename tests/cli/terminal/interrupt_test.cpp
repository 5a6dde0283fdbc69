// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/signals.hpp"

#include <signal.h>

#include <catch2/catch.hpp>

using dlscale::cli::StopSignals;

TEST_CASE("requests to stop are counted while a listener exists") {
  StopSignals signals;
  CHECK(signals.count() == 0);
  ::raise(SIGINT);
  ::raise(SIGTERM);
  ::raise(SIGHUP);
  CHECK(signals.count() == 3);
  ::raise(SIGPIPE);
  CHECK(signals.count() == 3);
}

TEST_CASE("each listener counts from 0") {
  {
    StopSignals first;
    ::raise(SIGINT);
  }
  CHECK(StopSignals().count() == 0);
}

TEST_CASE("signals have their default action after the listener is gone") {
  { StopSignals signals; }
  struct sigaction action {};
  ::sigaction(SIGINT, nullptr, &action);
  CHECK(action.sa_handler == SIG_DFL);
}
