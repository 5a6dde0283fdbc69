// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/continued_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "analysis/import/foreign_text.hpp"
#include "analysis/import/imported_run.hpp"
#include "analysis/import/same_training.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr const char* kAdvice =
    "keep the logs of each training in a separate folder, or distinguish the trainings with --axis "
    "'repetition=REGEX' or --table";

bool has_epochs(const TrainedSpan& span) {
  return span.last_epoch > 0;
}

/// Returns true if the training in `later` begins within `earlier` or directly after the end of
/// `earlier`, and does not end before `earlier` ends.
bool begins_in(const TrainedSpan& later, const TrainedSpan& earlier) {
  if (!later.is_known() || !earlier.is_known()) return false;
  if (has_epochs(later)) {
    return later.first_epoch > earlier.first_epoch && later.first_epoch <= earlier.last_epoch + 1 &&
           later.last_epoch >= earlier.last_epoch;
  }
  return !has_epochs(earlier) && later.steps_before > earlier.steps_before &&
         later.steps_before <= earlier.steps_before + earlier.steps &&
         later.steps_before + later.steps >= earlier.steps_before + earlier.steps;
}

/// Returns the span of a log with the numbers that the log states for its epochs.
TrainedSpan printed_span(const ImportRecord& record) {
  TrainedSpan span = record.span;
  span.first_epoch += record.epochs_from.value_or(0);
  span.last_epoch += record.epochs_from.value_or(0);
  return span;
}

/// Returns true if the log may continue a log that shows how the epochs of both logs count.
bool needs_first_epoch(const ImportRecord& record) {
  const bool is_found = !record.mapped.kind.empty() && !record.mapped.counts.epochs_from;
  return is_found && record.epochs_from != 0 && record.span.is_known() && record.part == LogPart{};
}

/// Reads a log again, whose first epoch has the number `epochs_from`.
void read_again(ImportedRun& run, int epochs_from) {
  run.record.epochs_from = epochs_from;
  ForeignText foreign = read_foreign(run.record.path);
  const std::string text = without_launcher_prefixes(run.record, std::move(foreign.text));
  contract::RunSpec spec = run.spec;
  keep_what_is_said(spec);
  const LogContent content = read_log(run.record, text, spec);
  run.trace = trace_of(content);
  run.record.opening = opening_of(*run.trace);
  run.record.span = span_of(content);
}

/// Returns true if `a` begins later than `b`.
bool begins_later(const TrainedSpan& a, const TrainedSpan& b) {
  return std::pair(a.first_epoch, a.steps_before) > std::pair(b.first_epoch, b.steps_before);
}

std::string folder_and_format(const ImportRecord& record) {
  return fs::path(record.path).parent_path().string() + "\n" + record.format;
}

