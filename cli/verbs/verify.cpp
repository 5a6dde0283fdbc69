// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale verify`, which computes tables and the numbers of a paper again from the
// records and compares them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/chosen_study_options.hpp"
#include "cli/options/completer.hpp"
#include "forecast/proposal_folder.hpp"
#include "workspace/verification.hpp"

namespace dlscale::cli {
namespace {

/// Maximum number of file names to print.
constexpr std::size_t kShownFiles = 10;

/// Returns the first names as text, followed by the number of the other names.
std::string list_files(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kShownFiles);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string verdict_on(const workspace::Verified& verified) {
  std::vector<std::string> parts;
  if (verified.different > 0) parts.push_back(fmt::format("{} lines differ", verified.different));
  if (!verified.missing.empty()) {
    const int missing = static_cast<int>(verified.missing.size());
    parts.push_back(base::count_of(missing, "file") + " missing");
  }
  return parts.empty() ? "no differences" : fmt::format("{}", fmt::join(parts, ", "));
}

int conclude(const workspace::Verified& verified) {
  std::cout << fmt::format("{} {} with {} lines recomputed from the records: {}\n", verified.files,
                           verified.what, verified.lines, verdict_on(verified));
  if (verified.pictures > 0) {
    std::cout << fmt::format("not checked: {} that a program makes from the checked files\n",
                             base::count_of(static_cast<int>(verified.pictures),
                                            "PDF file or image", "PDF files or images"));
  }
  if (!verified.missing.empty()) {
    std::cout << fmt::format("missing: {}\n", list_files(verified.missing));
  }
  if (!verified.others.empty()) {
    std::cout << fmt::format("ignored files (not {}): {}\n", verified.other_than,
                             list_files(verified.others));
  }
  if (verified.files == 0) return kExitNothingMatched;
  return verified.different == 0 && verified.missing.empty() ? kExitOk : kExitRunsFailed;
}

struct VerifyOptions {
  workspace::VerifyChoice choice;
  std::string proposal;  ///< folder of `dlscale propose`; empty: no proposal is checked
};

/// Throws base::UsageError for options that have no effect with --proposal.
void check_proposal_options(const VerifyOptions& options, const CLI::App& app) {
  if (!options.choice.report.empty()) {
    throw base::UsageError("--proposal and --report cannot be combined");
  }
  if (!options.choice.study.sources.empty()) {
    throw base::UsageError("--proposal needs exactly one plan folder: give DIR, not NAME=DIR");
  }
  const auto given = app.get_options([](const CLI::Option* option) {
    const std::string name = option->get_name();
    return option->count() > 0 && name != "DIR" && name != "--proposal";
  });
  if (given.empty()) return;
  throw base::UsageError(
      fmt::format("leave out {} with --proposal: inputs.toml in the folder of the proposal "
                  "contains the options",
                  given.front()->get_name()));
}

int verify(const VerifyOptions& options) {
  const workspace::VerifyChoice& choice = options.choice;
  if (!options.proposal.empty()) {
    return conclude(forecast::verify_proposal(choice.study.folder, options.proposal, std::cout));
  }
  if (choice.report.empty() && !choice.study.sources.empty()) {
    throw base::UsageError(
        "--report is missing: several plan folders have no common tables except those of dlscale "
        "report");
  }
  workspace::check_min_efficiency(choice.study.min_efficiency);
  return conclude(choice.report.empty() ? workspace::verify_collected(choice, std::cout)
                                        : workspace::verify_report(choice, std::cout));
}

Action define_verify(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  app.add_option("--report", options->choice.report,
                 "folder of dlscale report: check its files except images, instead of DIR/tables. "
                 "Give the same options as for dlscale report")
      ->type_name(value_kind::kFolder);
  app.add_option("--proposal", options->proposal,
                 "folder of dlscale propose: check its files except images, instead of DIR/tables. "
                 "The options are read from inputs.toml in that folder")
      ->type_name(value_kind::kFolder);
  app.add_option("--by", options->choice.by, "the same --by as for dlscale report")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_study_options(app, options->choice.study);
  add_efficiency_option(app, options->choice.study.min_efficiency);
  return [options, &app] {
    workspace::find_sources(options->choice.study);
    if (!options->proposal.empty()) check_proposal_options(*options, app);
    return verify(*options);
  };
}

}  // namespace

extern const CommandEntry verify_entry;
const CommandEntry verify_entry{
    .name = "verify",
    .summary = "Recompute the tables and numbers of a paper from the records and print differences",
    .example =
        "dlscale verify demo\n"
        "  dlscale verify demo --report demo/report\n"
        "  dlscale verify demo --proposal demo/proposal",
    .define = &define_verify,
};

}  // namespace dlscale::cli
