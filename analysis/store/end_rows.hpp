// SPDX-License-Identifier: Apache-2.0
// How runs and their launches ended, as the tables `run` and `launch` have it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/launch_outcome.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

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
