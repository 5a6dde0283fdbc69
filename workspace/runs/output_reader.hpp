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
  bool errors_only = false;       ///< only standard error
  bool job = false;               ///< output of the job script, also if the run has its own output
  std::optional<int> launch;      ///< launch number; empty: the latest
  std::optional<int> last_lines;  ///< lines at the end of each file at the first read; empty: all
};

/// An output file of a run.
struct OutputFile {
  std::string title;
  std::filesystem::path path;
};

/// Returns the output files of the requested launch, or of the job while there is no launch. They
/// may not exist yet.
std::vector<OutputFile> output_files(const contract::PlannedRun& run,
                                     const contract::PlanDir& folder, const OutputChoice& choice);

/// Prints new content of files, with a title when the file changes, as `tail` does.
class OutputReader {
 public:
  OutputReader(std::ostream& out, const OutputChoice& choice, bool title_first);

  /// Returns true if there was new output.
  bool print_new(const OutputFile& file);

 private:
  void print_title(const std::string& title);

  std::ostream& out_;
  const OutputChoice& choice_;
  bool title_next_;  ///< print a title for the first file
  std::string title_;
  bool line_open_ = false;
  std::map<std::filesystem::path, std::streamoff> read_;  ///< read position
};

/// Output of several runs of a plan, across their launches.
class RunsOutput {
 public:
  /// `folder` and `choice` must outlive the object. Throws base::RunError with kExitNothingMatched
  /// if one of the runs has no such launch.
  RunsOutput(std::ostream& out, const contract::PlanDir& folder, const contract::Plan& plan,
             const std::vector<const contract::PlannedRun*>& runs, const OutputChoice& choice);

  /// Returns true if there was new output.
  bool print_new();
  /// A preempted run continues in another launch.
  bool all_ended() const;

 private:
  const contract::PlanDir& folder_;
  const contract::Plan part_;  ///< selected runs of the plan
  const OutputChoice& choice_;
  OutputReader reader_;
  std::map<std::string, std::vector<OutputFile>> files_;  ///< files read last, by run id
};

/// Returns the start of the last `lines` lines of a text of `size` bytes.
std::streamoff start_of_last_lines(std::istream& text, std::streamoff size, int lines);

}  // namespace dlscale::workspace
