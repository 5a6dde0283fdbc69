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
  bool colour = false;  ///< true for a terminal if NO_COLOR is not set and TERM is not "dumb"
  int columns = 80;
  int rows = 24;
};

/// Returns the abilities of the terminal at an open file descriptor.
Terminal terminal_of(int descriptor);

enum class Colour { Red = 31, Green = 32, Yellow = 33 };

/// Returns `text` in a colour. Returns `text` unchanged if the terminal does not support colours.
std::string paint(std::string_view text, Colour colour, const Terminal& terminal);

struct ProgressState {
  int done = 0;  ///< number of completed and failed runs
  int total = 0;
  int failed = 0;
  double elapsed_s = 0;
  std::optional<double> rest_s;  ///< estimated remaining time in seconds; empty = unknown
  std::string now;               ///< current activity
  std::optional<double> share;   ///< completed share of all work, 0 to 1; empty = done / total
  std::string things = "runs";   ///< noun for the counted items
};

/// Returns a progress line such as `[####------] 4/10 runs, 1 failed, 0:42, about 1:03 left:
/// <now>`. The line is shorter than `columns` columns.
std::string progress_line(const ProgressState& state, int columns);

/// Returns the beginning of UTF-8 `text` that fits into `columns` columns. A text that was cut ends
/// with "…".
std::string cut_to_width(std::string_view text, int columns);

/// View that fills the whole terminal and is redrawn in place. The destructor restores the previous
/// content of the terminal.
class LiveScreen {
 public:
  explicit LiveScreen(std::ostream& out);
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  /// Draws `lines`, which must fit into the rows and columns of the terminal.
  void draw(const std::vector<std::string>& lines);

 private:
  std::ostream& out_;
};

/// Status line at the bottom of a terminal that is redrawn in place. Without a terminal, show()
/// prints nothing.
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
