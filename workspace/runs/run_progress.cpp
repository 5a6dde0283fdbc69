// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/run_progress.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <variant>

#include "base/file.hpp"
#include "contract/records/result_record.hpp"
#include "runner/status/run_results.hpp"
#include "workspace/runs/launch_log_reader.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
using runner::JobState;
namespace {

/// Number of bytes that are read at the end of a results file. These bytes contain many records.
/// The last record states the position of the run.
constexpr std::size_t kTail_bytes = 64 * 1024;

/// First line and end of a results file. A small file is completely in `tail`.
struct Ends {
  std::string first, tail;
};

Ends read_ends(const fs::path& path) {
  Ends ends{{}, base::read_end(path, kTail_bytes)};
  if (ends.tail.size() < kTail_bytes) return ends;
  std::ifstream file(path, std::ios::binary);
  std::getline(file, ends.first);
  ends.first += '\n';
  return ends;
}

/// Progress of one launch, from its records.
struct Launch {
  std::optional<contract::RunStart> start;
  std::optional<contract::RunStop> stop;
  std::optional<int> epoch;    ///< number of completed epochs
  std::int64_t steps = 0;      ///< number of optimizer steps done in the whole run
  double steps_per_epoch = 0;  ///< 0 = unknown
  double last_time = 0;
  double peak_memory_bytes = 0;
};

void apply_record(const contract::ResultRecord& record, Launch& launch) {
  if (const auto* start = std::get_if<contract::RunStart>(&record)) launch.start = *start;
  if (const auto* stop = std::get_if<contract::RunStop>(&record)) launch.stop = *stop;
  if (const auto* epoch = std::get_if<contract::EpochRecord>(&record)) {
    launch.epoch = epoch->epoch + 1;
    launch.last_time = epoch->time;
  }
  if (const auto* window = std::get_if<contract::StepWindow>(&record)) {
    launch.epoch = window->epoch;
    launch.steps = window->first_step + window->steps;
    launch.last_time = window->time;
    launch.peak_memory_bytes = std::max(launch.peak_memory_bytes, window->peak_memory_bytes);
  }
}

Launch read_launch(const contract::LaunchDir& folder) {
  const Ends ends = read_ends(folder.results());
  Launch launch;
  for (const std::string* text : {&ends.first, &ends.tail}) {
    for (const auto& record : contract::parse_results(*text).records) apply_record(record, launch);
  }
  return launch;
}

/// Reads the progress of a launch without its peak memory. Parses only the first record and the
/// last few records, because a live table calls this function for every running run.
Launch read_place(const contract::LaunchDir& folder) {
  const Ends ends = read_ends(folder.results());
  const std::string& begin = ends.first.empty() ? ends.tail : ends.first;
  Launch launch;
  const auto take_line = [&launch](std::string_view line) {
    for (const auto& record : contract::parse_results(line).records) apply_record(record, launch);
  };
  take_line(std::string_view(begin).substr(0, begin.find('\n') + 1));
  std::string_view rest = ends.tail;
  while (!rest.empty() && !launch.epoch) {
    const std::size_t end =
        rest.size() < 2 ? std::string_view::npos : rest.rfind('\n', rest.size() - 2);
    take_line(end == std::string_view::npos ? rest : rest.substr(end + 1));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end + 1);
  }
  return launch;
}

/// Reads the progress of a launch from the log of another program. The records of a log may be
/// sorted by kind, so the largest epoch counts. If the log does not state the steps per epoch, they
/// follow from the first epoch.
Launch read_log(const contract::LaunchDir& folder, const contract::PlannedRun& run,
                const contract::PlanDir& plan) {
  Launch launch;
  std::optional<int> epoch;
  std::int64_t steps = 0, first_epoch_steps = 0;
  for (const contract::ResultRecord& record : read_launch_log(folder, run, plan)) {
    apply_record(record, launch);
    const auto* const evaluation = std::get_if<contract::EvalRecord>(&record);
    if (evaluation != nullptr && evaluation->epoch >= 0) launch.epoch = evaluation->epoch + 1;
    if (launch.epoch) epoch = std::max(epoch.value_or(0), *launch.epoch);
    steps = std::max(steps, launch.steps);
    const auto* const window = std::get_if<contract::StepWindow>(&record);
    if (window != nullptr && window->epoch == 0) first_epoch_steps = launch.steps;
  }
  launch.epoch = epoch;
  launch.steps = steps;
  const bool is_stated = launch.start && launch.start->steps_per_epoch > 0;
  if (!is_stated && epoch.value_or(0) > 0) {
    launch.steps_per_epoch = static_cast<double>(first_epoch_steps);
  }
  return launch;
}

/// Reads the last launch of a run with `read`. If this launch resumed and has not completed an
/// epoch yet, takes the epoch and the steps from an earlier launch.
template <class Read>
Launch read_last_launch(const contract::RunDir& run, const Read& read) {
  const std::vector<contract::LaunchDir> launches = run.launches();
  if (launches.empty()) return {};
  Launch last = read(launches.back());
  for (auto i = launches.rbegin() + 1; i != launches.rend() && !last.epoch; ++i) {
    if (!last.start || last.start->resumed_from.empty()) break;
    const Launch before = read(*i);
    last.epoch = before.epoch;
    last.steps = before.steps;
  }
  return last;
}

