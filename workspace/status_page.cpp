// SPDX-License-Identifier: Apache-2.0
#include "workspace/status_page.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "analysis/import/imported_plan.hpp"
#include "analysis/metrics/scaling/selected_runs.hpp"
#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "workspace/jobs/machine.hpp"
#include "workspace/status/time_left.hpp"
#include "workspace/study_from_records.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

using runner::JobState;

/// Largest number of rows in the table of runs. A page with all runs of a large study would take
/// long to load.
constexpr std::size_t kMostRunRows = 200;
constexpr const char* kFile = "index.html";

[[noreturn]] void reject_page(const fs::path& path, const std::string& problem) {
  throw base::UsageError(fmt::format("--page {}: {}", path.string(), problem));
}

/// Rejects the plan folder itself and the folders that dlscale manages in it.
void check_place(const fs::path& folder, const contract::PlanDir& plan_folder) {
  const fs::path place = fs::weakly_canonical(folder);
  if (place == fs::weakly_canonical(plan_folder.root())) {
    reject_page(folder, "is the plan folder; choose another folder, for example " +
                            (folder / "page").string());
  }
  for (const fs::path& own :
       {plan_folder.runs(), plan_folder.jobs(), plan_folder.logs(), plan_folder.tables(),
        plan_folder.figures(), plan_folder.software()}) {
    const fs::path inside = place.lexically_relative(fs::weakly_canonical(own));
    if (!inside.empty() && *inside.begin() != "..") {
      reject_page(folder, fmt::format("is inside {}, which belongs to the plan; choose another "
                                      "folder",
                                      own.string()));
    }
  }
}

/// Returns at most the first 1000 bytes of a file.
std::string beginning_of(const fs::path& file) {
  std::string text(1000, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// Creates the folder and returns the path of the page. Throws what the constructor of StatusPage
/// throws.
fs::path checked_file(const fs::path& folder, const contract::PlanDir& plan_folder) {
  std::error_code ignored;
  if (folder.empty()) reject_page(folder, "must be the path of a folder");
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored)) {
    reject_page(folder, "is a file, not a folder; choose a folder");
  }
  check_place(folder, plan_folder);
  try {
    base::make_directories(folder);
  } catch (const base::RunError& error) {
    reject_page(folder, fmt::format("cannot be created ({})", error.what()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    reject_page(folder, fmt::format("cannot be written ({})", std::strerror(errno)));
  }
  const fs::path file = folder / kFile;
  if (!fs::exists(fs::symlink_status(file, ignored))) return file;
  if (!fs::is_regular_file(fs::symlink_status(file, ignored)) ||
      !analysis::is_live_page(beginning_of(file))) {
    reject_page(folder,
                fmt::format("contains an {} that dlscale status --page did not write; choose "
                            "another folder, or remove the file",
                            kFile));
  }
  return file;
}

std::string time_text(double unix_s) {
  const auto time = static_cast<std::time_t>(unix_s);
  std::tm local{};
  ::localtime_r(&time, &local);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &local)};
}

analysis::StateCount::Kind state_kind(JobState state) {
  if (state == JobState::Running) return analysis::StateCount::Kind::Running;
  if (state == JobState::Done) return analysis::StateCount::Kind::Good;
  return runner::ended_badly(state) ? analysis::StateCount::Kind::Bad
                                    : analysis::StateCount::Kind::Waiting;
}

std::vector<analysis::StateCount> counts_by_state(const std::vector<ShownRun>& runs) {
  std::vector<analysis::StateCount> counts;
  for (const JobState state : runner::all_job_states()) {
    const auto n = std::count_if(runs.begin(), runs.end(),
                                 [&](const ShownRun& shown) { return shown.state == state; });
    if (n > 0) counts.push_back({to_string(state), static_cast<int>(n), state_kind(state)});
  }
  return counts;
}

std::vector<std::string> progress_sentences(const FolderStatus& status,
                                            const std::vector<ShownRun>& runs) {
  int total = 0, ended = 0, failed = 0;
  for (const ShownRun& shown : runs) {
    if (shown.state == JobState::NotNeeded) continue;
    ++total;
    ended += runner::has_ended(shown.state) ? 1 : 0;
    failed += runner::ended_badly(shown.state) ? 1 : 0;
  }
  std::vector<std::string> sentences{
      fmt::format("{} of {} ended.", ended, base::count_of(total, "run"))};
  if (failed > 0) sentences.push_back(base::count_of(failed, "run") + " failed.");
  if (all_ended(runs)) return sentences;
  if (status.first_start_s() > 0) {
    sentences.push_back("Time since the first start: " +
                        base::duration(status.unix_s() - status.first_start_s()) + ".");
  }
  if (const auto left_s = time_left(runs)) {
    sentences.push_back(fmt::format("Expected end: {}, in {}.",
                                    time_text(status.unix_s() + *left_s), base::duration(*left_s)));
  } else {
    sentences.emplace_back("The end cannot be estimated yet.");
  }
  return sentences;
}

