// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/imported_plan.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <tuple>

#include "analysis/import/foreign_log.hpp"
#include "analysis/import/imported_run.hpp"
#include "analysis/import/mapped/row_reader.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/launch_record.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Exclusive lock on the plan folder, held while runs are written.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open((folder / ".importing").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) == 0) return;
    const std::string why = std::strerror(errno);
    if (descriptor_ >= 0) ::close(descriptor_);
    throw base::RunError(fmt::format("{}: cannot be locked: {}", folder.string(), why));
  }
  ~FolderLock() { ::close(descriptor_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Reads the outcome and the reason that an earlier import recorded for the run.
void read_end(const contract::PlanDir& folder, KnownRun& run) {
  const fs::path notes = folder.run_notes(run.run_id);
  if (!fs::exists(notes)) return;
  for (const auto& record : contract::parse_launch_log(base::read_file(notes))) {
    run.outcome = record.outcome.value_or(run.outcome);
    run.reason = record.reason;
  }
}

std::string end_of(const ImportedRun& run, const std::string& run_id) {
  contract::LaunchRecord end{.event = "ended", .run_id = run_id};
  end.outcome = run.outcome;
  end.exit_code = run.outcome == contract::RunOutcome::Completed ? 0 : 1;
  end.reason = run.reason;
  return to_json_line(end) + "\n";
}

/// Returns true if axis value `a` is sorted before `b`. Numbers are sorted by size and come before
/// texts.
bool value_less(const std::string& a, const std::string& b) {
  double x = 0, y = 0;
  const bool one = read_number(a, x), other = read_number(b, y);
  if (one && other && x != y) return x < y;
  return one != other ? one : a < b;
}

/// Returns the axes of the runs with all their values. The axes for GPUs, nodes and batch sizes
/// come last, after the axes that distinguish curves. Both groups are sorted by name.
std::vector<contract::Axis> plan_axes_of(const std::vector<contract::PlannedRun>& runs) {
  std::map<std::string, std::set<std::string>> values;
  for (const contract::PlannedRun& run : runs) {
    for (const auto& [name, value] : run.point) values[name].insert(value);
  }
  std::vector<contract::Axis> axes;
  for (const auto& [name, all] : values) {
    axes.push_back({name, {all.begin(), all.end()}});
    std::sort(axes.back().values.begin(), axes.back().values.end(), &value_less);
  }
  std::stable_partition(axes.begin(), axes.end(), [](const contract::Axis& axis) {
    return axis.name != "gpus" && axis.name != "nodes" && !axis.name.ends_with("batch") &&
           axis.name != "batch_per_gpu";
  });
  return axes;
}

contract::PlannedRun planned(const ImportedRun& run, const contract::RunSpec& spec) {
  contract::RunSpec said = spec;
  keep_what_is_said(said);
  contract::PlannedRun planned{.run_id = spec.run_id, .repetition = spec.repetition};
  planned.point = spec.point;
  planned.log_format = run.record.format;
  planned.gpus = spec.gpus;
  planned.batch_per_gpu = said.batch_per_gpu;
  planned.global_batch = said.global_batch;
  planned.epochs = spec.epochs;
  return planned;
}

class Writer {
 public:
  Writer(const contract::PlanDir& folder, const StudyNames& names, ImportSummary& summary)
      : folder_(folder), names_(names), summary_(summary), before_(read_imported_plan(folder)) {
    for (const auto& [path, run] : before_.by_path) known_[run.run_id] = &run;
  }

  /// Keeps the runs of the folder that belong to logs outside of this import.
  void keep_others(const std::vector<ImportedRun>& runs, const ReplacedRuns& replaced) {
    std::set<std::string> paths = replaced.paths;
    for (const ImportedRun& run : runs) paths.insert(run.record.path);
    for (const contract::PlannedRun& run : before_.runs) {
      const auto known = known_.find(run.run_id);
      if (known == known_.end()) {
        unreadable_.push_back(run);
      } else if (paths.contains(known->second->record.path) ||
                 replaced.run_ids.contains(run.run_id)) {
        left_.insert(run.run_id);
      } else {
        plan_.runs.push_back(run);
        taken_[run.run_id] = known->second->record.path;
      }
    }
  }

  /// Assigns repetitions and run ids in three passes: runs with a stated repetition, then runs that
  /// the folder already has, then all other runs.
  void number(const std::vector<ImportedRun>& runs) {
    specs_.resize(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      specs_[i] = runs[i].spec;
      specs_[i].study = study();
      if (runs[i].repetition > 0) give(runs[i], specs_[i], runs[i].repetition);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (specs_[i].run_id.empty()) take_earlier(runs[i], specs_[i]);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!specs_[i].run_id.empty()) continue;
      const std::string point = contract::point_id(contract::make_run_id(specs_[i]));
      int& next = next_.try_emplace(point, 1).first->second;
      while (taken_.contains(contract::run_id_of(point, next))) ++next;
      give(runs[i], specs_[i], next);
    }
  }

  void write(const std::vector<ImportedRun>& runs) {
    base::make_directories(folder_.logs());
    for (std::size_t i = 0; i < runs.size(); ++i) write_run(runs[i], specs_[i]);
    for (const contract::PlannedRun& run : unreadable_) {
      if (!taken_.contains(run.run_id)) plan_.runs.push_back(run);
    }
    write_plan();
    for (const std::string& run_id : left_) remove_run(run_id);
  }

 private:
  std::string study() const {
    if (!names_.study.empty()) return names_.study;
    return before_.study.empty() ? default_study(folder_) : before_.study;
  }

  void give(const ImportedRun& run, contract::RunSpec& spec, int repetition) {
    spec.repetition = repetition;
    spec.run_id = contract::make_run_id(spec);
    const auto [other, is_new] = taken_.try_emplace(spec.run_id, run.record.path);
    if (is_new) return;
    throw base::UsageError(
        fmt::format("{}: repetition {} of the same point is already taken by {}; add an axis that "
                    "distinguishes the two runs (--axis, --map, --table)",
                    run.shown, repetition, other->second));
  }

  void take_earlier(const ImportedRun& run, contract::RunSpec& spec) {
    const auto [first, last] = before_.by_path.equal_range(run.record.path);
    const std::string point = contract::point_id(contract::make_run_id(spec));
    for (auto known = first; known != last; ++known) {
      const std::string& run_id = known->second.run_id;
      const bool same = known->second.record.part.which == run.record.part.which &&
                        contract::point_id(run_id) == point && !taken_.contains(run_id);
      if (same) return give(run, spec, std::stoi(run_id.substr(point.size() + 2)));
    }
  }

  void write_run(const ImportedRun& run, const contract::RunSpec& spec) {
    const contract::RunDir folder = folder_.run(spec.run_id);
    base::make_directories(folder.launch(1).root());
    bool changed = base::write_file_if_changed(folder.run_json(), to_json(spec));
    changed |= base::write_file_if_changed(import_json(folder.launch(1)), to_json(run.record));
    int launches = 1;
    for (const ImportRecord& later : run.later) {
      const contract::LaunchDir launch = folder.launch(++launches);
      base::make_directories(launch.root());
      changed |= base::write_file_if_changed(import_json(launch), to_json(later));
    }
    // If other logs continue this log and are not part of this import, the run keeps the launches
    // of the other logs.
    if (launches > 1 || !run.record.is_continued) changed |= remove_launches(folder, launches);
    changed |=
        base::write_file_if_changed(folder_.run_notes(spec.run_id), end_of(run, spec.run_id));
    const bool is_known = known_.contains(spec.run_id);
    ++(!is_known ? summary_.added : changed ? summary_.changed : summary_.unchanged);
    left_.erase(spec.run_id);
    plan_.runs.push_back(planned(run, spec));
  }

  void write_plan() {
    plan_.study = study();
    plan_.scaling = !names_.scaling.empty()   ? names_.scaling
                    : before_.scaling.empty() ? "throughput"
                                              : before_.scaling;
    plan_.scheduler = kImportedScheduler;
    plan_.axes = plan_axes_of(plan_.runs);
    std::sort(plan_.runs.begin(), plan_.runs.end(), [](const auto& a, const auto& b) {
      const auto key = [](const contract::PlannedRun& run) {
        return std::tuple(run.gpus, contract::point_id(run.run_id), run.repetition);
      };
      return key(a) < key(b);
    });
    for (const contract::PlannedRun& run : plan_.runs) {
      plan_.repeats = std::max(plan_.repeats, run.repetition);
    }
    base::write_file_if_changed(folder_.plan_json(), to_json(plan_));
  }

  /// Removes the launches whose number exceeds `kept`. Returns true if an import record was
  /// removed.
  static bool remove_launches(const contract::RunDir& run, int kept) {
    bool any = false;
    std::error_code ignored;  // the collect step reports files that remain after an error
    for (const contract::LaunchDir& launch : run.launches()) {
      if (launch.number() <= kept) continue;
      any |= fs::remove(import_json(launch), ignored);
      fs::remove(launch.root(), ignored);
    }
    return any;
  }

  void remove_run(const std::string& run_id) {
    const contract::RunDir run = folder_.run(run_id);
    remove_launches(run, 0);
    std::error_code ignored;  // the collect step reports runs that remain after an error
    fs::remove(run.run_json(), ignored);
    fs::remove(run.root(), ignored);
    fs::remove(folder_.run_notes(run_id), ignored);
  }

  const contract::PlanDir& folder_;
  const StudyNames& names_;
  ImportSummary& summary_;
  ImportedPlan before_;
  std::map<std::string, const KnownRun*> known_;  ///< known runs by run id
  contract::Plan plan_;
  std::vector<contract::RunSpec> specs_;
  std::map<std::string, std::string> taken_;      ///< run ids in use, with their logs
  std::map<std::string, int> next_;               ///< number of the next repetition of each point
  std::vector<contract::PlannedRun> unreadable_;  ///< planned runs with an invalid import.json
  std::set<std::string> left_;  ///< runs of the folder whose log no longer describes them
};

}  // namespace

