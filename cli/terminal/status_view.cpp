// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/status_view.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include "base/exit_code.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"
#include "cli/terminal/terminal.hpp"
#include "workspace/status/time_left.hpp"

namespace dlscale::cli {
namespace {

using runner::JobState;

std::optional<Colour> colour_of(JobState state) {
  if (state == JobState::Done) return Colour::Green;
  if (state == JobState::Running) return Colour::Yellow;
  if (runner::ended_badly(state)) return Colour::Red;
  return std::nullopt;
}

/// Colours the name of the state, which begins at `column` of the line.
std::string paint_state(const std::string& line, std::size_t column, JobState state,
                        const Terminal& terminal) {
  const std::string name = to_string(state);
  const auto colour = colour_of(state);
  if (!colour || line.size() < column + name.size()) return line;
  return line.substr(0, column) + paint(name, *colour, terminal) +
         line.substr(column + name.size());
}

std::string local_time(double unix_s, const char* format) {
  return fmt::format(fmt::runtime(std::string("{:") + format + "}"),
                     fmt::localtime(static_cast<std::time_t>(unix_s)));
}

/// Formats a local time. The date is left out if it is today's date.
std::string clock_at(double unix_s, double now_s) {
  const bool today = local_time(unix_s, "%F") == local_time(now_s, "%F");
  return local_time(unix_s, today ? "%H:%M" : "%F %H:%M");
}

}  // namespace

std::vector<std::string> table_lines(const std::vector<workspace::ShownRun>& runs,
                                     const Terminal& terminal, bool cut) {
  std::vector<workspace::RunColumn> columns = workspace::progress_columns();
  const std::string table = workspace::runs_as_table(runs, columns);
  const std::vector<std::string_view> rows = base::lines_of(table);
  std::vector<std::string> lines(rows.begin(), rows.end());
  std::size_t state_column = 3;  // column at which states begin, at least 3 for the heading "run"
  for (const workspace::ShownRun& shown : runs) {
    state_column = std::max(state_column, shown.run->run_id.size());
  }
  state_column += 2;
  constexpr std::size_t kHeader = 2;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (cut) lines[i] = cut_to_width(lines[i], terminal.columns - 1);
    if (i < kHeader) continue;
    lines[i] = paint_state(lines[i], state_column, runs[i - kHeader].state, terminal);
  }
  return lines;
}

std::vector<std::string> head_lines(const WatchHead& head,
                                    const std::vector<workspace::ShownRun>& runs,
                                    const Terminal& terminal) {
  ProgressState state;
  for (const workspace::ShownRun& shown : runs) {
    if (shown.state == JobState::NotNeeded) continue;
    ++state.total;
    state.done += runner::has_ended(shown.state) ? 1 : 0;
    state.failed += runner::ended_badly(shown.state) ? 1 : 0;
  }
  state.share = workspace::share_done(runs);
  if (head.first_start_s > 0) state.elapsed_s = head.now_unix_s - head.first_start_s;
  state.rest_s = workspace::time_left(runs);
  if (state.rest_s) {
    state.now = "ends about " + clock_at(head.now_unix_s + *state.rest_s, head.now_unix_s);
  }
  std::string counts = workspace::count_states(runs);
  counts.pop_back();
  return {
      cut_to_width(head.title + ", " + local_time(head.now_unix_s, "%F %T"), terminal.columns - 1),
      progress_line(state, terminal.columns), cut_to_width(counts, terminal.columns - 1), ""};
}

std::vector<std::string> screen_lines(const WatchHead& head,
                                      const std::vector<workspace::ShownRun>& runs,
                                      const Terminal& terminal) {
  std::vector<std::string> lines = head_lines(head, runs, terminal);
  constexpr int kTableHeader = 2, kLastLine = 1;
  const int room = terminal.rows - static_cast<int>(lines.size()) - kTableHeader - kLastLine;
  const std::vector<workspace::ShownRun> shown =
      workspace::most_telling(runs, static_cast<std::size_t>(std::max(room, 1)));
  for (std::string& line : table_lines(shown, terminal, true)) lines.push_back(std::move(line));
  const std::string others = workspace::count_others(runs, shown);
  if (!others.empty()) lines.push_back(cut_to_width(others, terminal.columns - 1));
  if (lines.size() > static_cast<std::size_t>(terminal.rows)) {
    lines.resize(static_cast<std::size_t>(terminal.rows));
  }
  return lines;
}

void print_lines(const std::vector<std::string>& lines, std::ostream& out) {
  for (const std::string& line : lines) out << line << "\n";
}

namespace {

class StatusWatch {
 public:
  StatusWatch(workspace::FolderStatus& status,
              const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
              const StopSignals& signals, const OnUpdate& on_update)
      : status_(status),
        chosen_(chosen),
        interval_s_(interval_s),
        signals_(signals),
        on_update_(on_update),
        terminal_(terminal_of(STDOUT_FILENO)) {}

  int show() { return terminal_.is_tty ? show_screen() : show_blocks(); }

 private:
  int show_screen() {
    std::vector<workspace::ShownRun> runs;
    {
      LiveScreen screen(std::cout);
      for (;;) {
        terminal_ = terminal_of(STDOUT_FILENO);
        runs = runs_now();
        screen.draw(screen_lines(head(), runs, terminal_));
        if (workspace::all_ended(runs)) break;
        pause();
        if (signals_.count() > 0) break;
        status_.update();
      }
    }
    // Print the last screen again, because it disappears with the live view.
    print_lines(screen_lines(head(), runs, terminal_), std::cout);
    return signals_.count() > 0 ? base::kExitInterrupted : base::kExitOk;
  }

  int show_blocks() {
    for (;;) {
      const std::vector<workspace::ShownRun> runs = runs_now();
      print_lines(head_lines(head(), runs, terminal_), std::cout);
      print_lines(table_lines(runs, terminal_, false), std::cout);
      std::cout << std::endl;
      if (workspace::all_ended(runs) || !std::cout.good()) return base::kExitOk;
      pause();
      if (signals_.count() > 0) return base::kExitInterrupted;
      status_.update();
    }
  }

  std::vector<workspace::ShownRun> runs_now() {
    std::vector<workspace::ShownRun> runs = status_.runs(chosen_);
    status_.add_progress(runs);
    if (on_update_) on_update_(runs);
    return runs;
  }

  WatchHead head() const {
    const contract::Plan& plan = status_.plan();
    std::string title = plan.study + (plan.site.empty() ? "" : " on " + plan.site);
    if (!status_.problem().empty()) title += " (" + status_.problem() + ")";
    return {title, status_.unix_s(), status_.first_start_s()};
  }

  /// Waits for the next update. Returns earlier after a signal or a change of the terminal size.
  void pause() const {
    constexpr auto kStep = std::chrono::milliseconds(100);
    const base::SystemClock clock;
    const double until_s = clock.steady_s() + interval_s_;
    while (signals_.count() == 0 && clock.steady_s() < until_s) {
      std::this_thread::sleep_for(kStep);
      const Terminal now = terminal_of(STDOUT_FILENO);
      if (now.columns != terminal_.columns || now.rows != terminal_.rows) return;
    }
  }

  workspace::FolderStatus& status_;
  const std::vector<const contract::PlannedRun*>& chosen_;
  const double interval_s_;
  const StopSignals& signals_;
  const OnUpdate& on_update_;
  Terminal terminal_;
};

}  // namespace

int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals, const OnUpdate& on_update) {
  return StatusWatch(status, chosen, interval_s, signals, on_update).show();
}

}  // namespace dlscale::cli
