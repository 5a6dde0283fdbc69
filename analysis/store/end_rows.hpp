// SPDX-License-Identifier: Apache-2.0
// Updates the tables `run` and `launch` with the outcome of each run and launch. The outcomes come
// from the records of the runner, the job scripts and the launches themselves.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/launch_outcome.hpp"
#include "analysis/store/sources.hpp"
#include "contract/plan/plan.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

// Records of the runner and the job scripts about how runs ended.

using NotedEnds = std::map<std::string, std::vector<EndRecord>>;  ///< end records by run id

/// Names of the descriptions of the software of external runs (LaunchRecord::software), by run id
/// and launch number.
using NotedSoftware = std::map<std::pair<std::string, int>, std::string>;

/// Reads launch.jsonl and logs/*.end of a plan folder. A file that cannot be read adds a text
/// "path: reason" to `problems` and contributes no records. The next collect tries to read that
/// file again. Entries that are not regular files are recorded as problems in `sources`. Adds the
/// descriptions of the software that the jobs recorded to `software`.
NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder, Sources& sources,
                    std::vector<std::string>& problems, NotedSoftware& software);

/// Adds the versions of the code and software of external runs (contract::conditions_of) to the
/// table `environment`. A value that was read from the log of a run is not replaced. A description
/// that cannot be read is recorded as a problem in `sources`.
void write_software(SQLite::Database& database, const contract::PlanDir& folder,
                    const NotedSoftware& software, Sources& sources);

// Writer of the outcomes of runs and launches to the tables `run` and `launch`.

struct ConcludedRun {
  std::string run_id;
  std::optional<int> plan_position;  ///< position in the plan; empty: not in the plan
  bool unreadable = false;           ///< true if the run's description is missing or cannot be read
  bool imported = false;             ///< true if the launches were imported from third-party logs
};

class EndRows {
 public:
  /// Reads the current rows of the tables `run` and `launch`.
  explicit EndRows(SQLite::Database& database);
  ~EndRows();
  EndRows(const EndRows&) = delete;
  EndRows& operator=(const EndRows&) = delete;

  /// Decides how the run and its launches ended, from the rows of its launches and from the records
  /// `noted`. Writes only the values that differ from those in the tables.
  void conclude(const ConcludedRun& run, const std::vector<EndRecord>& noted);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
