// SPDX-License-Identifier: Apache-2.0
// One format of what a training run leaves behind. A new format is one file here and one word in
// analysis/CMakeLists.txt; one that a study may name as its trainer's also stands in
// contract/run_spec/vocabulary.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/reading/accounted_job.hpp"
#include "analysis/import/reading/collective_result.hpp"
#include "base/registry.hpp"
#include "contract/records/results_file.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

/// Epoch of an evaluation (contract::EvalRecord) whose log does not tell it; NULL in the database.
inline constexpr int kUnknownEpoch = -1;

/// What a log says, as the records dlscale-train would have written.
struct LogContent {
  /// Of the run, as axes and values: framework, model, dataset, precision, gpus, nodes,
  /// batch_per_gpu, global_batch, …; what the log does not say is absent.
  std::map<std::string, std::string> facts;
  contract::ResultsFile file;
  std::vector<CollectiveResult> collectives;
  std::vector<AccountedJob> jobs;
  /// Hashes of what the log says, in its order, for formats whose records leave out what tells one
  /// training from another. Empty: the records tell it.
  std::vector<std::uint64_t> trail;
  /// Whether a line that tells the end is to be expected of the program that wrote it: not of all
  /// programs whose format tells_end.
  bool has_end_line = true;
};

/// One of several runs in a log.
struct LogPart {
  std::map<std::string, std::string> which;  ///< axes that tell it from the others
  std::size_t offset = 0;                    ///< bytes
  std::size_t size = 0;                      ///< bytes; 0: the whole log
  int first_line = 1;                        ///< line of the log that begins at `offset`
  bool operator==(const LogPart&) const = default;
};

struct LogFormat {
  const char* name;
  const char* summary;
  /// What its samples/s mean: of one rank or all, with waiting for data or without, which steps
  /// are left out.
  const char* rates;
  /// Which figures of the log are compared with the step windows (CollectedLog::compare), or why
  /// no figure can be compared. docs/log-formats.md repeats it.
  const char* cross_check = "";
  const char* file;  ///< in the launch folder of own runs; "" for formats of foreign files alone
  bool needs_run;    ///< the run tells what such logs leave out: world size, global batch
  /// Whether a file with this beginning is certainly of this format (recognition.hpp).
  bool (*recognises)(std::string_view head);
  /// Never throws on content. What stands in no line has record line 0. Of a log with several runs,
  /// all that they say.
  LogContent (*read)(std::string_view text, const contract::RunSpec& run);
  /// Where one log has several runs, which and where; null: it never has.
  std::vector<LogPart> (*parts)(std::string_view text) = nullptr;
  /// What one of them says.
  LogContent (*read_part)(std::string_view text, const LogPart& part,
                          const contract::RunSpec& run) = nullptr;
  /// False where no model is trained or run: benchmarks of networks, a batch system's books.
  bool of_model = true;
  /// Name of the format of the log that the same program prints while it writes this file; empty
  /// for files that are no summary of another log.
  const char* summary_of = "";
  /// False of jobs in a batch system's books: nobody needs to know their ranks and batches.
  bool of_training = true;
  /// Its programs write a last line by which a completed run is known: a log without one ended
  /// before its program did.
  bool tells_end = false;
};

base::Table<LogFormat> log_formats();

}  // namespace dlscale::analysis
