// SPDX-License-Identifier: Apache-2.0
// Writes a proposal as Markdown, HTML and LaTeX, with its tables and figures as separate files.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/proposal/proposal.hpp"
#include "analysis/report/page/report_bundle.hpp"

namespace dlscale::analysis {

// Names of the documents in the folder of a proposal.
inline constexpr const char* kProposalMarkdown = "proposal.md";
inline constexpr const char* kProposalHtml = "proposal.html";
inline constexpr const char* kProposalLatex = "proposal.tex";

/// Returns the proposal as GitHub Markdown. Figures are links to figures/<id>.svg.
std::string proposal_markdown(const Proposal& proposal);

/// Returns the proposal as one HTML file that loads no other files.
std::string proposal_html(const Proposal& proposal);

/// Returns the LaTeX document. It inputs values.tex, tables/<id>.tex and figures/<id>.tex from its
/// folder.
std::string proposal_latex(const Proposal& proposal);

/// Writes the three documents, values.tex, tables/<id>.{md,csv,tex,json} and
/// figures/<id>.{csv,svg,pdf,tex} into `folder`. The same proposal always gives identical bytes,
/// except for images that `converter` makes. Throws base::RunError if a file cannot be written.
WrittenBundle write_proposal(const Proposal& proposal, const std::filesystem::path& folder,
                             const std::string& converter = kConverter);

}  // namespace dlscale::analysis