bool holds_imported_runs(const contract::Plan& plan) {
  return plan.scheduler == kImportedScheduler && plan.jobs.empty();
}

ImportedPlan read_imported_plan(const contract::PlanDir& folder) {
  ImportedPlan imported;
  if (!fs::exists(folder.plan_json())) return imported;
  contract::Plan plan = contract::read_plan(folder);
  if (!holds_imported_runs(plan)) {
    throw base::UsageError(
        fmt::format("{}: contains a plan of runs that dlscale starts; import third-party logs into "
                    "a different folder",
                    folder.root().string()));
  }
  imported.study = plan.study;
  imported.scaling = plan.scaling;
  for (const contract::PlannedRun& run : plan.runs) {
    const fs::path file = import_json(folder.run(run.run_id).launch(1));
    KnownRun known{.run_id = run.run_id};
    try {
      known.record = import_record_from_json(base::read_file(file), file.string());
      read_end(folder, known);
    } catch (const base::Error&) {
      continue;  // this import rebuilds the run from its log
    }
    imported.by_path.emplace(known.record.path, std::move(known));
  }
  imported.runs = std::move(plan.runs);
  return imported;
}

std::vector<ImportedRun> runs_of_folder(const ImportedPlan& before,
                                        const std::vector<ImportedRun>& runs) {
  std::vector<ImportedRun> others;
  std::set<std::string> paths;
  for (const ImportedRun& run : runs) paths.insert(run.record.path);
  std::map<std::string, const contract::PlannedRun*> planned;
  for (const contract::PlannedRun& run : before.runs) planned[run.run_id] = &run;
  for (const auto& [path, known] : before.by_path) {
    if (paths.contains(path) || !planned.contains(known.run_id)) continue;
    ImportedRun run{.record = known.record, .shown = path, .outcome = known.outcome};
    run.spec.run_id = known.run_id;
    run.spec.point = planned.at(known.run_id)->point;
    run.spec.gpus = planned.at(known.run_id)->gpus;
    run.spec.global_batch = planned.at(known.run_id)->global_batch;
    others.push_back(std::move(run));
  }
  return others;
}

std::string default_study(const contract::PlanDir& folder) {
  const fs::path name = whole_path(folder.root()).filename();
  return name.empty() ? "collected" : name.string();
}

void write_imported_runs(const contract::PlanDir& folder, const StudyNames& names,
                         const std::vector<ImportedRun>& runs, const ReplacedRuns& replaced,
                         ImportSummary& summary) {
  // Numbers the runs before any folder is created. If the import is invalid, numbering throws an
  // exception and no folder is left behind.
  if (!fs::exists(folder.plan_json())) {
    ImportSummary unused;
    Writer(folder, names, unused).number(runs);
  }
  base::make_directories(folder.root());
  const FolderLock lock(folder.root());
  Writer writer(folder, names, summary);
  writer.keep_others(runs, replaced);
  writer.number(runs);
  writer.write(runs);
}

}  // namespace dlscale::analysis
