// SPDX-License-Identifier: Apache-2.0
// The columns of sacct's tables: which there are, in which order, and what stands between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::analysis::sacct {

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
