// SPDX-License-Identifier: Apache-2.0
// What sacct's tables consist of: which columns there are, and how they write times, memory and
// resources (man sacct).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::analysis::sacct {

// How sacct writes times, memory and resources (man sacct).

/// Seconds of "10-13:27:06", "00:14:20", "00:15.057"; nothing for "UNLIMITED" and the like.
std::optional<double> duration(std::string_view text);

/// Seconds from 1970 to "2015-06-26T13:57:00" by the cluster's clock; nothing for "Unknown".
std::optional<double> clock_time(std::string_view text);

/// Empty for "Unknown" and "None", which sacct prints for a time that has not come.
std::string_view known_time(std::string_view text);

/// Joules of "1.50M" and "532.61K", whose units are thousands; nothing for other texts.
std::optional<double> energy(std::string_view text);

struct Memory {
  double bytes = 0;
  char each = ' ';  ///< c: of each CPU, n: of each node, blank: in all
};
inline constexpr double kByte = 1, kMebibyte = 1024.0 * 1024;
/// "231092K", "62.50G", "3000Mc", "48000Mn". A number without a unit is in `unit`: MaxRSS is in
/// bytes and all other memory in MB (sacct's print.c).
std::optional<Memory> memory(std::string_view text, double unit = kMebibyte);

/// The number behind `name=` of "billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1".
std::optional<std::string_view> resource(std::string_view tres, std::string_view name);

/// GPUs in such a list: gres/gpu, else those of all its kinds ("gres/gpu:a100=4"); nothing for an
/// empty list.
std::optional<std::int64_t> gpus_of(std::string_view tres);

/// Unit for which a list of GRES states its number of GPUs.
enum class Each { node, task, job };

struct GpuRequest {
  Each each = Each::node;
  std::int64_t count = 0;
  bool is_known = true;  ///< false for a text that names GPUs in an unknown form
};

/// Reads GPUs per node ("gpu:2", "gpu:v100:2(S:0-1)", "PER_NODE:gpu:4", "gres:gpu:4",
/// "gres/gpu:4"), per task ("PER_TASK:gpu:1") and per job ("PER_JOB:gpu:8"). "gpu" and "gpu:v100"
/// are one GPU. Returns an empty list for texts without GPUs.
std::vector<GpuRequest> gpu_requests(std::string_view gres);

/// Reads "16" and "2K", the form in which sacct writes large counts (convert_num_unit). Returns
/// nothing for other texts.
std::optional<std::int64_t> count(std::string_view text);

/// Returns the number of nodes in "gpu[01-02,07],login1"; nothing for "None assigned" and other
/// texts without nodes.
std::optional<std::int64_t> nodes_in(std::string_view list);

// The columns of sacct's tables: which there are, in which order, and what stands between them.
struct State {
  std::string_view word;
  contract::RunOutcome outcome;
  bool ended = true;
};
/// Null for what is no state of SLURM's. "CANCELLED by 1300204" is CANCELLED.
const State* state_of(std::string_view text);

using Row = std::vector<std::string_view>;

class Columns {
 public:
  /// Learns from the first line that is a heading, or a row in the order in which Open XDMoD asks
  /// for fields. Returns whether it is a heading; nothing is known until either is found.
  bool learn(std::string_view line);
  bool known() const { return !names_.empty(); }

  /// Learns from a further heading, whose columns may be others. Returns whether the line is one.
  bool learn_again(std::string_view line);

  /// Whether a line has what stands between columns ("|" unless the heading shows another).
  bool is_table_line(std::string_view line) const;

  /// The cells of a line, one for each column. A delimiter within a job's name, which sacct does
  /// not quote, belongs to the name where the columns around it allow one reading only. Returns
  /// what is wrong with the line, or nothing.
  std::string split(std::string_view line, Row& row) const;

  /// Empty where there is no such column.
  std::string_view operator()(const Row& row, std::string_view name) const;
  /// The job's number: JobID, else JobIDRaw.
  std::string_view job_id(const Row& row) const;

  /// A job or a step: its number and its state are SLURM's.
  bool is_row(const Row& row) const;

 private:
  bool set_heading(std::string_view heading);

  std::vector<std::string> names_;
  std::string delimiter_ = "|";
};

/// Why sacct's output cannot be read, with the option that helps: a padded table, whose values are
/// cut off, and JSON. Empty for what is neither.
std::string unreadable_form(std::string_view head);

}  // namespace dlscale::analysis::sacct
