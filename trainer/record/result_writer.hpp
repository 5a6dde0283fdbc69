// SPDX-License-Identifier: Apache-2.0
// Files that rank 0 writes to the launch folder: results.jsonl with the records and the machine of
// the launch, stdout (a readable log) and stderr.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::trainer {

// Properties of the machine of a launch, for run_start.

/// Returns the model name of the processor from /proc/cpuinfo, or "unknown" if the file lacks a
/// name.
std::string cpu_model();

/// Configures glibc to keep freed memory for the next step instead of returning it to the system. A
/// step frees and allocates the same activations again, and page faults cost up to a third of the
/// step. Returns a text that states the new setting. Must be called before the first large
/// allocation.
std::string keep_freed_memory();

// Files that rank 0 writes to the launch folder: results.jsonl, stdout (a readable log) and stderr.

/// Writer of the launch files. It writes nothing before open(), so the other ranks can use it as
/// well. It writes nothing after a run_stop, so a signal may end the launch while the main thread
/// still works. Any thread may call its members.
class ResultWriter {
 public:
  /// Opens the files of the launch. Throws base::RunError when a file cannot be created.
  void open(const contract::LaunchDir& launch);
  /// Appends a record to results.jsonl. Throws base::RunError, for example when the disk is full.
  void write(const contract::ResultRecord& record);
  void say(std::string_view line);
  /// Writes a line to stderr of the launch and of the program. A line that cannot be written is
  /// lost.
  void warn(std::string_view line) noexcept;
  /// Appends the last record with `samples` filled in, and closes the files. Writes the reason to
  /// stderr unless the run is complete. A record that cannot be written is lost, because stop() is
  /// called when an error may already have occurred.
  void stop(contract::RunStop stop) noexcept;

 private:
  struct Files {
    base::LineAppender results, out, err;
  };
  std::mutex mutex_;
  std::unique_ptr<Files> files_;
  std::int64_t samples_ = 0;  ///< number of samples in the written windows
};

}  // namespace dlscale::trainer
