// SPDX-License-Identifier: Apache-2.0
// How runs and their launches ended, as the tables `run` and `launch` have it, from what the runner
// and job scripts noted.
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

// What the runner and the job scripts noted of the ends of runs.

using NotedEnds = std::map<std::string, std::vector<EndRecord>>;  ///< by run id

/// Reads launch.jsonl and logs/*.end of a plan folder. One that cannot be read, or is no file, is
/// added to `problems` ("path: why"), tried again by the next collect, and says nothing.
NotedEnds read_ends(const contract::Plan& plan, const contract::PlanDir& folder, Sources& sources,
                    std::vector<std::string>& problems);

// How runs and their launches ended, as the tables `run` and `launch` have it.

struct ConcludedRun {
  std::string run_id;
  std::optional<int> plan_position;  ///< empty: the plan no longer has it
  bool unreadable = false;           ///< nothing readable describes it
  bool imported = false;             ///< its launches are logs of other programs
};

class EndRows {
 public:
  /// Reads the rows as they are now.
  explicit EndRows(SQLite::Database& database);
  ~EndRows();
  EndRows(const EndRows&) = delete;
  EndRows& operator=(const EndRows&) = delete;

  /// Decides how the run and its launches ended, by their rows and by what others noted of the run,
  /// and writes down what differs.
  void conclude(const ConcludedRun& run, const std::vector<EndRecord>& noted);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
