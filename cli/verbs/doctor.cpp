// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale doctor`, which checks everything that the jobs of a site need before they are
// submitted.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/terminal/terminal.hpp"
#include "contract/plan/plan.hpp"
#include "planner/planner.hpp"
#include "planner/script/run_values.hpp"
#include "planner/site/site_reader.hpp"
#include "planner/study/study_reader.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/doctor/check.hpp"
#include "workspace/doctor/cluster_checks.hpp"
#include "workspace/doctor/folder_checks.hpp"
#include "workspace/doctor/program_checks.hpp"
#include "workspace/jobs/job_environment.hpp"
#include "workspace/resources.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// Estimated number of files that a launch creates: its folder, records, two output files, a
/// checkpoint and the log of the job script.
constexpr std::uint64_t kInodesOfRun = 10;

struct DoctorOptions {
  std::string folder = ".";  ///< plan folder, or study file
  std::string site;
  bool json = false;
  bool gpu = false;
};

bool is_study_file(const std::string& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable) && fs::path(path).extension() == ".toml";
}

fs::path chosen_site_file(const DoctorOptions& options, const contract::PlanDir& folder) {
  const fs::path sites = workspace::share_folder() / "sites";
  if (!options.site.empty()) return planner::site_file(options.site, sites);
  if (is_study_file(options.folder)) return planner::site_file("local", sites);
  if (fs::exists(folder.site_toml())) return folder.site_toml();
  return planner::site_file("local", sites);
}

std::string trainer_of(const planner::Site& site) {
  if (!site.trainer.empty()) return site.trainer;
  const auto beside = workspace::trainer_beside();
  return site.scheduler == "local" && beside ? beside->string() : "dlscale-train";
}

/// Returns the command of a study, or nothing for a study of dlscale-train. `plan_folder` is the
/// absolute path of the plan folder.
std::optional<workspace::OwnCommand> own_command_of(const planner::Study& study,
                                                    const std::string& plan_folder) {
  if (study.trainer.command.empty()) return std::nullopt;
  const planner::ExternalCommand command(study.trainer, study.command_where,
                                         planner::folder_of(study.command_where, study.file));
  return workspace::OwnCommand{planner::program_of(study.trainer, command.text()),
                               planner::setup_lines(study, {study.folder(), plan_folder}),
                               study.trainer.launcher == "ranks"};
}

/// Returns the programs that the runs of a plan folder need. Without a plan, dlscale-train is
/// needed if the site file names it.
workspace::ProgramNeeds needs_of(const contract::PlanDir& folder, const planner::Site& site) {
  const auto head = contract::find_plan_head(folder);
  if (!head) return {.trainer = !site.trainer.empty()};
  if (!fs::exists(folder.describe_script())) return {};  // the plan uses dlscale-train
  const std::string file =
      head->origin.study_file.empty() ? folder.study_toml().string() : head->origin.study_file;
  const planner::Study study =
      planner::read_study(base::read_file(folder.study_toml()), file, head->origin.overrides);
  return {.trainer = false, .own = own_command_of(study, fs::absolute(folder.root()).string())};
}

/// Plans a study without writing anything, and returns the warnings about the study. Sets the
/// programs that its runs need.
workspace::Checks check_study(const DoctorOptions& options, workspace::ProgramNeeds& needs) {
  const planner::Resources resources = workspace::shipped_resources();
  planner::PlanRequest request;
  request.study = options.folder;
  if (!options.site.empty()) request.site = options.site;
  const planner::Planning planning = planner::make_plan(request, resources);
  needs.own = own_command_of(planning.study, fs::current_path().string());
  workspace::Checks checks{
      workspace::ok("study", fmt::format("{} with {}", planning.plan.study,
                                         base::count_of(planning.plan.runs.size(), "run")))};
  for (const std::string& warning : planning.plan.warnings) {
    checks.push_back(workspace::warn("study", warning, ""));
  }
  return checks;
}

std::uint64_t inodes_needed(const contract::PlanDir& folder) {
  if (!fs::exists(folder.plan_json())) return 0;
  const contract::Plan plan = contract::read_plan(folder);
  const auto states = runner::run_states(plan, folder);
  const auto left = std::count_if(states.begin(), states.end(), [](const auto& run) {
    return run.second != runner::JobState::Done;
  });
  return kInodesOfRun * static_cast<std::uint64_t>(left);
}

