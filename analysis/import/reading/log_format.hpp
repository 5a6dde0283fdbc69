// SPDX-License-Identifier: Apache-2.0
// Describes the log formats that can be imported and finds the format of a log.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// Types that describe a job in the accounting records of a batch system.

/// Accounting data of one job. Fields that the records do not contain are empty, null or NaN. Times
/// of day are copied unchanged. Times of SLURM are local times of the cluster, and SLURM does not
/// record the time zone.
struct AccountedJob {
  int line = 0;
  std::string job_id, name, cluster, partition, account;
  std::string state;  ///< state as the batch system writes it: COMPLETED, TIMEOUT, Terminated, …
  std::optional<int> exit_code, signal;
  std::string submitted, started, ended;
  double elapsed_s = std::nan("");
  double timelimit_s = std::nan("");
  std::optional<std::int64_t> nodes, cpus, gpus;
  double requested_memory_bytes = std::nan("");  ///< requested memory of all nodes, in bytes
  double max_memory_bytes = std::nan("");        ///< bytes of the task with the highest use
  double cpu_s = std::nan("");                   ///< user and system time on all cores
  double energy_j = std::nan("");
  std::string hosts;
};

// Result of a collectives benchmark for one message size, with the terms of nccl-tests.

struct CollectiveResult {
  int line = 0;
  std::string collective;  ///< all_reduce, all_gather, …; empty: unknown
  bool in_place = false;   ///< true if send and receive buffers are the same
  std::int64_t size_bytes = 0;
  std::int64_t count = 0;                ///< number of elements
  std::string type;                      ///< data type: float, half, …
  std::string redop;                     ///< reduction: sum, …, or none
  int root = -1;                         ///< root rank; -1: none, or each rank in turn
  double time_s = 0;                     ///< mean time of an iteration, without warm-up
  double algbw_gb_per_s = std::nan("");  ///< size / time in 10^9 bytes/s as printed
  double busbw_gb_per_s = std::nan("");  ///< algbw times a factor, in 10^9 bytes/s
  double wrong = std::nan("");           ///< number of wrong elements; NaN: not checked
};

// One log format. A format of text lines is a file in share/log_formats. A format of structured
// documents needs one file in formats/ and one word in analysis/CMakeLists.txt. If a study may name
// the format as the format of its trainer, it also needs an entry in
// contract/run_spec/vocabulary.cpp.

/// Epoch of an evaluation (contract::EvalRecord) if the log does not state the epoch. The database
/// stores this value as NULL.
inline constexpr int kUnknownEpoch = -1;

/// Content of a log, as the records that dlscale-train would have written.
struct LogContent {
  /// Facts about the run as axes and values: framework, model, dataset, precision, gpus, nodes,
  /// batch_per_gpu, global_batch, … Facts that the log does not state are absent.
  std::map<std::string, std::string> facts;
  contract::ResultsFile file;
  std::vector<CollectiveResult> collectives;
  std::vector<AccountedJob> jobs;
  /// Hashes of the content of the log, in its order. The hashes distinguish the logs of different
  /// trainings. A format fills this list only if its records omit the data that distinguishes
  /// trainings.
  std::vector<std::uint64_t> trail;
  /// True if the program that wrote the log writes an end line when it completes. Some programs
  /// never write this line, although `tells_end` is true for their format.
  bool has_end_line = true;
  /// Number with which the log counts the first epoch, 0 or 1, for formats that find this out from
  /// the log. The records count epochs from 0. Empty if the log does not show it.
  std::optional<int> epochs_from;
  /// Indices of rules that read no line, or of patterns and groups (RowReader::unused_patterns).
  std::set<std::size_t> unused_patterns;
};

/// One of several runs in a log.
struct LogPart {
  std::map<std::string, std::string> which;  ///< axes that distinguish the runs of the log
  std::size_t offset = 0;                    ///< offset of the run in the log, in bytes
  std::size_t size = 0;                      ///< size of the run in bytes; 0: the whole log
  int first_line = 1;                        ///< number of the log's line at `offset`
  bool operator==(const LogPart&) const = default;
};

/// Receives what a described format does with a line: the number of the line, and the name of its
/// rule or the reason why the line was skipped.
using WatchLine = std::function<void(int line, const std::string& what)>;

struct LogFormat {
  const char* name = "";
  const char* summary = "";
  /// Meaning of the samples/s of this format: whether they are for one rank or for all ranks,
  /// whether waiting for data is included, and which steps are left out.
  const char* rates = "";
  /// Figures of the log that CollectedLog::compare() compares with the step windows, or the reason
  /// why a comparison is impossible. docs/log-formats.md repeats this text.
  const char* cross_check = "";
  const char* file = "";   ///< file in the launch folder of own runs; "" for third-party formats
  bool needs_run = false;  ///< true if the run must state the world size or batch, which logs omit
  /// Returns true if a file with this beginning is certain to have this format.
  std::function<bool(std::string_view head)> recognises;
  /// Reads a log. Never throws on content. Records that belong to no line get line number 0. For a
  /// log with several runs the function reads the content of all runs.
  std::function<LogContent(std::string_view text, const contract::RunSpec& run)> read;
  /// Reads a log like `read` and reports what happens to each line. Only formats with rules have
  /// this function.
  std::function<LogContent(std::string_view text, const contract::RunSpec& run,
                           const WatchLine& watch)>
      explain = nullptr;
  /// Returns the runs of a log that contains several runs. The function is empty if a log of this
  /// format always has a single run.
  std::function<std::vector<LogPart>(std::string_view text)> parts = nullptr;
  /// Reads one of the runs that `parts` found.
  std::function<LogContent(std::string_view text, const LogPart& part,
                           const contract::RunSpec& run)>
      read_part = nullptr;
  /// False if no model is trained or run, as in benchmarks of networks and accounting records.
  bool of_model = true;
  /// Name of the format of the log that the same program prints while it writes this file. Empty
  /// for files that do not summarise another log.
  const char* summary_of = "";
  /// False for accounting records. For jobs in accounting records, the number of ranks and the
  /// batch need not be known.
  bool of_training = true;
  /// True if the programs write a last line that marks a completed run. A log without this line
  /// ended before its program did.
  bool tells_end = false;

  /// Returns the file of the launch folder that the format reads: `file`, or stdout if `file` is
  /// empty.
  std::string launch_file() const { return *file == '\0' ? "stdout" : file; }
};

/// Returns the formats of structured logs, which have a reader in formats/.
base::Table<LogFormat> built_in_log_formats();

/// Returns all formats: the built-in ones, followed by the formats that share/log_formats
/// describes.
base::Table<LogFormat> log_formats();

// Functions that find the format of a log.

/// Number of bytes at the beginning of a log that the formats examine to recognise the log.
inline constexpr std::size_t kSampledBytes = std::size_t{64} << 10;
/// Number of bytes of a log that are searched for a line of a format if the beginning of the log
/// has no such line. NCCL's messages (NCCL_DEBUG=INFO), module files and installers may write many
/// megabytes before the first line of the program.
inline constexpr std::size_t kSearchedBytes = std::size_t{32} << 20;

/// Returns the format that recognises a log with this beginning, or null if no format does. The
/// text must not have launcher prefixes.
const LogFormat* format_of_beginning(std::string_view head);

/// Searches a text that begins with lines of other programs. Returns the training format that
/// recognises any line of the text, or null if no format does. Formats that are recognised by the
/// first line of a file (tables, JSON documents) do not match a later line. Accounting records are
/// ignored, because jobs print their own records.
const LogFormat* format_behind_other_lines(std::string_view text);

}  // namespace dlscale::analysis
