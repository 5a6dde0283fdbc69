// SPDX-License-Identifier: Apache-2.0
#include "analysis/proposal/proposal_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/report/html_text.hpp"
#include "analysis/report/latex_text.hpp"
#include "analysis/report/page/html_page.hpp"
#include "analysis/report/page/latex_values.hpp"
#include "analysis/report/page/page_parts.hpp"
#include "analysis/report/writers/report_writer.hpp"

namespace dlscale::analysis {
namespace {

using Content = ProposalPart::Content;

// Marks before the reason why a quantity is absent, and before a line that the applicant must
// write.
constexpr const char* kAbsent = "Not stated. ";
constexpr const char* kFillIn = "TO BE FILLED IN. ";

const char* mark_of_content(Content content) {
  if (content == Content::absent) return kAbsent;
  return content == Content::applicant ? kFillIn : "";
}

const Table& proposal_table(const Proposal& proposal, const ProposalPart& part) {
  const std::vector<Table>& tables = proposal.page.report.tables;
  return *std::find_if(tables.begin(), tables.end(),
                       [&](const Table& table) { return table.id == part.id; });
}

const NamedFigure& proposal_figure(const Proposal& proposal, const ProposalPart& part) {
  const std::vector<NamedFigure>& figures = proposal.page.figures;
  return *std::find_if(figures.begin(), figures.end(),
                       [&](const NamedFigure& figure) { return figure.id == part.id; });
}

/// Returns true if an earlier part shows the same table or figure.
bool is_repeated(const Proposal& proposal, const ProposalPart& part) {
  for (const ProposalPart& earlier : proposal.parts) {
    if (&earlier == &part) return false;
    if (!part.id.empty() && earlier.id == part.id && earlier.content == part.content) return true;
  }
  return false;
}

/// Returns the sentence that replaces a repeated table or figure.
std::string repeated_text(const Proposal& proposal, const ProposalPart& part) {
  for (const ProposalPart& earlier : proposal.parts) {
    if (earlier.id == part.id && earlier.content == part.content) {
      return fmt::format("See \"{}\".", earlier.line.title);
    }
  }
  return "";
}

std::string proposal_title(const Proposal& proposal) {
  return fmt::format("{}: {} for {}", proposal.form.centre, proposal.form.application,
                     proposal.page.title);
}

/// Returns the sentences on the form: its sources and its note.
std::vector<std::string> form_sentences(const ProposalForm& form) {
  std::vector<std::string> sentences;
  for (const FormSource& source : form.sources) {
    sentences.push_back(fmt::format("Source of the requirements: {} ({}, read on {}).", source.page,
                                    source.address, source.read));
  }
  if (!form.sources.empty()) {
    sentences.emplace_back("Forms change. Compare the lines with the current form of the centre.");
  }
  if (!form.note.empty()) sentences.push_back(form.note);
  return sentences;
}

std::string required_text(const FormLine& line) {
  return fmt::format("Required: {} (source: {}, {})", line.asks, line.source, line.quantity);
}

// Functions that write Markdown.

/// Returns a text with the characters escaped that have a meaning in Markdown. Parts between
/// backticks stay code.
std::string markdown_text(const std::string& text) {
  std::string escaped;
  bool in_code = false;
  for (const char c : text) {
    if (c == '`') in_code = !in_code;
    if (!in_code && std::string_view("\\|*_<>~#[]").find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string markdown_part(const Proposal& proposal, const ProposalPart& part) {
  std::string text = fmt::format("\n## {}\n\n*{}*\n", markdown_text(part.line.title),
                                 markdown_text(required_text(part.line)));
  if (is_repeated(proposal, part)) {
    return text + "\n" + markdown_text(repeated_text(proposal, part)) + "\n";
  }
  const std::string mark = mark_of_content(part.content);
  bool is_first = true;
  for (const std::string& paragraph : part.text) {
    text += "\n" +
            (is_first && !mark.empty() ? "**" + mark.substr(0, mark.size() - 1) + "** " : "") +
            markdown_text(paragraph) + "\n";
    is_first = false;
  }
  if (!part.commands.empty()) {
    text += "\n```sh\n";
    for (const std::string& command : part.commands) text += command + "\n";
    text += "```\n";
  }
  if (part.content == Content::table) {
    text += "\n" + find_report_writer("markdown").render_alone(proposal_table(proposal, part));
  }
  if (part.content == Content::figure) {
    const NamedFigure& named = proposal_figure(proposal, part);
    text +=
        fmt::format("\n![{0}](figures/{1}.svg)\n\n{0}; {2}\n", markdown_text(named.figure.title),
                    named.id, markdown_text(named.figure.subtitle));
  }
  return text;
}

// Functions that write HTML.

std::string html_part(const Proposal& proposal, const ProposalPart& part, std::size_t number) {
  std::string text = fmt::format(
      "<section aria-labelledby=\"part-{0}\">\n<h2 id=\"part-{0}\">{1}</h2>\n"
      "<p><em>{2}</em></p>\n",
      number, html_text(part.line.title), html_text(required_text(part.line)));
  if (is_repeated(proposal, part)) {
    return text + "<p>" + html_text(repeated_text(proposal, part)) + "</p>\n</section>\n";
  }
  bool is_first = true;
  for (const std::string& paragraph : part.text) {
    const std::string mark = is_first ? mark_of_content(part.content) : "";
    text += "<p>" + (mark.empty() ? "" : "<strong>" + mark + "</strong>") +
            html_sentences(paragraph) + "</p>\n";
    is_first = false;
  }
  text += html_commands(part.commands);
  if (part.content == Content::table) {
    const Table& table = proposal_table(proposal, part);
    text +=
        fmt::format("<p id=\"caption-{}\">{}</p>\n", html_text(table.id), html_text(table.title)) +
        html_table(table, table.notes, TableView::Folded);
  }
  if (part.content == Content::figure) {
    text += figure_element(proposal_figure(proposal, part), "");
  }
  return text + "</section>\n";
}

// Functions that write LaTeX.

/// Returns a text as LaTeX. Parts between backticks are in typewriter type.
std::string latex_sentences(const std::string& text) {
  std::string latex;
  bool in_code = false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('`', at), text.size());
    latex += latex_text(text.substr(at, end - at));
    if (end == text.size()) break;
    in_code = !in_code;
    latex += in_code ? "\\texttt{" : "}";
    at = end + 1;
  }
  return in_code ? latex + "}" : latex;
}

std::string latex_part(const Proposal& proposal, const ProposalPart& part) {
  std::string text = "\\section{" + latex_text(part.line.title) + "}\n\\noindent\\emph{" +
                     latex_text(required_text(part.line)) + "}\n\n";
  if (is_repeated(proposal, part)) {
    return text + latex_text(repeated_text(proposal, part)) + "\n\n";
  }
  bool is_first = true;
  for (const std::string& paragraph : part.text) {
    const std::string mark = is_first ? mark_of_content(part.content) : "";
    text += (mark.empty() ? "" : "\\textbf{" + mark + "}") + latex_sentences(paragraph) + "\n\n";
    is_first = false;
  }
  for (const std::string& command : part.commands) {
    text += "\\noindent\\texttt{" + latex_text(command) + "}\n\n";
  }
  if (part.content == Content::table) text += "\\input{tables/" + part.id + ".tex}\n";
  if (part.content == Content::figure) text += latex_figure(proposal_figure(proposal, part));
  return text;
}

}  // namespace

std::string proposal_markdown(const Proposal& proposal) {
  std::string text = "# " + markdown_text(proposal_title(proposal)) + "\n";
  for (const std::string& sentence : form_sentences(proposal.form)) {
    text += "\n" + markdown_text(sentence) + "\n";
  }
  for (const ProposalPart& part : proposal.parts) text += markdown_part(proposal, part);
  return text;
}

std::string proposal_html(const Proposal& proposal) {
  const std::string title = proposal_title(proposal);
  std::string text = html_head(title) + "<body>\n<header>\n<h1>" + html_text(title) +
                     "</h1>\n<button type=\"button\" id=\"theme\" hidden>Dark theme</button>\n"
                     "</header>\n<main id=\"main\">\n";
  for (const std::string& sentence : form_sentences(proposal.form)) {
    text += "<p>" + html_text(sentence) + "</p>\n";
  }
  std::size_t number = 0;
  for (const ProposalPart& part : proposal.parts) text += html_part(proposal, part, ++number);
  return text +
         "</main>\n<footer>Generated by dlscale from the records of the runs.</footer>\n</body>\n"
         "</html>\n";
}

std::string proposal_latex(const Proposal& proposal) {
  std::string text = latex_preamble() + "\\begin{document}\n\\title{" +
                     latex_text(proposal_title(proposal)) + "}\n\\author{}\\date{}\n\\maketitle\n";
  for (const std::string& sentence : form_sentences(proposal.form)) {
    text += "\\noindent " + latex_text(sentence) + "\n\n";
  }
  for (const ProposalPart& part : proposal.parts) text += latex_part(proposal, part);
  return text + "\\end{document}\n";
}

WrittenBundle write_proposal(const Proposal& proposal, const std::filesystem::path& folder,
                             const std::string& converter) {
  write_documents(proposal.page,
                  {{"values.tex", [&] { return latex_values_file(proposal.page); }},
                   {kProposalMarkdown, [&] { return proposal_markdown(proposal); }},
                   {kProposalHtml, [&] { return proposal_html(proposal); }},
                   {kProposalLatex, [&] { return proposal_latex(proposal); }}},
                  folder);
  return write_figures(proposal.page, folder / "figures", converter);
}

}  // namespace dlscale::analysis
