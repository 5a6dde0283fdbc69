// SPDX-License-Identifier: Apache-2.0
#include "workspace/status/ended_runs.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "workspace/runs/launch_log_reader.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Finds the logs of launches. All runs with the same format have logs with the same name, so each
/// format is read only once.
class LogNames {
 public:
  explicit LogNames(const contract::PlanDir& folder) : folder_(folder) {}

  /// Returns the file of the launch from which the results of `run` are read. Returns results.jsonl
  /// if the format cannot be read. The page reports such a format when the results are read.
  fs::path log_of(const contract::LaunchDir& launch, const contract::PlannedRun& run) {
    const auto [name, is_new] = names_.try_emplace(contract::log_format_name(run));
    if (is_new) {
      try {
        name->second = log_file(launch, run, folder_).filename();
      } catch (const base::Error&) {
        name->second = launch.results().filename();
      }
    }
    return launch.root() / name->second;
  }

 private:
  const contract::PlanDir& folder_;
  std::map<std::string, fs::path> names_;  ///< file names by format
};

/// Reads the size and the time of the log of a run that has ended.
EndedRun examine(const ShownRun& shown, const contract::PlanDir& folder, LogNames& names) {
  EndedRun end{.run_id = shown.run->run_id,
               .state = shown.state,
               .writes_records = contract::writes_records(*shown.run)};
  const std::vector<contract::LaunchDir> launches = folder.run(end.run_id).launches();
  if (launches.empty()) return end;
  const fs::path log = names.log_of(launches.back(), *shown.run);
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(log, missing);
  if (missing) return end;
  end.log_bytes = bytes;
  end.log_changed = fs::last_write_time(log, missing);
  return end;
}

}  // namespace

bool EndedRun::operator==(const EndedRun& other) const {
  return run_id == other.run_id && state == other.state && log_bytes == other.log_bytes &&
         log_changed == other.log_changed && writes_records == other.writes_records;
}

bool EndedRuns::update(const std::vector<ShownRun>& runs, double now_s) {
  std::unordered_map<std::string_view, const EndedRun*> known;
  for (const EndedRun& end : ends_) known.emplace(end.run_id, &end);
  std::vector<EndedRun> ends;
  LogNames names(folder_);
  for (const ShownRun& shown : runs) {
    if (!runner::has_ended(shown.state)) continue;
    const auto found = known.find(shown.run->run_id);
    const EndedRun* before = found == known.end() ? nullptr : found->second;
    const bool is_settled = before != nullptr && before->state == shown.state &&
                            before->examined_s - before->seen_s > kSettled_s;
    if (is_settled) {
      ends.push_back(*before);
      continue;
    }
    EndedRun end = examine(shown, folder_, names);
    end.seen_s = before != nullptr && *before == end ? before->seen_s : now_s;
    end.examined_s = now_s;
    ends.push_back(std::move(end));
  }
  const bool has_changed = ends != ends_;
  ends_ = std::move(ends);
  return has_changed;
}

std::vector<std::string> EndedRuns::without_log() const {
  const auto is_done = [](const EndedRun& end) { return end.state == runner::JobState::Done; };
  std::error_code unreadable;
  const bool is_own_program = fs::exists(folder_.describe_script(), unreadable);
  const bool any_records = std::ranges::any_of(ends_, [&](const EndedRun& end) {
    return is_done(end) && end.writes_records && end.log_bytes > 0;
  });
  std::vector<std::string> without;
  for (const EndedRun& end : ends_) {
    const bool expects_log = !end.writes_records || !is_own_program || any_records;
    if (is_done(end) && end.log_bytes == 0 && expects_log) without.push_back(end.run_id);
  }
  return without;
}

}  // namespace dlscale::workspace
