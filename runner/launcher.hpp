// SPDX-License-Identifier: Apache-2.0
// Brings the runs of a plan through a job scheduler: a few jobs at a time, each step noted before
// it is taken, so that a later launcher can continue where this one stopped or died.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan.hpp"
#include "contract/run_dir.hpp"
#include "runner/job_scheduler.hpp"
#include "runner/launch_log.hpp"
#include "runner/run_end.hpp"

namespace dlscale::runner {

struct RunReport {
  std::string run_id;
  RunEnd end;
  double wall_s = 0;  ///< since its job was seen running
};

struct Progress {
  int total = 0;                     ///< runs of the plan
  int completed = 0;                 ///< those of earlier launchers included
  int failed = 0;                    ///< in this launcher's time; cancelled ones do not count
  std::vector<std::string> running;  ///< run ids
};

class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  virtual void run_ended(const RunReport& report, const Progress& progress) = 0;
  /// Called each time the scheduler has been asked.
  virtual void progressed(const Progress& progress) = 0;
};

struct LauncherOptions {
  int window = 1;       ///< jobs handed to the scheduler at a time
  double poll_s = 0.1;  ///< between two questions to the scheduler
  /// After this long, cancelled jobs are noted as such even if the scheduler does not confirm.
  double give_up_s = 30;
};

/// What a launcher works with.
struct LauncherParts {
  JobScheduler& scheduler;
  LaunchLog& log;
  LaunchObserver& observer;
  const base::Clock& clock;
  std::function<void(double seconds)> pause;
  std::function<int()> stop_requests;  ///< 0 go on; 1 cancel the jobs; 2 or more kill them
};

struct LaunchReport {
  std::vector<RunReport> ended;  ///< by this launcher, in order of their end
  bool stopped = false;          ///< by request, before all was done
};

class Launcher {
 public:
  /// `folder` holds the written plan; its root must be absolute.
  Launcher(const contract::Plan& plan, const contract::PlanDir& folder, const LauncherParts& parts,
           const LauncherOptions& options);

  /// Runs what is not Completed yet, each job when those it comes after have ended. Runs that fail
  /// do not keep others from running. Throws base::RunError for jobs that wait for each other and
  /// for job arrays, which are for the batch system to spread out.
  LaunchReport run();

 private:
  struct FlightRun {
    std::string run_id;
    int earlier_launches;  ///< number of its last launch before this submission
  };
  struct Flight {
    const contract::PlannedJob* job;
    std::vector<FlightRun> runs;  ///< those not Completed before
    double submitted_at;          ///< unix time
    JobId id = {};
    double running_since_s = 0;  ///< steady time
    bool running = false;
    bool cancelled = false;
  };

  void look_back();
  std::deque<const contract::PlannedJob*>::iterator next_free();
  bool take_over(const contract::PlannedJob& job, const Submission& past);
  bool has_work(const contract::PlannedJob& job) const;
  Flight prepare(const contract::PlannedJob& job, std::optional<double> left_open_since) const;
  Job describe(const contract::PlannedJob& job) const;
  void submit_up_to_window();
  void poll();
  void note_running(Flight& flight, const JobStatus& status);
  void settle(const Flight& flight, const JobStatus& status);
  void note_end(const Flight& flight, const FlightRun& run, const RunEnd& end);
  void stop();
  std::vector<JobId> ids_in_flight() const;

  const contract::Plan& plan_;
  contract::PlanDir folder_;
  LauncherParts parts_;
  LauncherOptions options_;
  std::deque<const contract::PlannedJob*> waiting_;
  std::vector<Flight> in_flight_;
  std::set<std::string> open_jobs_;  ///< those of the two lists above, by name
  Progress progress_;
  LaunchReport report_;
};

}  // namespace dlscale::runner
