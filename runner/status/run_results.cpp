// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_results.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;

namespace {

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

RunNotes read_run_notes(const contract::PlanDir& plan, const std::string& run_id,
                        const std::string& launch) {
  const std::string text = read_whole(plan.run_notes(run_id));
  RunNotes notes;
  for (contract::LaunchRecord& record : contract::parse_launch_log(text)) {
    if (record.run_id != run_id || (!launch.empty() && record.launch != launch)) continue;
    notes.job_id = record.job_id;
    notes.started = true;
    notes.end.reset();
    if (record.event == "started") {
      notes.started_at = record.time;
      notes.stderr_bytes = record.stderr_bytes;
      notes.software.clear();
    }
    if (record.event == "described") notes.software = record.software;
    if (record.event == "ended") notes.end = std::move(record);
  }
  return notes;
}

std::optional<CompletedLaunch> completed_launch(const contract::PlanDir& plan,
                                                const std::string& run_id) {
  std::optional<CompletedLaunch> completed, open;
  for (const contract::LaunchRecord& record :
       contract::parse_launch_log(read_whole(plan.run_notes(run_id)))) {
    if (record.run_id != run_id) continue;
    if (record.event == "described") {
      open = CompletedLaunch{record.software, record.time};
    } else {
      // A job that finds a completed run records a start and an end, but describes no software.
      if (record.event == "ended" && record.exit_code == 0 && open) completed = open;
      open.reset();
    }
  }
  return completed;
}

namespace {

// Number of bytes that are read at the end of a results file. They always contain the last line.
constexpr std::size_t kTail_bytes = 64 * 1024;

void read_launch(const contract::LaunchDir& launch, RunResults& results) {
  results.launches = launch.number();
  results.start.reset();
  results.stop.reset();
  results.epochs = 0;
  results.saved_step = 0;
  for (const auto& record : contract::parse_results(read_whole(launch.results())).records) {
    if (const auto* start = std::get_if<contract::RunStart>(&record)) results.start = *start;
    if (const auto* stop = std::get_if<contract::RunStop>(&record)) results.stop = *stop;
    if (const auto* epoch = std::get_if<contract::EpochRecord>(&record)) {
      results.epochs = epoch->epoch + 1;
    }
    if (const auto* saved = std::get_if<contract::CheckpointRecord>(&record)) {
      results.saved_step = saved->step;
    }
  }
  const bool done = results.stop && results.stop->outcome == contract::RunOutcome::Completed;
  results.completed = results.completed || done;
}

}  // namespace

RunResults read_run_results(const contract::RunDir& run, double unix_time) {
  RunResults results;
  for (const contract::LaunchDir& launch : run.launches()) {
    RunResults with_it = results;
    read_launch(launch, with_it);
    if (with_it.start && with_it.start->time >= unix_time) break;
    results = std::move(with_it);
  }
  return results;
}

bool has_completed(const contract::RunDir& run) {
  const std::vector<contract::LaunchDir> launches = run.launches();
  return std::any_of(launches.rbegin(), launches.rend(), [](const contract::LaunchDir& launch) {
    const std::string tail = base::read_end(launch.results(), kTail_bytes);
    // A run_stop record is the last record of a file. If the end of the file does not contain the
    // word "run_stop", the end need not be parsed.
    if (tail.rfind("run_stop") == std::string::npos) return false;
    const auto records = contract::parse_results(tail).records;
    return std::any_of(records.begin(), records.end(), [](const contract::ResultRecord& record) {
      const auto* const stop = std::get_if<contract::RunStop>(&record);
      return stop != nullptr && stop->outcome == contract::RunOutcome::Completed;
    });
  });
}

}  // namespace dlscale::runner
