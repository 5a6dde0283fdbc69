// SPDX-License-Identifier: Apache-2.0
// The output of runs as it grows: from file to file, from launch to launch.
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
  bool errors_only = false;       ///< standard error alone
  bool job = false;               ///< what the batch system captured, whatever the run has
  std::optional<int> launch;      ///< this one; empty: the newest
  std::optional<int> last_lines;  ///< of each file, where it is first read; empty: all
};

/// A file that a run's output goes to.
struct OutputFile {
  std::string title;
  std::filesystem::path path;
};

/// Those of the launch asked for; of the job while there is no launch. They need not exist.
std::vector<OutputFile> output_files(const contract::PlannedRun& run,
                                     const contract::PlanDir& folder, const OutputChoice& choice);

/// Prints what is new in files. Titles stand above where one follows on another, as `tail` has it.
class OutputReader {
 public:
  OutputReader(std::ostream& out, const OutputChoice& choice, bool title_first);

  /// True when there was something new.
  bool print_new(const OutputFile& file);

 private:
  void print_title(const std::string& title);

  std::ostream& out_;
  const OutputChoice& choice_;
  bool title_next_;  ///< the first as well
  std::string title_;
  bool line_open_ = false;
  std::map<std::filesystem::path, std::streamoff> read_;  ///< how far
};

/// The output of several runs of a plan, over the launches of those that are started again.
class RunsOutput {
 public:
  /// `folder` and `choice` must outlive it. Throws base::RunError with kExitNothingMatched where
  /// the choice is a launch that one of the runs has not had.
  RunsOutput(std::ostream& out, const contract::PlanDir& folder, const contract::Plan& plan,
             const std::vector<const contract::PlannedRun*>& runs, const OutputChoice& choice);

  /// True when there was something new.
  bool print_new();
  /// A run that was preempted goes on in another launch.
  bool all_ended() const;

 private:
  const contract::PlanDir& folder_;
  const contract::Plan part_;  ///< of the plan: these runs
  const OutputChoice& choice_;
  OutputReader reader_;
  std::map<std::string, std::vector<OutputFile>> files_;  ///< by run id: those read last
};

/// Where the last `lines` lines of a text of `size` bytes begin.
std::streamoff start_of_last_lines(std::istream& text, std::streamoff size, int lines);

}  // namespace dlscale::workspace
