// SPDX-License-Identifier: Apache-2.0
// `dlscale plot`: one figure of a collected study, with the CSV file it shows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/figures.hpp"
#include "analysis/report/gnuplot.hpp"
#include "analysis/report/headings.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "cli/chosen_study.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "contract/run_dir.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  StudyChoice study;
  std::string kind;
  std::string output;
};

/// Where the figure goes: as asked, or into the plan folder.
fs::path output_path(const Options& options) {
  if (options.output.empty()) {
    return contract::PlanDir(fs::path(options.study.folder)).figures() / (options.kind + ".svg");
  }
  const fs::path path = options.output;
  const std::string dotted = path.extension().string();
  const std::string ending = dotted.empty() ? "" : dotted.substr(1);
  const std::vector<std::string>& formats = analysis::figure_formats();
  if (std::find(formats.begin(), formats.end(), ending) == formats.end()) {
    throw base::UsageError(fmt::format("--output {}: {}", path.string(),
                                       base::unknown_name("figure format", ending, formats)));
  }
  return path;
}

int plot(const Options& options) {
  const analysis::FigureKind& kind = analysis::find_figure_kind(options.kind);
  const fs::path output = output_path(options);
  const ChosenStudy study = open_study(options.study);
  const analysis::Figure figure = kind.make(study.frame, study.options);
  if (figure.series.empty()) {
    fmt::print(stderr, "dlscale: nothing to draw: {}\n", describe_use(study.frame));
    return options.study.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  fs::path stem = output;
  stem.replace_extension();
  const analysis::Drawn drawn = write_figure(figure, stem, {output.extension().string().substr(1)});
  for (const fs::path& file : drawn.files) fmt::print("wrote {}\n", file.string());
  if (!drawn.problem.empty()) throw base::RunError(drawn.problem);
  return kExitOk;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  std::string kinds;
  std::vector<std::string> names;
  for (const analysis::FigureKind& kind : analysis::figure_kinds()) {
    kinds += fmt::format("\n  {}: {}", kind.name, kind.summary);
    names.emplace_back(kind.name);
  }
  app.add_option("KIND", options->kind, "the figure:" + kinds)
      ->type_name(one_of(names))
      ->required();
  app.add_option("-o,--output", options->output,
                 "file to draw, .svg, .pdf or .png; its CSV and gnuplot script go beside it "
                 "(default: DIR/figures/KIND.svg)")
      ->type_name(value_kind::kFile);
  add_study_options(app, options->study);
  return [options] { return plot(*options); };
}

}  // namespace

extern const CommandEntry plot_entry;
const CommandEntry plot_entry{"plot", "Draw a figure of a collected study",
                              "dlscale plot efficiency demo -o efficiency.pdf", &define};

}  // namespace dlscale::cli
