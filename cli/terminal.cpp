// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

namespace dlscale::cli {
namespace {

constexpr int kBarWidth = 20;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  terminal.is_tty = ::isatty(descriptor) == 1;
  terminal.colour =
      terminal.is_tty && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  struct winsize size {};
  if (terminal.is_tty && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
  }
  return terminal;
}

std::string paint(std::string_view text, Colour colour, const Terminal& terminal) {
  if (!terminal.colour) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
}

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string progress_line(const ProgressState& state, int columns) {
  const int filled = state.total > 0 ? kBarWidth * state.done / state.total : kBarWidth;
  std::string line = fmt::format("[{:#<{}}{:-<{}}] {}/{} runs", "", filled, "", kBarWidth - filled,
                                 state.done, state.total);
  if (state.failed > 0) line += fmt::format(", {} failed", state.failed);
  line += fmt::format(", {}", duration(state.elapsed_s));
  if (state.rest_s) line += fmt::format(", about {} left", duration(*state.rest_s));
  if (!state.now.empty()) line += ": " + state.now;
  // A full last column would make some terminals wrap.
  return line.substr(0, static_cast<std::size_t>(std::max(columns - 1, 0)));
}

StatusLine::~StatusLine() {
  clear();
}

void StatusLine::show(const std::string& text) {
  if (!terminal_.is_tty) return;
  out_ << '\r' << text << "\x1b[K" << std::flush;
  visible_ = true;
}

void StatusLine::print_above(const std::string& lines) {
  clear();
  out_ << lines << std::flush;
}

void StatusLine::clear() {
  if (visible_) out_ << "\r\x1b[K" << std::flush;
  visible_ = false;
}

}  // namespace dlscale::cli
