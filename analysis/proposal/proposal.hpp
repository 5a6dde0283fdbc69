// SPDX-License-Identifier: Apache-2.0
// Builds an application for computing time as data: one part for each line of a form, with the
// text, table or figure that the line requires, or with the reason why the results do not support
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/proposal/proposal_form.hpp"
#include "analysis/proposal/requested_study.hpp"
#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

/// Data from which a proposal is built.
struct ProposalData {
  const Frame& frame;  ///< collected runs, with their peak memory (RunRow::peak_memory_bytes)
  const AnalysisOptions& options;
  std::string site;  ///< site on which the collected runs were measured
  /// Bytes that each completed run wrote into its folder: records, output and checkpoints.
  std::vector<double> run_bytes;
  std::optional<RequestedStudy> request;  ///< empty if the user named no study
  ApplicantFacts facts;
  /// True if the results were read from logs of a training script of the user, by a log format.
  bool is_read_from_logs = false;
};

/// Part of a proposal. It has exactly one of these contents: text, a table, a figure, a reason why
/// the quantity is absent, or a line for the applicant.
struct ProposalPart {
  enum class Content { text, table, figure, absent, applicant };
  FormLine line;
  Content content = Content::text;
  std::vector<std::string> text;  ///< paragraphs; for an absent quantity, the reason
  std::string id;                 ///< id of the table or figure in Proposal::page
  /// Commands that would produce an absent quantity, or the missing evidence for a text.
  std::vector<std::string> commands;
};

struct Proposal {
  ProposalForm form;
  std::vector<ProposalPart> parts;  ///< one part for each line of the form, in its order
  /// Title, tables and figures of the proposal. The parts refer to them by their ids.
  StudyPage page;
};

/// Returns the proposal for a form. The same data always give the same proposal.
Proposal make_proposal(const ProposalForm& form, const ProposalData& data);

/// Returns the number of parts with this content.
std::size_t count_parts(const Proposal& proposal, ProposalPart::Content content);

}  // namespace dlscale::analysis
