// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale calibrate`, which derives a calibration for predictions from measurements on
// one or two nodes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "contract/version.hpp"
#include "forecast/all_reduce_figures.hpp"
#include "forecast/calibration_sources.hpp"
#include "forecast/calibration_tables.hpp"
#include "forecast/kernel_figures.hpp"
#include "forecast/layer_tables.hpp"
#include "workspace/resources.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

struct CalibrateOptions {
  std::vector<std::string> sources;
  std::string output;
  std::string figures;
  forecast::GatherOptions gathering;
  std::string format = "text";
};

/// Writes figures into a folder: measured and modelled all-reduces, errors of the kernel models,
/// and layers of steps. States on standard error if the sources contain nothing to draw.
void write_figures(const contract::Calibration& calibration, const fs::path& folder) {
  auto figures = forecast::all_reduce_figures(calibration);
  for (auto more : {forecast::kernel_figures(calibration), forecast::layer_figures(calibration)}) {
    figures.insert(figures.end(), more.begin(), more.end());
  }
  if (figures.empty()) {
    fmt::print(stderr,
               "dlscale: --figures: no figure, because no placement has 3 message sizes between "
               "500 KiB and 1 GiB, and there are no errors of kernel models and no layers\n");
  }
  for (const auto& [name, figure] : figures) {
    analysis::write_figure(figure, folder / name, {"svg"});
    fmt::print(stderr, "dlscale: wrote {}\n", (folder / (name + ".svg")).string());
  }
}

int calibrate(CalibrateOptions options) {
  if (options.sources.empty()) {
    throw base::UsageError("sources are missing; see dlscale calibrate --help");
  }
  if (options.output.empty())
    throw base::UsageError("-o FILE is missing: name the calibration file to write");
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  options.gathering.cards = workspace::share_folder() / "cards";
  forecast::GatheredMeasurements all;
  for (const std::string& source : options.sources) {
    forecast::gather(source, options.gathering, all);
    fmt::print(stderr, "{}\n", all.found.back());
  }
  forecast::fit(all);
  contract::Calibration& calibration = all.calibration;
  calibration.source = fmt::format("dlscale calibrate {}", fmt::join(options.sources, " "));
  calibration.made_with["dlscale"] = contract::version();
  base::write_file_atomically(options.output, contract::to_json(calibration));
  std::cout << writer.render(forecast::calibration_report(calibration));
  if (!options.figures.empty()) write_figures(calibration, options.figures);
  fmt::print(stderr, "{}: {} all-reduces, {} steps; next: dlscale predict STUDY --calibration {}\n",
             options.output, calibration.all_reduce.size(), calibration.compute.size(),
             options.output);
  return kExitOk;
}

Action define_calibrate(CLI::App& app) {
  const auto options = std::make_shared<CalibrateOptions>();
  app.add_option("sources", options->sources,
                 "output of dlscale-bench comm, dlscale-bench layers or nccl-tests (text or JSON), "
                 "collected plan folders, or other calibrations")
      ->type_name(value_kind::kFile);
  app.add_option("-o,--output", options->output, "calibration file to write")
      ->type_name(value_kind::kFile);
  app.add_option("--figures", options->figures,
                 "also write figures into this folder: all-reduces and their model, errors of the "
                 "kernel models, and measured layers")
      ->type_name(value_kind::kFolder);
  app.add_option("--topology", options->gathering.topology,
                 "interconnect of sources that do not record it, for example nvswitch. Required to "
                 "extrapolate to other GPU counts");
  app.add_option("--format", options->format, "format of the tables")
      ->type_name(one_of(base::names(analysis::report_writers())))
      ->capture_default_str();
  add_selection_options(app, options->gathering.runs, RunArguments::none);
  return [options] { return calibrate(*options); };
}

}  // namespace

extern const CommandEntry calibrate_entry;
const CommandEntry calibrate_entry{
    "calibrate", "Make a calibration for predictions from measured all-reduces and steps",
    "dlscale calibrate comm.jsonl --topology nvswitch -o measured.json    # from dlscale-bench "
    "comm\n"
    "  dlscale calibrate comm.jsonl probe --where 'gpus <= 8' -o measured.json\n"
    "  dlscale predict study.toml --site juwels --calibration measured.json --keep study",
    &define_calibrate};

}  // namespace dlscale::cli