std::ptrdiff_t count(const workspace::Checks& checks, const std::string& level) {
  return std::count_if(checks.begin(), checks.end(),
                       [&](const workspace::Check& check) { return check.level == level; });
}

void print(const workspace::Checks& checks, const Terminal& terminal) {
  std::size_t width = 0;
  for (const workspace::Check& check : checks) width = std::max(width, check.name.size());
  for (const workspace::Check& check : checks) {
    const Colour colour = check.level == workspace::kOk     ? Colour::Green
                          : check.level == workspace::kWarn ? Colour::Yellow
                                                            : Colour::Red;
    std::cout << paint(fmt::format("{:<4}", check.level), colour, terminal)
              << fmt::format("  {:<{}}  {}\n", check.name, width, check.message);
    if (!check.advice.empty()) std::cout << fmt::format("{:{}}{}\n", "", width + 8, check.advice);
  }
  std::cout << fmt::format("\n{} checks: {} ok, {} warn, {} fail\n", checks.size(),
                           count(checks, workspace::kOk), count(checks, workspace::kWarn),
                           count(checks, workspace::kFail));
}

/// Replaces this process by the program of the GPU checks. That program writes its results into a
/// folder of its own.
[[noreturn]] void check_gpu() {
  const std::string program = (workspace::share_folder() / "gpu-check" / "run").string();
  ::execl(program.c_str(), program.c_str(), nullptr);
  throw base::UsageError(
      fmt::format("cannot run {}: {}; build the trainer with GPU support and pack its checks with "
                  "tools/gpu-check (docs/gpu.md)",
                  program, std::strerror(errno)));
}

int doctor(const DoctorOptions& options) {
  if (options.gpu) check_gpu();
  const bool has_study = is_study_file(options.folder);
  const contract::PlanDir folder{fs::path(has_study ? "." : options.folder)};
  if (!fs::is_directory(folder.root())) {
    throw base::UsageError(
        fmt::format("{} is neither a folder nor a study file (*.toml)", folder.root().string()));
  }
  const fs::path file = chosen_site_file(options, folder);
  const planner::Site site = planner::read_site(base::read_file(file), file);
  const runner::CleanEnvironment environment = workspace::job_environment(site);
  const auto commands = runner::make_command_runner(environment);
  const base::SystemClock clock;
  workspace::Checks checks{workspace::ok("site", fmt::format("{} ({})", site.name, file.string())),
                           workspace::check_environment(environment.removed)};
  workspace::ProgramNeeds needs;
  workspace::Checks of_study;
  if (has_study) {
    of_study = check_study(options, needs);
  } else {
    needs = needs_of(folder, site);
  }
  for (const workspace::Checks& some :
       {of_study, workspace::check_cluster(site, *commands),
        workspace::check_programs(site, trainer_of(site), *commands, needs),
        workspace::check_folder(folder.root(), clock, inodes_needed(folder))}) {
    checks.insert(checks.end(), some.begin(), some.end());
  }
  if (options.json) {
    std::cout << to_json(checks);
  } else {
    print(checks, terminal_of(STDOUT_FILENO));
  }
  return count(checks, workspace::kFail) > 0 ? int{kExitRunsFailed} : int{kExitOk};
}

Action define_doctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  add_folder_argument(app, options->folder,
                      "folder of the current or future plan (default: the current folder), or a "
                      "study file (*.toml) whose command is checked");
  app.add_option(
         "--site", options->site,
         "name of a site, or a site file (*.toml) (default: the site of the plan, or local)")
      ->type_name(value_kind::kSite);
  auto* const json = app.add_flag("--json", options->json, "print a JSON list of objects");
  app.add_flag(
         "--gpu", options->gpu,
         "check only the trainer on this node's GPU, and write the results into gpu-check-results")
      ->excludes(json);
  return [options] { return doctor(*options); };
}

}  // namespace

extern const CommandEntry doctor_entry;
const CommandEntry doctor_entry{
    .name = "doctor",
    .summary = "Check what the jobs of a site need: scheduler, trainer, MPI, GPUs, file system",
    .example =
        "dlscale doctor --site mine.toml\n"
        "  dlscale doctor study        # with the plan's site and file system\n"
        "  dlscale doctor study.toml   # with the command of your own training script\n"
        "  dlscale doctor --gpu        # the trainer's checks on this node's GPU",
    .define = &define_doctor,
};

}  // namespace dlscale::cli
