// SPDX-License-Identifier: Apache-2.0
// Describes the abilities of a terminal and shows progress on it.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::cli {

struct Terminal {
  bool is_tty = false;
  bool colour = false;  ///< a terminal, NO_COLOR not set (https://no-color.org), TERM not "dumb"
  int columns = 80;
  int rows = 24;
};

/// Returns the abilities of the terminal at an open file descriptor.
Terminal terminal_of(int descriptor);

enum class Colour { Red = 31, Green = 32, Yellow = 33 };

/// Returns `text` in a colour, or unchanged without colours.
std::string paint(std::string_view text, Colour colour, const Terminal& terminal);

struct ProgressState {
  int done = 0;  ///< completed and failed runs
  int total = 0;
  int failed = 0;
  double elapsed_s = 0;
  std::optional<double> rest_s;  ///< estimated remaining time; empty if unknown
  std::string now;               ///< current activity
  std::optional<double> share;   ///< completed share of all work, 0 to 1; empty: done / total
  std::string things = "runs";   ///< what is counted
};

/// Returns a progress line such as `[####------] 4/10 runs, 1 failed, 0:42, about 1:03 left:
/// <now>`, cut to fewer than `columns` columns.
std::string progress_line(const ProgressState& state, int columns);

/// Returns the start of UTF-8 `text` that fits in `columns` columns, with "…" if text was cut.
std::string cut_to_width(std::string_view text, int columns);

/// Full-screen view that is redrawn in place. Restores the previous content at the end.
class LiveScreen {
 public:
  explicit LiveScreen(std::ostream& out);
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  /// Draws `lines`, which must fit the rows and columns of the terminal.
  void draw(const std::vector<std::string>& lines);

 private:
  std::ostream& out_;
};

/// Status line at the bottom of a terminal that is redrawn in place. Prints nothing elsewhere.
class StatusLine {
 public:
  StatusLine(std::ostream& out, const Terminal& terminal) : out_(out), terminal_(terminal) {}
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  void show(const std::string& text);
  /// Prints complete lines above the status line.
  void print_above(const std::string& lines);

 private:
  void clear();

  std::ostream& out_;
  const Terminal terminal_;
  bool visible_ = false;
};

}  // namespace dlscale::cli