class Chains {
 public:
  Chains(std::vector<ImportedRun> runs, const ImportedPlan& before)
      : runs_(std::move(runs)), own_(runs_.size()) {
    for (ImportedRun& run : runs_of_folder(before, runs_)) runs_.push_back(std::move(run));
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].record.part == LogPart{}) logs_of_[key_of(runs_[i])].push_back(i);
    }
    before_.resize(runs_.size());
    behind_.resize(runs_.size());
    forget_chains();
  }

  ContinuedTrainings join() {
    for (std::size_t i = 0; i < runs_.size(); ++i) find_earlier(i);
    drop_unclear();
    ContinuedTrainings joined;
    for (std::size_t i = 0; i < own_; ++i) {
      if (unclear_.contains(i)) {
        joined.problems.push_back(unclear_.at(i));
        joined.unclear.push_back(std::move(runs_[i]));
      } else if (!before_[i]) {
        add_launches(i, joined);
        joined.runs.push_back(std::move(runs_[i]));
      }
    }
    return joined;
  }

 private:
  static std::string key_of(const ImportedRun& run) { return folder_and_format(run.record); }

  /// Removes the recorded continuations of a log if one of the logs that continue it is part of
  /// this import. find_earlier() then determines the continuations again.
  void forget_chains() {
    std::set<std::string> paths;
    for (std::size_t i = 0; i < own_; ++i) paths.insert(runs_[i].record.path);
    for (std::size_t i = 0; i < own_; ++i) {
      ImportRecord& record = runs_[i].record;
      const bool is_given = std::ranges::any_of(record.companions, [&](const Companion& one) {
        return one.why == kContinuation && paths.contains(one.path);
      });
      if (!is_given) continue;
      record.is_continued = false;
      std::erase_if(record.companions,
                    [](const Companion& one) { return one.why == kContinuation; });
    }
  }

  /// Finds the log that log `i` continues. If several logs contain the point at which log `i`
  /// begins, the log with the latest beginning is chosen. If several logs share the latest
  /// beginning, log `i` is marked as unclear.
  void find_earlier(std::size_t i) {
    std::vector<std::size_t> found;
    for (const std::size_t other : logs_of_[key_of(runs_[i])]) {
      const TrainedSpan& span = runs_[other].record.span;
      if (other == i || !begins_in(runs_[i].record.span, span)) continue;
      if (!agree(runs_[other], runs_[i])) continue;
      if (!found.empty()) {
        const TrainedSpan& best = runs_[found.front()].record.span;
        if (begins_later(best, span)) continue;
        if (begins_later(span, best)) found.clear();
      }
      found.push_back(other);
    }
    if (found.size() == 1) {
      before_[i] = found.front();
      behind_[found.front()].push_back(i);
    } else if (found.size() > 1) {
      unclear_[i] = fmt::format("begins {}, so it could continue {} or {}; {}", beginning(i),
                                runs_[found[0]].shown, runs_[found[1]].shown, kAdvice);
    }
  }

  std::string beginning(std::size_t i) const {
    const TrainedSpan& span = runs_[i].record.span;
    return has_epochs(span) ? fmt::format("with epoch {}", span.first_epoch)
                            : fmt::format("after step {}", span.steps_before);
  }

  /// Marks logs as unclear in three cases:
  /// - Several logs continue the same log.
  /// - A log continues another log, but only one of these two logs is part of this import.
  /// - A log continues a log that is itself unclear.
  void drop_unclear() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (behind_[i].size() > 1) {
        for (const std::size_t later : behind_[i]) {
          unclear_[later] =
              fmt::format("begins {}, but {} logs continue {}, and only one of them can; {}",
                          beginning(later), behind_[i].size(), runs_[i].shown, kAdvice);
        }
      } else if (behind_[i].size() == 1 && (i >= own_) != (behind_[i][0] >= own_)) {
        const std::size_t later = behind_[i][0];
        unclear_[later] = unclear_[i] = fmt::format(
            "{} continues {}; collect the two logs "
            "together",
            runs_[later].shown, runs_[i].shown);
      }
    }
    for (bool any = true; any;) {
      any = false;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (!before_[i] || unclear_.contains(i) || !unclear_.contains(*before_[i])) continue;
        unclear_[i] = fmt::format("continues {}, which is not imported", runs_[*before_[i]].shown);
        any = true;
      }
    }
  }

  /// Adds the logs that continue `first`, one after the other, as further launches (attempts) of
  /// the run of `first`.
  void add_launches(std::size_t first, ContinuedTrainings& joined) {
    ImportedRun& run = runs_[first];
    ImportRecord* earlier = &run.record;
    for (std::size_t at = first; !behind_[at].empty() && !unclear_.contains(behind_[at][0]);) {
      const std::size_t next = behind_[at][0];
      ImportedRun& later = runs_[next];
      earlier->is_continued = true;
      later.record.resumed_step = steps_before(*earlier, later.record.span);
      run.record.companions.push_back(
          {later.record.path, later.record.stamp, later.record.sha256, kContinuation});
      for (Companion& one : later.record.companions) run.record.companions.push_back(one);
      later.record.companions.clear();
      joined.notes.push_back(fmt::format("{}: belongs to {}: {}, {}", later.shown, run.shown,
                                         kContinuation, beginning(next)));
      joined.paths.insert(later.record.path);
      run.outcome = later.outcome;
      run.reason = later.reason;
      run.later.push_back(later.record);
      earlier = &run.later.back();
      at = next;
    }
  }

  /// Returns the number of steps in the earlier log that the later log did not repeat.
  static std::int64_t steps_before(const ImportRecord& earlier, const TrainedSpan& later) {
    const TrainedSpan& span = earlier.span;
    if (!has_epochs(later)) return later.steps_before - span.steps_before;
    const auto again = span.epoch_begins.lower_bound(later.first_epoch);
    return again == span.epoch_begins.end() ? span.steps : again->second;
  }

  std::vector<ImportedRun> runs_;  ///< runs of this import, then other runs of the plan folder
  const std::size_t own_;          ///< number of runs of this import
  std::map<std::string, std::vector<std::size_t>> logs_of_;  ///< log indices by folder and format
  std::vector<std::optional<std::size_t>> before_;  ///< by log: index of the log that it continues
  std::vector<std::vector<std::size_t>> behind_;  ///< by log: indices of the logs that continue it
  std::map<std::size_t, std::string> unclear_;    ///< index of each unclear log, with the reason
};

}  // namespace

void count_epochs_alike(std::vector<ImportedRun>& runs) {
  std::map<std::string, std::vector<const ImportRecord*>> logs;
  for (const ImportedRun& run : runs) logs[folder_and_format(run.record)].push_back(&run.record);
  // A log may continue a log that continues another log.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (ImportedRun& run : runs) {
      if (!needs_first_epoch(run.record)) continue;
      const TrainedSpan own = printed_span(run.record);
      const auto& others = logs[folder_and_format(run.record)];
      const auto earlier = std::ranges::find_if(others, [&](const ImportRecord* other) {
        return other->epochs_from && other->epochs_from != run.record.epochs_from &&
               begins_in(own, printed_span(*other));
      });
      if (earlier == others.end()) continue;
      read_again(run, *(*earlier)->epochs_from);
      has_changed = true;
    }
  }
}

ContinuedTrainings join_continued(std::vector<ImportedRun> runs, const ImportedPlan& before) {
  return Chains(std::move(runs), before).join();
}

}  // namespace dlscale::analysis
