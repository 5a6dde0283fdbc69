// SPDX-License-Identifier: Apache-2.0
// Shows the progress of launched runs. On a terminal, a status line is updated. In addition, each
// run that ended has a line of its own.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/launch/launcher.hpp"
#include "workspace/jobs/launching.hpp"

namespace dlscale::cli {

struct LaunchViewOptions {
  bool submissions = true;  ///< true to print a line for each submitted job
  bool on_stderr = false;   ///< true to write to standard error instead of standard output
  std::string stop_words;   ///< text to print when the user requests a stop
};

class LaunchView : public runner::LaunchObserver {
 public:
  /// Creates the view. All arguments must outlive the view.
  LaunchView(const contract::Plan& plan, const contract::PlanDir& folder, const base::Clock& clock,
             const StopSignals& signals, LaunchViewOptions options);

  void submitted(const runner::Submission& submission) override;
  void run_ended(const runner::RunReport& report, const runner::Progress& progress) override;
  void progressed(const runner::Progress& progress) override;
  void told(const std::string& line) override;

 private:
  void tell_of_stop();
  std::string what_happens(const runner::Progress& progress);

  const contract::PlanDir& folder_;
  const base::Clock& clock_;
  const StopSignals& signals_;
  const LaunchViewOptions options_;
  const double start_s_;
  const Terminal terminal_;
  StatusLine line_;
  std::unordered_map<std::string, int> epochs_;  ///< last completed epoch by run id
  double drawn_s_ = 0;
  double last_end_s_ = 0;
  int ended_ = 0;
  bool told_of_stop_ = false;
};

/// Launches and follows jobs, and shows their progress. The user can request a stop with a signal
/// such as Ctrl-C.
runner::LaunchReport launch_in_view(workspace::LaunchFolder& place, runner::LaunchLog& log,
                                    const runner::LaunchOrders& orders,
                                    const workspace::LaunchChoice& choice);

}  // namespace dlscale::cli
