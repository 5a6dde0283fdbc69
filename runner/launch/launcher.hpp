// SPDX-License-Identifier: Apache-2.0
// Brings runs of a plan through a job scheduler: as many at a time as there is room for, each step
// noted, so that a later launcher goes on where this one stopped or died.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/patience.hpp"
#include "runner/launch/submitter.hpp"
#include "runner/status/flights.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

struct Progress {
  int total = 0;                     ///< runs to be brought to their end, completed ones included
  int completed = 0;                 ///< those of earlier launchers included
  int failed = 0;                    ///< in this launcher's time; cancelled ones do not count
  int queued = 0;                    ///< handed over and not running
  int waiting = 0;                   ///< not handed over yet
  std::vector<std::string> running;  ///< run ids
};

class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  virtual void submitted(const Submission& submission) = 0;
  virtual void run_ended(const RunReport& report, const Progress& progress) = 0;
  /// Called each time the scheduler has been asked.
  virtual void progressed(const Progress& progress) = 0;
  /// A line for people: the batch system does not answer.
  virtual void told(const std::string& line) = 0;
};

/// How long a launcher goes on.
enum class Until {
  looked,       ///< one look at what runs, and what there is room for is handed over
  handed_over,  ///< nothing waits for room any more
  ended,        ///< all runs have ended
};

struct LauncherOptions {
  Until until = Until::ended;
  int window = 0;       ///< jobs, and tasks of arrays, in the scheduler's hands; 0 = no limit
  double poll_s = 0.1;  ///< between two questions to the scheduler
  /// Jobs end with the launcher that is told to stop; else they stay in the scheduler's hands.
  bool stop_jobs = true;
  /// After this long, stopped jobs are noted as such even if the scheduler does not confirm.
  double give_up_s = 30;
  double unreachable_s = 600;  ///< how long a scheduler may be silent
  double young_s = 3;          ///< as the submitter says
  /// Jobs that come after others are handed over with those, for the scheduler to wait.
  bool hand_over_chains = false;
  std::vector<std::string> avoid = {};  ///< host names of nodes not to be given
};

/// What a launcher works with.
struct LauncherParts {
  JobScheduler& scheduler;
  LaunchLog& log;
  LaunchObserver& observer;
  Waiting waiting;  ///< stop requests: 1 stop; 2 or more, when jobs are stopped: kill them
  std::function<std::string()> new_launch;
  /// Asked when all has ended for further runs to submit; may be empty.
  std::function<std::set<std::string>()> more = {};
};

/// Which runs a launcher is to bring to their end.
struct LaunchOrders {
  std::set<std::string> submit;  ///< those that no job has now, unless they are completed
  std::set<std::string> follow;  ///< those that a job has
};

struct LaunchReport {
  std::vector<RunReport> ended;    ///< seen by this launcher, in order of their end
  int submitted = 0;               ///< jobs
  int queued = 0;                  ///< runs in the scheduler's hands
  int waiting = 0;                 ///< runs that there was no room for
  bool stopped = false;            ///< by request, before all was done
  std::set<std::string> refused;   ///< runs that the batch system did not take
  std::set<std::string> refusals;  ///< its reasons
};

class Launcher {
 public:
  /// `folder` holds the written plan; its root must be absolute.
  Launcher(const contract::Plan& plan, const contract::PlanDir& folder, LauncherParts parts,
           const LauncherOptions& options);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Each job runs when those it comes after have ended; runs that fail do not keep others from
  /// running. A run that was stopped at a checkpoint goes on as long as it gets further each time.
  /// A job that is refused does not keep the others from being submitted. Throws base::RunError for
  /// jobs that wait for each other, and Unreachable.
  LaunchReport run(const LaunchOrders& orders);

 private:
  /// Runs of a job that are to be submitted.
  struct Waiter {
    const contract::PlannedJob* job;
    std::vector<std::string> runs;
  };

  void look_back(const LaunchOrders& orders);
  bool resolve(const LaunchHistory& history, std::set<std::string>& to_submit);
  void enqueue(const std::set<std::string>& runs);
  void take_back_wished();
  bool submit_what_fits();
  bool submit_part(Waiter& waiter);
  void take_refusal(const Refused& refusal, const std::string& job,
                    const std::vector<std::string>& runs);
  void take_note_of_limit(const NoRoom& refusal, int asked);
  std::vector<std::string> nodes_to_avoid(const std::vector<std::string>& runs) const;
  std::optional<std::vector<JobId>> predecessors(const contract::PlannedJob& job) const;
  int room() const;
  bool look();
  void take_end(const RunReport& report);
  bool goes_on(const RunReport& report) const;
  bool finished();
  Progress progress() const;
  void stop();

  const contract::Plan& plan_;
  contract::PlanDir folder_;
  LauncherParts parts_;
  LauncherOptions options_;
  Patience patience_;
  Submitter submitter_;
  Flights flights_;
  CancelWishes wishes_;
  std::list<Waiter> waiting_;
  int most_ = 0;              ///< jobs in flight when the scheduler took no more …
  double most_until_s_ = -1;  ///< … which holds until this steady time; below 0: it never happened
  std::map<std::string, std::string> bad_nodes_;  ///< by run, where its node failed
  std::set<std::string> followed_;  ///< what must have ended before this launcher has done
  std::set<std::string> completed_, failed_, cancelled_;  ///< of those
  LaunchReport report_;
};

}  // namespace dlscale::runner
