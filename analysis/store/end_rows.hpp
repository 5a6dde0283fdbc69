// SPDX-License-Identifier: Apache-2.0
// Decides how runs and their launches ended, from the records of the runner and the job scripts,
// and updates the tables `run` and `launch`.
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

// Ends of runs that the runner and the job scripts recorded.

using NotedEnds = std::map<std::string, std::vector<EndRecord>>;  ///< end records by run id

/// Reads launch.jsonl and logs/*.end of a plan folder. A file that cannot be read is added to
/// `problems` ("path: why"), contributes no records and is read again by the next collect.
/// `sources` records entries that are not files as problems.
NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder, Sources& sources,
                    std::vector<std::string>& problems);

// Outcomes of runs and their launches in the tables `run` and `launch`.

struct ConcludedRun {
  std::string run_id;
  std::optional<int> plan_position;  ///< position in the plan; empty: not in the plan
  bool unreadable = false;           ///< true if no readable file describes the run
  bool imported = false;             ///< true if the launches are third-party logs
};

class EndRows {
 public:
  /// Reads the current rows.
  explicit EndRows(SQLite::Database& database);
  ~EndRows();
  EndRows(const EndRows&) = delete;
  EndRows& operator=(const EndRows&) = delete;

  /// Decides how the run and its launches ended, from their rows and from the end records `noted`.
  /// Writes only the values that differ from the tables.
  void conclude(const ConcludedRun& run, const std::vector<EndRecord>& noted);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
