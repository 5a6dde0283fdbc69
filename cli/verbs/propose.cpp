// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale propose`, which writes the pages that a computing centre requires in an
// application for computing time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/proposal/proposal_form.hpp"
#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/chosen_study_options.hpp"
#include "cli/options/completer.hpp"
#include "forecast/proposal_folder.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

struct ProposeOptions {
  forecast::ProposalChoice choice;
  std::string output;
  std::string site;
  bool list = false;
};

int list_forms() {
  std::vector<std::vector<std::string>> rows;
  for (const analysis::ProposalForm& form : analysis::shipped_proposal_forms()) {
    const std::string read = form.sources.empty() ? "-" : form.sources.front().read;
    rows.push_back({form.name, form.centre, form.application, form.unit.name, read});
  }
  std::cout << base::print_table({"form", "centre", "application", "unit", "read"}, rows);
  return kExitOk;
}

/// Throws base::UsageError for options that have no effect without --for.
void check_request(const ProposeOptions& options) {
  const forecast::RequestChoice& request = options.choice.request;
  if (!request.study.empty()) return;
  const char* const option = !options.site.empty()          ? "--site"
                             : !request.overrides.empty()   ? "-S"
                             : !request.calibration.empty() ? "--calibration"
                                                            : nullptr;
  if (option != nullptr) {
    throw base::UsageError(
        fmt::format("{}: also give --for STUDY.toml, the study for which computing time is "
                    "requested",
                    option));
  }
}

fs::path output_folder(const ProposeOptions& options) {
  const fs::path folder = options.output.empty()
                              ? fs::path(options.choice.study.folder) / "proposal"
                              : fs::path(options.output);
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    throw base::UsageError(fmt::format("--output {}: is a file, not a folder", folder.string()));
  }
  return folder;
}

void print_absent(const analysis::Proposal& proposal) {
  using Content = analysis::ProposalPart::Content;
  for (const analysis::ProposalPart& part : proposal.parts) {
    if (part.content != Content::absent) continue;
    fmt::print("not stated: {}: {}\n", part.line.title, part.text.front());
    for (const std::string& command : part.commands) fmt::print("  {}\n", command);
  }
}

void print_written(const forecast::WrittenProposal& written, const fs::path& folder) {
  for (const char* const file : {analysis::kProposalMarkdown, analysis::kProposalHtml,
                                 analysis::kProposalLatex, forecast::kProposalPdf}) {
    if (file == forecast::kProposalPdf && !written.no_pdf.empty()) continue;
    fmt::print("wrote {}\n", (folder / file).string());
  }
  if (!written.no_pdf.empty()) {
    fmt::print("warning: no {}: {}\n", forecast::kProposalPdf, written.no_pdf);
  }
  if (written.bundle.undrawn > 0) {
    fmt::print("warning: {} of {} figures have no .pdf file: {}\n", written.bundle.undrawn,
               written.bundle.figures, written.bundle.problem);
  }
}

int propose(ProposeOptions options) {
  if (options.list) return list_forms();
  using Content = analysis::ProposalPart::Content;
  check_request(options);
  if (!options.choice.study.sources.empty()) {
    throw base::UsageError("a proposal needs exactly one plan folder: give DIR, not NAME=DIR");
  }
  if (!options.site.empty()) options.choice.request.site = options.site;
  const fs::path folder = output_folder(options);
  const analysis::Proposal proposal = forecast::make_proposal(options.choice);
  const forecast::WrittenProposal written =
      forecast::write_proposal_folder(proposal, options.choice, folder);
  fmt::print("{}: {}, {} not stated, {} to be filled in by the applicant\n", proposal.form.name,
             base::count_of(static_cast<std::int64_t>(proposal.parts.size()), "line"),
             count_parts(proposal, Content::absent), count_parts(proposal, Content::applicant));
  print_absent(proposal);
  print_written(written, folder);
  return kExitOk;
}

Action define_propose(CLI::App& app) {
  const auto options = std::make_shared<ProposeOptions>();
  forecast::ProposalChoice& choice = options->choice;
  app.add_flag("--list", options->list, "list the forms of computing centres");
  app.add_option("--form", choice.form, "name of a form, or a form file (*.toml)")
      ->type_name("FORM")
      ->capture_default_str();
  app.add_option("--for", choice.request.study,
                 "study for which computing time is requested (*.toml)")
      ->type_name(value_kind::kStudy);
  app.add_option("--site", options->site,
                 "site of the requested study: a name, or a site file (*.toml) (default: local)")
      ->type_name(value_kind::kSite);
  app.add_option("-S,--set", choice.request.overrides,
                 "set a key of the requested study, for example -S study.repeats=3")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--calibration", choice.request.calibration,
                 "file from dlscale calibrate for the predictions (default: the calibration of the "
                 "requested study, otherwise data sheets)")
      ->type_name(value_kind::kFile);
  app.add_option("--facts", choice.facts,
                 "TOML file with the texts that only the applicant can write")
      ->type_name(value_kind::kFile);
  app.add_option("-o,--output", options->output,
                 "folder for the proposal (default: DIR/proposal). Existing files with the same "
                 "names are replaced")
      ->type_name(value_kind::kFolder);
  add_study_options(app, choice.study);
  app.get_option("DIR")->description("plan folder with results (default: the current folder)");
  app.get_option("DIR|RUN")->description("run ids and globs like those of --run");
  app.get_option("--baseline")
      ->description(
          "baseline of speed-ups: gpus=N, smallest-common or per-curve (default: per-curve, the "
          "smallest GPU count of each configuration)");
  add_efficiency_option(app, choice.study.min_efficiency);
  return [options] {
    workspace::find_sources(options->choice.study);
    return propose(*options);
  };
}

}  // namespace

extern const CommandEntry propose_entry;
const CommandEntry propose_entry{
    .name = "propose",
    .summary = "Write the pages for an application for computing time",
    .example =
        "dlscale propose --list\n"
        "  dlscale propose demo --form archer2 --for large.toml --site mine.toml -o application\n"
        "  dlscale verify demo --proposal application",
    .define = &define_propose,
};

}  // namespace dlscale::cli
