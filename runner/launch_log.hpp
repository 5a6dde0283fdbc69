// SPDX-License-Identifier: Apache-2.0
// launch.jsonl of a plan folder: what happened to each job, written by one program at a time.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "contract/launch_record.hpp"

namespace dlscale::runner {

/// What a log says about a job's last submission.
struct Submission {
  double submitted_at = 0;  ///< unix time
  bool started = false;
  std::set<std::string> ended_runs;
};

/// Last submissions by job.
std::map<std::string, Submission> last_submissions(
    const std::vector<contract::LaunchRecord>& records);

class LaunchLog {
 public:
  /// Opens the log for this program alone, until it is destroyed or the program ends, however that
  /// happens. Throws base::RunError when another program has it or it cannot be written.
  LaunchLog(const std::filesystem::path& path, const base::Clock& clock);

  /// Everything written so far, by earlier programs too, in order.
  const std::vector<contract::LaunchRecord>& records() const { return records_; }
  /// Notes the record with the time of now.
  void append(contract::LaunchRecord record);

 private:
  struct Lock {
    explicit Lock(const std::filesystem::path& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    int descriptor;
  };

  Lock lock_;
  const base::Clock& clock_;
  base::LineAppender file_;
  std::vector<contract::LaunchRecord> records_;
};

}  // namespace dlscale::runner
