// SPDX-License-Identifier: Apache-2.0
// What a terminal can do and how progress looks on it.
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

/// Of an open file descriptor.
Terminal terminal_of(int descriptor);

enum class Colour { Red = 31, Green = 32, Yellow = 33 };

/// `text` in a colour, or as it is where there are none.
std::string paint(std::string_view text, Colour colour, const Terminal& terminal);

struct ProgressState {
  int done = 0;  ///< completed or failed
  int total = 0;
  int failed = 0;
  double elapsed_s = 0;
  std::optional<double> rest_s;  ///< estimate; empty = no idea yet
  std::string now;               ///< what is going on
  std::optional<double> share;   ///< of all work, 0 to 1; empty: done / total
  std::string things = "runs";   ///< what is counted
};

/// `[####------] 4/10 runs, 1 failed, 0:42, about 1:03 left: <now>`, cut to fewer than `columns`.
std::string progress_line(const ProgressState& state, int columns);

/// The beginning of UTF-8 `text` that takes at most `columns` columns; "…" ends what was cut.
std::string cut_to_width(std::string_view text, int columns);

/// A whole terminal, drawn again and again in place; what was on it before is there afterwards.
class LiveScreen {
 public:
  explicit LiveScreen(std::ostream& out);
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  /// No more lines than the terminal has rows, none wider than it.
  void draw(const std::vector<std::string>& lines);

 private:
  std::ostream& out_;
};

/// The last line of a terminal, drawn again and again in its place; nothing where there is none.
class StatusLine {
 public:
  StatusLine(std::ostream& out, const Terminal& terminal) : out_(out), terminal_(terminal) {}
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  void show(const std::string& text);
  /// Prints whole lines where the status was; the next show() draws it below.
  void print_above(const std::string& lines);

 private:
  void clear();

  std::ostream& out_;
  const Terminal terminal_;
  bool visible_ = false;
};

}  // namespace dlscale::cli
