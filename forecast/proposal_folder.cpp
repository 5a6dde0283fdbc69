// SPDX-License-Identifier: Apache-2.0
#include "forecast/proposal_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "config/toml/fields.hpp"
#include "contract/plan/plan.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/runs/inventory.hpp"
#include "workspace/runs/plan_folder.hpp"
#include "workspace/study_from_records.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

analysis::ApplicantFacts read_facts(const std::string& file, const analysis::ProposalForm& form) {
  if (file.empty()) return {};
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw base::UsageError(fmt::format("--facts {}: no such file", file));
  return analysis::parse_applicant_facts(base::read_text_file(file), file, form);
}

/// Returns the number of bytes in the files below a folder. Unlike the allocated size, this number
/// does not depend on the file system.
double bytes_below(const fs::path& folder) {
  double bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error) && !error) {
      bytes += static_cast<double>(entry->file_size(error));
    }
  }
  return bytes;
}

/// Returns the bytes of each completed run whose folder exists.
std::vector<double> run_bytes(const contract::PlanDir& folder, const analysis::Frame& frame) {
  std::vector<double> bytes;
  for (const analysis::RunRow& run : frame.runs) {
    if (!completed(run)) continue;
    const double size = bytes_below(folder.run(run.run_id).root());
    if (size > 0) bytes.push_back(size);
  }
  return bytes;
}

void require_results(const analysis::Frame& frame, const std::string& folder) {
  if (std::any_of(frame.runs.begin(), frame.runs.end(), &analysis::completed)) return;
  throw base::UsageError(fmt::format(
      "{}: no run has completed, so there are no results for a proposal; dlscale status {} shows "
      "the states of the runs",
      folder, folder));
}

// The following functions write the options of a proposal to a file and read them.

/// Paths in inputs.toml are relative to its folder, so that results and proposal can move together.
std::string stored_path(const std::string& path, const fs::path& folder) {
  if (path.empty()) return "";
  return fs::absolute(path).lexically_normal().lexically_proximate(
      fs::absolute(folder).lexically_normal());
}

std::string used_path(const std::string& path, const fs::path& folder) {
  if (path.empty()) return "";
  return (fs::absolute(folder) / path).lexically_normal().string();
}

/// Returns true if the name of a site or form is the path of a file.
bool is_file(const std::string& name) {
  return name.ends_with(".toml");
}

config::Node string_list(const std::vector<std::string>& texts) {
  config::List list;
  for (const std::string& text : texts) list.push_back({text, {}});
  return {std::move(list), {}};
}

std::string inputs_text(const ProposalChoice& choice, const fs::path& folder) {
  config::Table table;
  const auto add = [&](const char* key, auto value) { table.push_back({key, {}, {value, {}}}); };
  const auto add_list = [&](const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) table.push_back({key, {}, string_list(texts)});
  };
  const auto add_text = [&](const char* key, const std::string& text) {
    if (!text.empty()) add(key, text);
  };
  const RequestChoice& request = choice.request;
  add_text("form", is_file(choice.form) ? stored_path(choice.form, folder) : choice.form);
  add_text("for", stored_path(request.study, folder));
  add_text("site", is_file(request.site) ? stored_path(request.site, folder) : request.site);
  add_list("set", request.overrides);
  add_text("calibration", stored_path(request.calibration, folder));
  add_text("facts", stored_path(choice.facts, folder));
  add_text("baseline", choice.study.baseline);
  add("mixed", choice.study.mixed);
  add_text("outliers", choice.study.outliers);
  add_text("warmup", choice.study.warmup);
  add("min_efficiency", choice.study.min_efficiency);
  add_list("runs", choice.study.runs.runs);
  add_text("where", choice.study.runs.where);
  return "# Options of dlscale propose, for dlscale verify RESULTS --proposal DIR.\n" +
         config::toml_text({std::move(table), {}});
}

ProposalChoice read_inputs(const fs::path& folder) {
  const fs::path file = folder / kProposalInputs;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    throw base::RunError(fmt::format("{}: there is no file {}; dlscale propose writes this file",
                                     folder.string(), kProposalInputs),
                         base::kExitNothingMatched);
  }
  using config::Item;
  using Choice = ProposalChoice;
  const auto path_or_name = [&](const Item& item) {
    return is_file(item.text()) ? used_path(item.text(), folder) : item.text();
  };
  const std::vector<config::Field<Choice>> fields{
      {"form", [&](Choice& c, const Item& item) { c.form = path_or_name(item); }},
      {"for",
       [&](Choice& c, const Item& item) { c.request.study = used_path(item.text(), folder); }},
      {"site", [&](Choice& c, const Item& item) { c.request.site = path_or_name(item); }},
      {"set", [](Choice& c, const Item& item) { c.request.overrides = item.texts(); }},
      {"calibration",
       [&](Choice& c, const Item& item) {
         c.request.calibration = used_path(item.text(), folder);
       }},
      {"facts", [&](Choice& c, const Item& item) { c.facts = used_path(item.text(), folder); }},
      {"baseline", [](Choice& c, const Item& item) { c.study.baseline = item.text(); }},
      {"mixed", [](Choice& c, const Item& item) { c.study.mixed = item.flag(); }},
      {"outliers", [](Choice& c, const Item& item) { c.study.outliers = item.text(); }},
      {"warmup", [](Choice& c, const Item& item) { c.study.warmup = item.text(); }},
      {"min_efficiency",
       [](Choice& c, const Item& item) { c.study.min_efficiency = item.number(0, 1); }},
      {"runs", [](Choice& c, const Item& item) { c.study.runs.runs = item.texts(); }},
      {"where", [](Choice& c, const Item& item) { c.study.runs.where = item.text(); }}};
  const config::Node root = config::parse_document(base::read_text_file(file), file.string());
  ProposalChoice choice;
  config::read_fields(Item{root, ""}, fields, choice);
  return choice;
}

