// SPDX-License-Identifier: Apache-2.0
// Files that rank 0 writes to the launch folder: results.jsonl with the records of the launch,
// stdout (a readable log) and stderr. This header also declares functions that describe and
// configure the machine of the launch.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::trainer {

// The following functions describe and configure the machine of a launch.

/// Returns the model name of the processor from /proc/cpuinfo, or "unknown" if the file contains no
/// model name.
std::string cpu_model();

/// Configures glibc to keep freed memory for the next step instead of returning it to the system.
/// Each training step allocates and frees activations of the same sizes. If glibc returned the
/// memory to the system, the page faults of the next step would take up to a third of the time of
/// that step. Returns a text that describes the new setting. Must be called before the first large
/// allocation.
std::string keep_freed_memory();

// Files that rank 0 writes to the launch folder: results.jsonl, stdout (a readable log) and stderr.

/// Writer of the launch files. The writer ignores all output before open(). Only rank 0 calls
/// open(), so the other ranks can use the same code without effect. The writer also ignores all
/// output after stop(), so that the signal thread can write the last record while the main thread
/// still runs. Any thread may call the functions of the writer.
class ResultWriter {
 public:
  /// Opens the files of the launch. Throws base::RunError when a file cannot be created.
  void open(const contract::LaunchDir& launch);
  /// Appends a record to results.jsonl. Throws base::RunError, for example when the disk is full.
  void write(const contract::ResultRecord& record);
  void say(std::string_view line);
  /// Writes a line to the file stderr of the launch and to the stderr of the program. Ignores write
  /// errors.
  void warn(std::string_view line) noexcept;
  /// Appends `stop`, the last record of the launch, and closes the files. Fills in the field
  /// `samples` of the record. Writes the reason of the stop to stderr unless the run is complete.
  /// Ignores write errors, because stop() may be called after an earlier error that also prevents
  /// writing.
  void stop(contract::RunStop stop) noexcept;

 private:
  struct Files {
    base::LineAppender results, out, err;
  };
  std::mutex mutex_;
  std::unique_ptr<Files> files_;
  std::int64_t samples_ = 0;  ///< number of samples in the windows written so far
};

}  // namespace dlscale::trainer
