// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale plot`, which draws one figure of a collected study, or the learning rates of
// a study. It also writes the data of the figure to a CSV file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/figures/pgfplots.hpp"
#include "analysis/report/figures/quantities.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "cli/command.hpp"
#include "cli/options/chosen_study_options.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/roofline_options.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/study_figure.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

struct PlotOptions : forecast::FigureChoice {
  std::string output;
};

constexpr const char* kList = "list";     // word that lists what can be drawn
constexpr const char* kPgfplots = "tex";  // file ending of figures that LaTeX draws

/// Returns the default name of the figure's files: "breakdown", or "load-compute-by-gpus" for
/// quantities over an axis.
std::string stem_of(const PlotOptions& options) {
  std::string stem = options.kind;
  if (!options.x.empty()) stem += "-by-" + options.x;
  std::replace_if(
      stem.begin(), stem.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '-');
  return stem;
}

/// Returns the path of the figure: the requested path, or a default path in the plan folder. The
/// default for learning rates is "lr.svg", because they need no plan folder. Throws
/// base::UsageError if a figure of several plan folders has no requested path.
fs::path output_path(const PlotOptions& options) {
  if (options.output.empty()) {
    if (options.kind == forecast::kRates) return "lr.svg";
    if (!options.study.sources.empty()) {
      throw base::UsageError(
          "--output is missing: a figure of several plan folders needs a file name");
    }
    return contract::PlanDir(fs::path(options.study.folder)).figures() /
           (stem_of(options) + ".svg");
  }
  const fs::path path = options.output;
  const std::string dotted = path.extension().string();
  const std::string ending = dotted.empty() ? "" : dotted.substr(1);
  std::vector<std::string> formats = analysis::figure_formats();
  formats.emplace_back(kPgfplots);
  if (std::find(formats.begin(), formats.end(), ending) == formats.end()) {
    throw base::UsageError(fmt::format("--output {}: {}", path.string(),
                                       base::unknown_name("figure format", ending, formats)));
  }
  return path;
}

/// Divides the arguments into plan folders and runs. Learning rates belong to one study file, so
/// all arguments after the study file are runs.
void divide_plot_arguments(PlotOptions& options) {
  workspace::StudyChoice& study = options.study;
  if (options.kind != forecast::kRates) {
    workspace::find_sources(study);
    return;
  }
  study.runs.runs.insert(study.runs.runs.end(), study.arguments.begin(), study.arguments.end());
  study.arguments.clear();
}

int plot(const PlotOptions& options) {
  if (options.kind == kList) {
    fmt::print("{}", forecast::list_figures(options.study));
    return kExitOk;
  }
  forecast::check_choice(options);
  const fs::path output = output_path(options);
  const auto [figure, why_empty, outdated] = forecast::make_figure(options);
  if (!outdated.empty()) fmt::print(stderr, "warning: {}\n", outdated);
  if (figure.series.empty()) {
    fmt::print(stderr, "dlscale: nothing to draw: {}\n", why_empty);
    return options.study.runs.allow_empty ? kExitOk : kExitNothingMatched;
  }
  fs::path stem = output;
  stem.replace_extension();
  const std::string format = output.extension().string().substr(1);
  const analysis::Drawn drawn = format == kPgfplots
                                    ? analysis::Drawn{write_pgfplots(figure, stem), ""}
                                    : write_figure(figure, stem, {format});
  for (const fs::path& file : drawn.files) fmt::print("wrote {}\n", file.string());
  if (!drawn.problem.empty()) throw base::RunError(drawn.problem);
  return kExitOk;
}

std::vector<std::string> names_to_complete() {
  std::vector<std::string> names = forecast::figure_names();
  for (const std::string& name : analysis::quantity_names()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  names.emplace_back(kList);
  return names;
}

Action define_plot(CLI::App& app) {
  const auto options = std::make_shared<PlotOptions>();
  std::string kinds;
  for (const analysis::FigureKind& kind : analysis::figure_kinds()) {
    kinds += fmt::format("\n  {}: {}", kind.name, kind.summary);
  }
  kinds += "\n  roofline: reached TFLOP/s against FLOPs per byte, with the limits of the device";
  kinds += "\n  lr: learning rates of the points of a study by epoch, without training";
  kinds +=
      "\n  or METRIC,...: one or several quantities with the same unit over --x, such as "
      "load,compute\n  list: print all figures and quantities, and the axes of the study";
  app.add_option("KIND", options->kind, "figure to draw:" + kinds)
      ->type_name(one_of(names_to_complete()))
      ->required();
  app.add_option("--x", options->x,
                 "horizontal axis of quantities: an axis of the study, or epoch, step, samples or "
                 "time (default: epoch for losses and accuracies, else gpus)")
      ->type_name("AXIS");
  app.add_option("--by", options->by,
                 "axes whose values make the curves of quantities (default: all axes that vary)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("AXIS,...");
  app.add_option("-o,--output", options->output,
                 "file to write: .svg, .pdf, .png, or .tex for LaTeX (pgfplots), with a CSV file "
                 "next to it (default: DIR/figures/KIND.svg; for lr: lr.svg)")
      ->type_name(value_kind::kFile);
  app.add_flag("--laws", options->laws,
               "for speedup and efficiency: extrapolate the curve to 8 times its largest GPU count "
               "with the average of the scaling laws (dashed line with 95 % band)");
  add_roofline_options(app, options->roofline);
  add_study_options(app, options->study);
  app.get_option("DIR")
      ->description(
          "collected plan folder, or NAME=DIR (default: the current folder); for lr the study file")
      ->type_name(value_kind::kFolderOrStudy);
  app.add_option("-S", options->overrides, "for lr: set a key of the study")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return [options] {
    divide_plot_arguments(*options);
    return plot(*options);
  };
}

}  // namespace

extern const CommandEntry plot_entry;
const CommandEntry plot_entry{
    "plot", "Draw a figure of a collected study, or the learning rates of a study",
    "dlscale plot lr examples/studies/juwels/study.toml -o lr.pdf", &define_plot};

}  // namespace dlscale::cli
