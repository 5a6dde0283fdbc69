// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/status_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "base/exit_code.hpp"
#include "cli/terminal/status_view.hpp"
#include "cli/terminal/terminal.hpp"

namespace dlscale::cli {
namespace {

bool all_ended(const std::vector<workspace::ShownRun>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const workspace::ShownRun& shown) {
    return runner::has_ended(shown.state);
  });
}

class StatusWatch {
 public:
  StatusWatch(workspace::FolderStatus& status,
              const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
              const StopSignals& signals)
      : status_(status),
        chosen_(chosen),
        interval_s_(interval_s),
        signals_(signals),
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
        if (all_ended(runs)) break;
        pause();
        if (signals_.count() > 0) break;
        status_.update();
      }
    }
    // The last screen stays on the terminal.
    print_lines(screen_lines(head(), runs, terminal_), std::cout);
    return signals_.count() > 0 ? base::kExitInterrupted : base::kExitOk;
  }

  int show_blocks() {
    for (;;) {
      const std::vector<workspace::ShownRun> runs = runs_now();
      print_lines(head_lines(head(), runs, terminal_), std::cout);
      print_lines(table_lines(runs, terminal_, false), std::cout);
      std::cout << std::endl;
      if (all_ended(runs) || !std::cout.good()) return base::kExitOk;
      pause();
      if (signals_.count() > 0) return base::kExitInterrupted;
      status_.update();
    }
  }

  std::vector<workspace::ShownRun> runs_now() {
    std::vector<workspace::ShownRun> runs = status_.runs(chosen_);
    status_.add_progress(runs);
    return runs;
  }

  WatchHead head() const {
    const contract::Plan& plan = status_.plan();
    std::string title = plan.study + (plan.site.empty() ? "" : " on " + plan.site);
    if (!status_.problem().empty()) title += " (" + status_.problem() + ")";
    return {title, status_.unix_s(), status_.first_start_s()};
  }

  /// Returns when the next update is due, and earlier after a signal or when the terminal has
  /// another size.
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
  Terminal terminal_;
};

}  // namespace

int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals) {
  return StatusWatch(status, chosen, interval_s, signals).show();
}

}  // namespace dlscale::cli
