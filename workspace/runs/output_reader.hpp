// SPDX-License-Identifier: Apache-2.0
// Follows the output of runs across files and launches.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

struct OutputChoice {
  bool errors_only = false;  ///< true to show only standard error
  /// True to show the output of the job script, even if the run has output files of its own.
  bool job = false;
  std::optional<int> launch;  ///< number of the launch to show; empty = the latest
  /// Number of lines to show when a file is first read. Empty means all lines.
  std::optional<int> last_lines;
};

/// Output file of a run.
struct OutputFile {
  std::string title;
  std::filesystem::path path;
};

/// Returns the output files of the requested launch. While the run has no launch, returns the
/// output files of its job. The files may not exist yet.
std::vector<OutputFile> output_files(const contract::PlannedRun& run,
                                     const contract::PlanDir& folder, const OutputChoice& choice);

/// Reader that prints new content of several files. It prints a title when the file changes, as
/// `tail` does.
class OutputReader {
 public:
  OutputReader(std::ostream& out, const OutputChoice& choice, bool title_first);

  /// Prints the content that was added since the last call. Returns true if there was new content.
  bool print_new(const OutputFile& file);

 private:
  void print_title(const std::string& title);

  std::ostream& out_;
  const OutputChoice& choice_;
  bool title_next_;  ///< true if the next output gets a title
  std::string title_;
  bool line_open_ = false;
  /// Position up to which each file was printed.
  std::map<std::filesystem::path, std::streamoff> read_;
};

/// Output of several runs of a plan. When a run has a new launch, the reader continues with the
/// files of that launch.
class RunsOutput {
 public:
  /// Checks that the requested launches exist. `folder` and `choice` must outlive the object.
  /// Throws base::RunError with kExitNothingMatched if one of the runs does not have the requested
  /// launch.
  RunsOutput(std::ostream& out, const contract::PlanDir& folder, const contract::Plan& plan,
             const std::vector<const contract::PlannedRun*>& runs, const OutputChoice& choice);

  /// Prints the output that was added since the last call. Returns true if there was new output.
  bool print_new();
  /// Returns whether no more output can follow. A preempted run has not ended, because it continues
  /// in another launch.
  bool all_ended() const;

 private:
  const contract::PlanDir& folder_;
  const contract::Plan part_;  ///< plan that contains only the selected runs
  const OutputChoice& choice_;
  OutputReader reader_;
  std::map<std::string, std::vector<OutputFile>> files_;  ///< files that were read last, by run id
};

/// Returns the start of the last `lines` lines of a text of `size` bytes.
std::streamoff start_of_last_lines(std::istream& text, std::streamoff size, int lines);

}  // namespace dlscale::workspace