std::vector<std::string> hosts_of(const contract::RunStart& start) {
  const std::set<std::string> hosts(start.hosts.begin(), start.hosts.end());
  return {hosts.begin(), hosts.end()};
}

/// Returns the elapsed time in seconds, or 0 if it is unknown.
double elapsed_s(const runner::PolledRun& look) {
  if (look.elapsed_s > 0) return look.elapsed_s;
  return look.ended_at > 0 && look.started_at > 0 ? look.ended_at - look.started_at : 0;
}

void say_by_look(const runner::PolledRun& look, RunProgress& progress) {
  progress.job_id = look.id;
  progress.nodes = look.nodes;
  progress.reason = look.reason;
  if (const double elapsed = elapsed_s(look); elapsed > 0) progress.elapsed_s = elapsed;
}

void say_by_files(const Launch& launch, RunProgress& progress) {
  progress.epoch = launch.epoch;
  if (progress.nodes.empty() && launch.start) progress.nodes = hosts_of(*launch.start);
  if (progress.reason.empty() && launch.stop) progress.reason = launch.stop->reason;
  if (progress.elapsed_s) return;
  if (launch.stop) {
    progress.elapsed_s = launch.stop->wall_s;
  } else if (launch.start && launch.last_time > launch.start->time) {
    progress.elapsed_s = launch.last_time - launch.start->time;
  }
}

double share_of(const Launch& launch, int epochs) {
  const bool is_stated = launch.start && launch.start->steps_per_epoch > 0;
  const double steps_per_epoch =
      is_stated ? static_cast<double>(launch.start->steps_per_epoch) : launch.steps_per_epoch;
  const double epoch = steps_per_epoch > 0 && launch.steps > 0
                           ? static_cast<double>(launch.steps) / steps_per_epoch
                           : launch.epoch.value_or(0);
  return std::clamp(epoch / epochs, 0.0, 1.0);
}

bool has_started(JobState state) {
  return runner::has_ended(state) || state == JobState::Running;
}

}  // namespace

std::optional<RankMemory> rank_memory(const contract::PlanDir& folder, const std::string& run_id) {
  const Launch launch = read_last_launch(folder.run(run_id), read_launch);
  if (launch.peak_memory_bytes <= 0) return std::nullopt;
  RankMemory memory{launch.peak_memory_bytes};
  std::map<std::string, int> ranks;
  if (launch.start) {
    for (const std::string& host : launch.start->hosts) {
      memory.ranks_per_node = std::max(memory.ranks_per_node, ++ranks[host]);
    }
  }
  return memory;
}

bool needs_no_files(const contract::PlannedRun& run, const runner::PolledRun& look) {
  return look.state == JobState::Done && elapsed_s(look) > 0 && run.epochs > 0;
}

RunProgress read_progress(const contract::PlanDir& folder, const contract::PlannedRun& run,
                          const runner::PolledRun& look, double now_unix_s) {
  RunProgress progress;
  if (run.epochs > 0) progress.epochs = run.epochs;
  say_by_look(look, progress);
  if (!has_started(look.state)) return progress;
  const bool done = look.state == JobState::Done;
  const bool settled = needs_no_files(run, look);
  // The position of a completed run is known, so there is no need to read the whole log.
  const bool has_log = !done && !contract::writes_records(run);
  const auto read = [&](const contract::LaunchDir& launch) {
    return has_log ? read_log(launch, run, folder) : read_place(launch);
  };
  const Launch launch = settled ? Launch{} : read_last_launch(folder.run(run.run_id), read);
  say_by_files(launch, progress);
  if (done && progress.epochs) progress.epoch = progress.epochs;
  if (progress.epochs) progress.share = done ? 1 : share_of(launch, *progress.epochs);
  if (run.steps > 0) {
    const double share = static_cast<double>(launch.steps) / static_cast<double>(run.steps);
    progress.share = done ? 1 : std::clamp(share, 0.0, 1.0);
  }
  const bool lacks_time = !progress.elapsed_s && look.started_at <= 0;
  runner::RunNotes notes;
  if (progress.job_id.empty() || lacks_time) notes = runner::read_run_notes(folder, run.run_id);
  if (progress.job_id.empty()) progress.job_id = notes.job_id;
  // If dlscale did not submit the job script, only the notes of the script contain the times.
  if (lacks_time && notes.end && notes.end->time > notes.started_at && notes.started_at > 0) {
    progress.elapsed_s = notes.end->time - notes.started_at;
  }
  if (look.state == JobState::Running) {
    const bool is_timed = launch.start && launch.start->time > 0;
    const double start_s = is_timed ? launch.start->time : notes.started_at;
    const double since_s = look.started_at > 0 ? look.started_at : start_s;
    progress.elapsed_s.reset();
    if (since_s > 0) progress.elapsed_s = std::max(now_unix_s - since_s, 0.0);
    progress.reason.clear();  // the run has not ended, so an earlier reason does not apply
  }
  return progress;
}

}  // namespace dlscale::workspace
