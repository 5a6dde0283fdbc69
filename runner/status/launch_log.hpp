// SPDX-License-Identifier: Apache-2.0
// launch.jsonl of a plan folder: what happened to each job, written by one program at a time.
#pragma once

#include <filesystem>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/launch_record.hpp"

namespace dlscale::runner {

/// Another program has the log.
class LogTaken : public base::RunError {
 public:
  using base::RunError::RunError;
};

/// Whether another program has the log, as far as can be seen; no right to write it is needed.
bool is_taken(const std::filesystem::path& log);

class LaunchLog {
 public:
  /// Opens the log for this program alone, until it is destroyed and the programs that were given
  /// its descriptor have ended. Throws LogTaken when another program has it, base::RunError when it
  /// cannot be written.
  LaunchLog(const std::filesystem::path& path, const base::Clock& clock);

  /// Everything written so far, by earlier programs too, in order.
  const std::vector<contract::LaunchRecord>& records() const { return records_; }
  /// Notes the record with the time of now and gives it back so.
  const contract::LaunchRecord& append(contract::LaunchRecord record);
  /// The same; when it returns a failing machine does not lose the record any more.
  const contract::LaunchRecord& append_safely(contract::LaunchRecord record);
  /// A process that inherits it keeps the log locked until it ends.
  int descriptor() const { return lock_.descriptor; }

 private:
  struct Lock {
    explicit Lock(const std::filesystem::path& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    int descriptor;
  };

  std::filesystem::path path_;
  Lock lock_;
  const base::Clock& clock_;
  base::LineAppender file_;
  std::vector<contract::LaunchRecord> records_;
};

}  // namespace dlscale::runner