analysis::Table runs_table(const std::vector<ShownRun>& all) {
  const std::vector<ShownRun> shown = most_telling(all, kMostRunRows);
  analysis::Table table{.id = "runs", .title = "Runs"};
  if (shown.size() < all.size()) {
    table.notes.push_back(
        fmt::format("Number of runs that this table leaves out: {}", all.size() - shown.size()));
  }
  table.columns = {{.id = "run", .title = "run"}, {.id = "state", .title = "state"}};
  const std::vector<RunColumn> columns = progress_columns();
  for (const RunColumn& column : columns) {
    table.columns.push_back({.id = column.name, .title = column.name});
  }
  for (const ShownRun& one : shown) {
    std::vector<analysis::Cell> cells{one.run->run_id, to_string(one.state)};
    for (const RunColumn& column : columns) cells.emplace_back(column.text(one));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// Returns the results of all runs of a folder. If the user cannot write to the folder, reads the
/// records without the database, so that other users can also watch a study.
analysis::Frame results_of(const contract::PlanDir& folder) {
  try {
    analysis::ingest(folder);
    return analysis::read_frame(folder);
  } catch (const base::RunError&) {
    return study_from_records({.folder = folder.root().string()}).frame;
  }
}

}  // namespace

StatusPage::StatusPage(const fs::path& folder, const contract::PlanDir& plan_folder, int refresh_s)
    : plan_folder_(plan_folder),
      file_(checked_file(folder, plan_folder)),
      refresh_s_(refresh_s),
      ends_(plan_folder),
      no_results_("No run has ended yet.") {}

bool StatusPage::read_results(const contract::Plan& plan, const std::vector<ShownRun>& runs) {
  try {
    analysis::Frame frame = results_of(plan_folder_);
    if (runs.size() < plan.runs.size()) {
      RunIds ids;
      for (const ShownRun& shown : runs) ids.insert(shown.run->run_id);
      keep_runs(frame, ids, frame.baseline);
    }
    results_ = brief_page(
        frame, {.baseline = frame.baseline, .most_gpus = most_ranks(plan, this_machine())});
    const bool is_empty = results_.report.tables.empty() && results_.figures.empty();
    no_results_ = is_empty ? "No completed run has results that can be shown." : "";
    return true;
  } catch (const base::Error& error) {
    results_ = {};
    no_results_ = fmt::format("The results cannot be shown: {}", error.what());
    return false;
  }
}

std::string StatusPage::missing_results() const {
  if (!no_problem_) return no_results_;
  if (without_log_.empty()) return "";
  return fmt::format(
      "The logs of {} are missing or empty. The first of these runs is {}. Run dlscale status "
      "--page again when the logs have content.",
      base::count_of(without_log_.size(), "completed run"), without_log_.front());
}

void StatusPage::write(const FolderStatus& status, const std::vector<ShownRun>& runs) {
  if (ends_.update(runs, status.unix_s()) || !no_problem_) {
    no_problem_ = read_results(status.plan(), runs);
    // The logs of imported runs are outside the plan folder.
    const bool is_imported = analysis::holds_imported_runs(status.plan());
    without_log_ = is_imported ? std::vector<std::string>{} : ends_.without_log();
  }
  analysis::LivePage page{.study = results_, .no_results = no_results_};
  const contract::Plan& plan = status.plan();
  page.study.title = plan.study + (plan.site.empty() ? "" : " on " + plan.site);
  page.time = time_text(status.unix_s());
  page.share_done = share_done(runs);
  page.progress = progress_sentences(status, runs);
  page.states = counts_by_state(runs);
  page.warnings = status.warnings(runs);
  if (!status.problem().empty()) {
    page.warnings.insert(page.warnings.begin(),
                         status.problem() + "; the states come from the files of the plan folder");
  }
  page.runs = runs_table(runs);
  page.refresh_s = all_ended(runs) ? 0 : refresh_s_;
  base::write_file_atomically(file_, live_page(page));
}

}  // namespace dlscale::workspace