// The following functions make the PDF file of a proposal.

/// Returns the line of LaTeX's output that states the first error, or a general text.
std::string latex_error(const std::string& output) {
  for (const std::string_view line : base::lines_of(output)) {
    if (line.starts_with("!")) return "pdflatex failed: " + std::string(line.substr(2));
  }
  return "pdflatex failed without an error message";
}

/// Makes proposal.pdf in `folder`. Returns an empty text, or the reason why there is no PDF file.
std::string make_pdf(const fs::path& folder) {
  constexpr double kTimeoutS = 300;
  const workspace::ScratchFolder scratch;
  runner::Command command{
      .arguments = {"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-output-directory",
                    scratch.path().string(), analysis::kProposalLatex},
      .folder = folder,
      .out = {},
      .environment = {{"SOURCE_DATE_EPOCH", "0"}}};
  runner::Answer answer;
  try {
    answer = runner::make_command_runner()->run(command, kTimeoutS);
  } catch (const base::RunError& error) {
    return fmt::format(
        "{}; install the Debian packages texlive-latex-extra and texlive-science, or run pdflatex "
        "{} on another machine",
        error.what(), analysis::kProposalLatex);
  }
  if (!answer.end) return fmt::format("pdflatex took longer than {} s", kTimeoutS);
  const fs::path made = scratch.path() / kProposalPdf;
  std::error_code ignored;
  if (answer.end->exit_code != 0 || answer.end->signal != 0 || !fs::exists(made, ignored)) {
    return latex_error(answer.out);
  }
  base::write_file_atomically(folder / kProposalPdf, base::read_file(made));
  return "";
}

/// Returns the description of a run of the results, or nothing if it cannot be read.
std::optional<contract::RunSpec> description_of(const contract::PlanDir& folder,
                                                contract::RunTables& tables,
                                                const std::string& run_id) {
  try {
    return workspace::read_run(folder, tables, run_id);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace

analysis::Proposal make_proposal(const ProposalChoice& choice) {
  const analysis::ProposalForm form = analysis::find_proposal_form(choice.form);
  const analysis::ApplicantFacts facts = read_facts(choice.facts, form);
  const contract::PlanDir folder{fs::path(choice.study.folder)};
  const contract::Plan plan = contract::read_plan(folder);
  workspace::StudyChoice study_choice = choice.study;
  if (study_choice.baseline.empty()) study_choice.baseline = "per-curve";
  const workspace::ChosenStudy study =
      workspace::study_from_records(study_choice, workspace::PeakMemory::read);
  std::optional<analysis::RequestedStudy> request;
  if (!choice.request.study.empty()) {
    contract::RunTables tables(plan, folder);
    request = requested_study(choice.request, study.frame, [&](const std::string& run_id) {
      return description_of(folder, tables, run_id);
    });
  }
  require_results(study.frame, choice.study.folder);
  return analysis::make_proposal(
      form, {.frame = study.frame,
             .options = study.options,
             .site = plan.site,
             .run_bytes = run_bytes(folder, study.frame),
             .request = std::move(request),
             .facts = facts,
             .is_read_from_logs = !std::ranges::all_of(plan.runs, &contract::writes_records)});
}

WrittenProposal write_proposal_folder(const analysis::Proposal& proposal,
                                      const ProposalChoice& choice, const fs::path& folder) {
  WrittenProposal written;
  written.bundle = analysis::write_proposal(proposal, folder);
  base::write_file_if_changed(folder / kProposalInputs, inputs_text(choice, folder));
  written.no_pdf = make_pdf(folder);
  if (!written.no_pdf.empty()) {
    // A PDF file of an earlier call would show other numbers than the new documents.
    std::error_code ignored;
    fs::remove(folder / kProposalPdf, ignored);
  }
  return written;
}

workspace::Verified verify_proposal(const std::string& results, const fs::path& folder,
                                    std::ostream& out) {
  ProposalChoice choice = read_inputs(folder);
  choice.study.folder = results;
  constexpr const char* kNoConverter = "";
  const workspace::ScratchFolder again;
  const analysis::Proposal proposal = make_proposal(choice);
  analysis::write_proposal(proposal, again.path(), kNoConverter);
  base::write_file_if_changed(again.path() / kProposalInputs, inputs_text(choice, folder));
  return workspace::compare_folders(folder, again.path(), "files of a proposal", out);
}

}  // namespace dlscale::forecast
