// SPDX-License-Identifier: Apache-2.0
#include "workspace/resources.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "analysis/import/described_format.hpp"
#include "base/error.hpp"
#include "workspace/jobs/machine.hpp"
#include "workspace/jobs/program_path.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

std::optional<fs::path> if_exists(fs::path path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  return std::nullopt;
}

fs::path program_folder() {
  return program_path().parent_path();
}

}  // namespace

fs::path share_folder() {
  const char* chosen = std::getenv("DLSCALE_SHARE");
  const fs::path folder =
      chosen != nullptr ? fs::path(chosen) : program_folder().parent_path() / "share" / "dlscale";
  if (!fs::is_directory(folder / "templates")) {
    throw base::RunError(fmt::format(
        "no templates in {}; set DLSCALE_SHARE to dlscale's share folder", folder.string()));
  }
  return folder;
}

std::optional<fs::path> trainer_beside() {
  return if_exists(program_folder() / "dlscale-train");
}

fs::path demo_study() {
  const fs::path study = share_folder() / "studies" / "demo" / "study.toml";
  if (!fs::is_regular_file(study)) {
    throw base::RunError(fmt::format("no demo study {}; install dlscale again", study.string()));
  }
  return study;
}

std::optional<fs::path> built_capabilities() {
  return if_exists(share_folder() / "capabilities.json");
}

planner::Resources shipped_resources(const std::string& job_template) {
  const fs::path share = share_folder();
  planner::Resources resources{
      .sites = share / "sites",
      .templates = share / "templates",
      .capabilities = built_capabilities(),
      .trainer = trainer_beside(),
      .cards = if_exists(share / "cards"),
      .devices = if_exists(share / "devices"),
      .own_format =
          [](const std::string& text, const std::string& file) {
            const analysis::DescribedFormat format(text, file);
            return planner::Resources::OwnFormat{format.entry().name, format.warnings()};
          },
      .machine = this_machine(),
      .program = program_path()};
  if (job_template.empty()) return resources;
  if (!fs::is_regular_file(job_template)) {
    throw base::UsageError(fmt::format(
        "--template {}: no such file; dlscale templates show NAME prints a template to start from",
        job_template));
  }
  resources.job_template = job_template;
  return resources;
}

}  // namespace dlscale::workspace
