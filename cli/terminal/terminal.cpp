// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include "base/clock.hpp"
#include "base/table_printer.hpp"

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
    if (size.ws_row > 0) terminal.rows = size.ws_row;
  }
  return terminal;
}

std::string paint(std::string_view text, Colour colour, const Terminal& terminal) {
  if (!terminal.colour) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
}

std::string progress_line(const ProgressState& state, int columns) {
  const double by_runs = state.total > 0 ? double(state.done) / state.total : 1;
  const double share = std::clamp(state.share.value_or(by_runs), 0.0, 1.0);
  constexpr double kRounding = 1e-9;  // keeps a rounding error of the share from hiding a full cell
  const int filled = static_cast<int>(kBarWidth * share + kRounding);
  std::string line = fmt::format("[{:#<{}}{:-<{}}] {}/{} {}", "", filled, "", kBarWidth - filled,
                                 state.done, state.total, state.things);
  if (state.failed > 0) line += fmt::format(", {} failed", state.failed);
  line += fmt::format(", {}", base::duration(state.elapsed_s));
  if (state.rest_s) line += fmt::format(", about {} left", base::duration(*state.rest_s));
  if (!state.now.empty()) line += ": " + state.now;
  // The last column stays empty, because some terminals begin a new line after a character in the
  // last column.
  return line.substr(0, static_cast<std::size_t>(std::max(columns - 1, 0)));
}

std::string cut_to_width(std::string_view text, int columns) {
  if (base::display_width(text) <= static_cast<std::size_t>(std::max(columns, 0))) {
    return std::string(text);
  }
  if (columns <= 0) return {};
  std::size_t end = 0;
  for (int glyphs = 0; end < text.size(); ++end) {
    const bool begins_glyph = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins_glyph && ++glyphs == columns) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

// The alternate screen keeps the previous content of the terminal, as in editors. The cursor is
// hidden.
LiveScreen::LiveScreen(std::ostream& out) : out_(out) {
  out_ << "\x1b[?1049h\x1b[?25l" << std::flush;
}

LiveScreen::~LiveScreen() {
  out_ << "\x1b[?25h\x1b[?1049l" << std::flush;
}

void LiveScreen::draw(const std::vector<std::string>& lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + "\x1b[K";
    if (i + 1 < lines.size()) text += "\r\n";
  }
  out_ << text << "\x1b[J" << std::flush;
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
