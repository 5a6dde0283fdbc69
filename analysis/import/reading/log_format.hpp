// SPDX-License-Identifier: Apache-2.0
// One format of what a training run leaves behind, and which of them a log has. A new format is one
// file in formats/ and one word in analysis/CMakeLists.txt.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// What a batch system's books say of one job.

/// Empty, null or NaN where the books are silent. Times of day are as they stand there: SLURM's are
/// of the cluster's clock, of which nobody says the zone.
struct AccountedJob {
  int line = 0;
  std::string job_id, name, cluster, partition, account;
  std::string state;  ///< in the batch system's words: COMPLETED, TIMEOUT, Terminated, …
  std::optional<int> exit_code, signal;
  std::string submitted, started, ended;
  double elapsed_s = std::nan("");
  double timelimit_s = std::nan("");
  std::optional<std::int64_t> nodes, cpus, gpus;
  double requested_memory_bytes = std::nan("");  ///< of all nodes
  double max_memory_bytes = std::nan("");        ///< of the task that had most
  double cpu_s = std::nan("");                   ///< user and system, all cores
  double energy_j = std::nan("");
  std::string hosts;
};

// What a benchmark of collectives measured of one message size, in the words of nccl-tests.

struct CollectiveResult {
  int line = 0;
  std::string collective;  ///< all_reduce, all_gather, …; empty: the log does not say
  bool in_place = false;   ///< send and receive buffers are the same
  std::int64_t size_bytes = 0;
  std::int64_t count = 0;  ///< elements
  std::string type;        ///< float, half, …
  std::string redop;       ///< sum, …; none
  int root = -1;           ///< -1: of no rank, or of all in turn
  double time_s = 0;       ///< mean over the iterations; nccl-tests' warm-up is not in it
  double algbw_gb_per_s = std::nan("");  ///< size / time, 10^9 bytes/s as printed
  double busbw_gb_per_s = std::nan("");  ///< algbw by the collective's factor, likewise
  double wrong = std::nan("");           ///< elements that were wrong; NaN: not checked
};

// One format of what a training run leaves behind. A new format is one file here and one word in
// analysis/CMakeLists.txt; one that a study may name as its trainer's also stands in
// contract/run_spec/vocabulary.cpp.

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
  /// Whether a file with this beginning is certainly of this format.
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

// Finds the format of a log by its lines.

/// Bytes of a log's beginning by which formats recognise it.
inline constexpr std::size_t kSampledBytes = std::size_t{64} << 10;
/// Bytes of a log that are searched for a line of a format when the beginning has none. NCCL's
/// messages (NCCL_DEBUG=INFO), module files and installers may write so much before the program
/// writes its first line.
inline constexpr std::size_t kSearchedBytes = std::size_t{32} << 20;

/// Returns the format that recognises a log with this beginning; null if none does. The text has no
/// launcher prefixes.
const LogFormat* format_of_beginning(std::string_view head);

/// Returns the format of training programs that recognises a line of a text that begins with the
/// lines of other programs; null if none does. Formats that a file's first line shows (tables, JSON
/// documents) do not take a later line for it, and books of batch systems do not count: jobs print
/// them about themselves.
const LogFormat* format_behind_other_lines(std::string_view text);

}  // namespace dlscale::analysis
