// SPDX-License-Identifier: Apache-2.0
// Parses sacct tables: their columns and the formats of times, memory and resources (man sacct).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::analysis::sacct {

// Functions that parse times, memory and resources in the formats of sacct (man sacct).

/// Returns the seconds of "10-13:27:06", "00:14:20" or "00:15.057", or nothing for "UNLIMITED" and
/// similar words.
std::optional<double> duration(std::string_view text);

/// Returns the seconds since 1970 of a local time of the cluster such as "2015-06-26T13:57:00", or
/// nothing for "Unknown".
std::optional<double> clock_time(std::string_view text);

/// Returns `text` if it states a time. Returns an empty text for "Unknown" and "None", which sacct
/// prints for a time in the future.
std::string_view known_time(std::string_view text);

/// Returns the joules of "1.50M" or "532.61K", in which K is 1000 and M is 1000^2. Returns nothing
/// for other texts.
std::optional<double> energy(std::string_view text);

struct Memory {
  double bytes = 0;
  char each = ' ';  ///< c: per CPU, n: per node, blank: in total
};
inline constexpr double kByte = 1, kMebibyte = 1024.0 * 1024;
/// Parses "231092K", "62.50G", "3000Mc" or "48000Mn". A number without a unit counts `unit` bytes.
/// The caller passes 1 for MaxRSS, which is in bytes. All other memory is in MiB (sacct's print.c).
std::optional<Memory> memory(std::string_view text, double unit = kMebibyte);

/// Returns the text after `name=` in a list such as
/// "billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1".
std::optional<std::string_view> resource(std::string_view tres, std::string_view name);

/// Returns the number of GPUs in a list of resources. This is the number after gres/gpu. If the
/// list has no such number, it is the sum over all types of GPUs ("gres/gpu:a100=4"). Returns
/// nothing for an empty list.
std::optional<std::int64_t> gpus_of(std::string_view tres);

/// Scope of a number of GPUs in a GRES list: GPUs per node, per task or per job.
enum class Each { node, task, job };

struct GpuRequest {
  Each each = Each::node;
  std::int64_t count = 0;
  bool is_known = true;  ///< false for a text that names GPUs in an unknown form
};

/// Parses GPUs per node ("gpu:2", "gpu:v100:2(S:0-1)", "PER_NODE:gpu:4", "gres:gpu:4",
/// "gres/gpu:4"), per task ("PER_TASK:gpu:1") and per job ("PER_JOB:gpu:8"). "gpu" and "gpu:v100"
/// mean one GPU. Returns an empty list for texts without GPUs.
std::vector<GpuRequest> gpu_requests(std::string_view gres);

/// Parses "16" and "2K", the form in which sacct writes large counts (convert_num_unit). Returns
/// nothing for other texts.
std::optional<std::int64_t> count(std::string_view text);

/// Returns the number of nodes in "gpu[01-02,07],login1", or nothing for "None assigned" and other
/// texts without nodes.
std::optional<std::int64_t> nodes_in(std::string_view list);

// Types that describe the states of jobs and the columns of a sacct table.
struct State {
  std::string_view word;
  contract::RunOutcome outcome;
  bool ended = true;
};
/// Returns the state that a text names, or null if SLURM has no such state. "CANCELLED by 1300204"
/// names the state CANCELLED.
const State* state_of(std::string_view text);

using Row = std::vector<std::string_view>;

class Columns {
 public:
  /// Determines the columns from a line that is a heading, or that is a row in the order in which
  /// Open XDMoD requests fields. For any other line the columns stay unknown. Returns true if the
  /// line is a heading.
  bool learn(std::string_view line);
  bool known() const { return !names_.empty(); }

  /// Determines the columns from a further heading, whose columns may differ. Returns true if the
  /// line is a heading.
  bool learn_again(std::string_view line);

  /// Returns true if a line contains the delimiter, which is "|" unless the heading uses a
  /// different delimiter.
  bool is_table_line(std::string_view line) const;

  /// Splits a line into one cell for each column. sacct does not quote a delimiter within a job
  /// name. Such a delimiter becomes part of the name if the surrounding columns allow only one
  /// reading. Returns an error message, or an empty text on success.
  std::string split(std::string_view line, Row& row) const;

  /// Returns the cell of a column, or an empty text if the column does not exist.
  std::string_view operator()(const Row& row, std::string_view name) const;
  /// Returns the job number: JobID, or else JobIDRaw.
  std::string_view job_id(const Row& row) const;

  /// Returns true if the row is a job or a step, with a number and a state that SLURM uses.
  bool is_row(const Row& row) const;

 private:
  bool set_heading(std::string_view heading);

  std::vector<std::string> names_;
  std::string delimiter_ = "|";
};

/// Returns the reason why this form of sacct output cannot be read, and the sacct option that
/// solves the problem. Two forms are not supported: padded tables, because sacct truncates their
/// values, and JSON. Returns an empty text for any other output.
std::string unreadable_form(std::string_view head);

}  // namespace dlscale::analysis::sacct
