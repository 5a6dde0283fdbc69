// SPDX-License-Identifier: Apache-2.0
// What rank 0 leaves in the launch folder: results.jsonl with the machine it ran on, stdout (a log
// for people) and stderr.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::trainer {

// The machine a launch ran on, for run_start.

/// As /proc/cpuinfo names it; "unknown" where it does not.
std::string cpu_model();

/// Tells glibc to keep freed memory for the next step instead of giving it back to the system: a
/// step frees and takes the same activations again, and page faults cost up to a third of it.
/// Returns what was set, in words. To be called before the first large allocation.
std::string keep_freed_memory();

// What rank 0 leaves in the launch folder: results.jsonl, stdout (a log for people) and stderr.

/// Writes nothing until it is opened, and nothing after a run_stop: so other ranks use it too, and
/// a signal may end the launch while the main thread still works. Safe to call from any thread.
class ResultWriter {
 public:
  /// Throws base::RunError when the files cannot be made.
  void open(const contract::LaunchDir& launch);
  /// Throws base::RunError, for example when the disk is full.
  void write(const contract::ResultRecord& record);
  void say(std::string_view line);
  /// A line in stderr, the launch's and the program's; what cannot be written is lost.
  void warn(std::string_view line) noexcept;
  /// The last record, and its reason in stderr unless the run was completed; fills in `samples`.
  /// What cannot be written is lost: this is called when something failed already.
  void stop(contract::RunStop stop) noexcept;

 private:
  struct Files {
    base::LineAppender results, out, err;
  };
  std::mutex mutex_;
  std::unique_ptr<Files> files_;
  std::int64_t samples_ = 0;  ///< of the windows written
};

}  // namespace dlscale::trainer
