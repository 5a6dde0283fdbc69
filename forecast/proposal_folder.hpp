// SPDX-License-Identifier: Apache-2.0
// Writes a proposal to a folder. Verifies such a folder: computes the proposal again from the
// records and compares it with the files.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "analysis/proposal/proposal.hpp"
#include "analysis/proposal/proposal_files.hpp"
#include "forecast/requested_runs.hpp"
#include "workspace/chosen_study.hpp"
#include "workspace/verification.hpp"

namespace dlscale::forecast {

/// Options of `dlscale propose`, except the output folder.
struct ProposalChoice {
  workspace::StudyChoice study;
  std::string form = "generic";  ///< name of a shipped form, or a form file (*.toml)
  RequestChoice request;
  std::string facts;  ///< facts file of the applicant; empty: none
};

/// Returns the proposal for the results of a plan folder, computed from the records of the folder.
/// Without a baseline in `choice`, speed-ups are relative to the smallest count of each curve.
/// Throws base::UsageError for an unknown form and for a folder without results. Also throws what
/// study_from_records, requested_study and the parsers of the form and the facts throw.
analysis::Proposal make_proposal(const ProposalChoice& choice);

/// Name of the file in the folder of a proposal that records the options. verify_proposal reads it.
inline constexpr const char* kProposalInputs = "inputs.toml";
inline constexpr const char* kProposalPdf = "proposal.pdf";

struct WrittenProposal {
  analysis::WrittenBundle bundle;
  /// Reason why proposal.pdf could not be written; empty: it was written.
  std::string no_pdf;
};

/// Writes the proposal and the options `choice` into `folder`, and makes proposal.pdf with
/// `pdflatex` if it is installed. Otherwise removes an existing proposal.pdf. Throws base::RunError
/// if a file cannot be written.
WrittenProposal write_proposal_folder(const analysis::Proposal& proposal,
                                      const ProposalChoice& choice,
                                      const std::filesystem::path& folder);

/// Computes the proposal in `folder` again from the records of the plan folder `results`, with the
/// options in inputs.toml. Compares all files except PDF files. Prints differing lines to `out`.
/// Throws base::Error with kExitNothingMatched if `folder` has no inputs.toml. Also throws what
/// make_proposal throws.
workspace::Verified verify_proposal(const std::string& results, const std::filesystem::path& folder,
                                    std::ostream& out);

}  // namespace dlscale::forecast
