// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "base/clock.hpp"

using namespace dlscale::cli;

TEST_CASE("a file is not a terminal and gets no colour") {
  const int descriptor = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const Terminal terminal = terminal_of(descriptor);
  ::close(descriptor);
  CHECK_FALSE(terminal.is_tty);
  CHECK(paint("done", Colour::Green, terminal) == "done");
}

TEST_CASE("a terminal gets colour unless NO_COLOR or TERM=dumb disables it") {
  const int descriptor = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  CHECK(terminal_of(descriptor).is_tty);
  CHECK(paint("no", Colour::Red, terminal_of(descriptor)) == "\x1b[31mno\x1b[0m");
  ::setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(terminal_of(descriptor).colour);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  CHECK_FALSE(terminal_of(descriptor).colour);
  ::close(descriptor);
}

TEST_CASE("durations are printed in readable units") {
  CHECK(base::duration(4.24) == "4.2 s");
  CHECK(base::duration(42) == "0:42");
  CHECK(base::duration(65.4) == "1:05");
  CHECK(base::duration(2 * 3600 + 3 * 60 + 59) == "2:03:59");
}

TEST_CASE("a progress line shows completed runs, failed runs and the time left") {
  ProgressState state{4, 10, 1, 42, 63, "epoch 2/3 of ddp-mlp"};
  CHECK(progress_line(state, 200) ==
        "[########------------] 4/10 runs, 1 failed, 0:42, about 1:03 left: epoch 2/3 of ddp-mlp");
  state = {0, 10, 0, 0, {}, ""};
  CHECK(progress_line(state, 200) == "[--------------------] 0/10 runs, 0.0 s");
  CHECK(progress_line({3, 3, 0, 60, {}, ""}, 200) == "[####################] 3/3 runs, 1:00");
}

TEST_CASE("a progress bar counts parts of runs if they are known") {
  ProgressState state{1, 4, 0, 42, {}, ""};
  state.share = 0.7;
  CHECK(progress_line(state, 200) == "[##############------] 1/4 runs, 0:42");
  state.share = 1.5;
  CHECK(progress_line(state, 200).substr(0, 22) == "[####################]");
}

TEST_CASE("text is cut to columns instead of bytes, and cut text ends in an ellipsis") {
  CHECK(cut_to_width("short", 5) == "short");
  CHECK(cut_to_width("too long", 5) == "too …");
  CHECK(cut_to_width("ääääää", 4) == "äää…");
  CHECK(cut_to_width("x", 0).empty());
  CHECK(cut_to_width("", 0).empty());
}

TEST_CASE("a live screen restores the terminal") {
  std::ostringstream out;
  {
    LiveScreen screen(out);
    screen.draw({"one", "two"});
  }
  CHECK(out.str() == "\x1b[?1049h\x1b[?25l\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J\x1b[?25h\x1b[?1049l");
}

TEST_CASE("a progress line never fills the last column") {
  const ProgressState state{4, 10, 1, 42, 63, std::string(300, 'x')};
  CHECK(progress_line(state, 40).size() == 39);
  CHECK(progress_line(state, 0).empty());
}

TEST_CASE("a status line is redrawn in place below printed text") {
  std::ostringstream out;
  {
    StatusLine line(out, {true, false, 80});
    line.show("one");
    line.print_above("whole line\n");
    line.show("two");
  }
  CHECK(out.str() == "\rone\x1b[K\r\x1b[Kwhole line\n\rtwo\x1b[K\r\x1b[K");
}

TEST_CASE("without a terminal printed text appears without a status line") {
  std::ostringstream out;
  StatusLine line(out, {});
  line.show("one");
  line.print_above("whole line\n");
  CHECK(out.str() == "whole line\n");
}
