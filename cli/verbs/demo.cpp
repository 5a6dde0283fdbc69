// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale demo`, which runs the demo study that comes with dlscale and writes its
// report.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/verbs/report.hpp"
#include "cli/verbs/run.hpp"
#include "workspace/resources.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

struct DemoOptions {
  std::string folder = "dlscale-demo";
  std::vector<std::string> overrides;
};

int demo(const DemoOptions& options) {
  RunOptions run;
  run.request.study = workspace::demo_study().string();
  run.request.overrides = options.overrides;
  run.out = options.folder;
  if (const int exit_code = run_study(run); exit_code != kExitOk) return exit_code;
  ReportOptions report;
  report.study.folder = options.folder;
  if (const int exit_code = write_report(report); exit_code != kExitOk) return exit_code;
  const fs::path page = fs::absolute(fs::path(options.folder) / "report" / "report.html");
  fmt::print("\nThe report of the demo study: {}\n", page.lexically_normal().string());
  return kExitOk;
}

Action define_demo(CLI::App& app) {
  const auto options = std::make_shared<DemoOptions>();
  app.add_option("folder", options->folder, "plan folder to create or to continue")
      ->type_name(value_kind::kFolder)
      ->capture_default_str();
  app.add_option("-S", options->overrides,
                 "set a key of the study, for example -S training.epochs=1")
      ->allow_extra_args(false);
  return [options] { return demo(*options); };
}

}  // namespace

extern const CommandEntry demo_entry;
const CommandEntry demo_entry{
    .name = "demo",
    .summary = "Run the demo study on this machine and write its report. Takes some minutes",
    .example = "dlscale demo\n  dlscale demo quick -S training.epochs=1 -S study.repeats=1",
    .define = &define_demo,
};

}  // namespace dlscale::cli
