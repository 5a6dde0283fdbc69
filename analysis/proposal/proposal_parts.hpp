// SPDX-License-Identifier: Apache-2.0
// Functions that build the quantities of a proposal. Private to analysis/proposal/.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "analysis/proposal/proposal.hpp"

namespace dlscale::analysis {

/// Quantity that the data do not support.
struct Absent {
  std::string reason;
  std::vector<std::string> commands;  ///< commands that would produce the quantity
};

/// Paragraphs of a text.
using Paragraphs = std::vector<std::string>;
/// Text that the results do not prove, with the commands of the missing measurements.
struct Statement {
  Paragraphs text;
  std::vector<std::string> commands;
};
/// Value of a quantity, or the reason why it is absent.
using ProposalValue = std::variant<Paragraphs, Statement, Table, NamedFigure, Absent>;

/// Command that writes the proposal with a request for a study.
inline constexpr const char* kRequestCommand =
    "dlscale propose RESULTS --for STUDY.toml --site SITE";

// Quantities of the requested study. `unit` is the unit of the centre.

ProposalValue run_count(const ProposalData& data);
ProposalValue job_sizes(const ProposalData& data);
ProposalValue request_table(const ProposalData& data);
ProposalValue request_total(const ProposalData& data, const FormUnit& unit);
ProposalValue storage(const ProposalData& data);

/// Returns the statements on what was predicted instead of measured, and on extrapolations.
Paragraphs request_limits(const ProposalData& data);

/// Returns a number with at least three significant digits, without an exponent.
std::string proposal_number(double value);

}  // namespace dlscale::analysis
