// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/import_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "analysis/import/axis_sources.hpp"
#include "analysis/import/continued_training.hpp"
#include "analysis/import/foreign_log.hpp"
#include "analysis/import/foreign_text.hpp"
#include "analysis/import/imported_plan.hpp"
#include "analysis/import/imported_run.hpp"
#include "analysis/import/mapped/mapped_file.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "analysis/import/same_job.hpp"
#include "analysis/import/same_training.hpp"
#include "base/error.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace {

/// Returns true if the log of a run with this outcome may contain measurements. Such outcomes are
/// Completed, Diverged and Lost. The log of a lost run ends before the program did.
bool has_measurements(contract::RunOutcome outcome) {
  return outcome == contract::RunOutcome::Completed || outcome == contract::RunOutcome::Lost ||
         outcome == contract::RunOutcome::Diverged;
}

/// Returns the format that recognises the file, or null if no format does. Reads more of the file
/// only if no format recognises the beginning.
const LogFormat* recognise(const std::filesystem::path& path) {
  const std::string head = without_launcher_prefixes(head_of(path));
  if (head.empty()) return nullptr;
  if (const LogFormat* const format = format_of_beginning(head)) return format;
  const std::string text = head_of(path, kSearchedBytes);
  if (text.size() <= kSampledBytes) return nullptr;
  return format_behind_other_lines(without_launcher_prefixes(text));
}

struct KnownCompanion {
  ForeignLog log;
  ImportRecord record;
  CompanionOf known;
};

class Import {
 public:
  Import(const ImportRequest& request, const contract::PlanDir& folder,
         const IsUnchanged& is_unchanged)
      : request_(request),
        folder_(folder),
        is_unchanged_(is_unchanged),
        before_(read_imported_plan(folder)) {
    check_request();
    for (const std::string& axis : request.axes) axes_.emplace_back(axis);
    read_values("--set", request.stated, stated_);
    read_values("--default", request.defaults, defaults_);
    if (!request.table.empty()) table_ = std::make_unique<AxisTable>(request.table);
  }

  ImportSummary run() {
    const std::vector<ForeignLog> logs = find_logs(request_.logs, folder_.root(), summary_.skipped);
    for (const ForeignLog& log : logs) import_log(log);
    for (const KnownCompanion& one : companions_) keep_companion(one);
    check_found(logs.size());
    count_epochs_alike(runs_);
    warn_of_misspelt_names();
    std::ranges::move(unused_pattern_warnings(), std::back_inserter(summary_.warnings));
    ReplacedRuns replaced{{}, count_jobs_once()};
    replaced.paths = join();
    replaced.paths.merge(join_launches());
    const std::string unknown = unknown_model_warning(runs_, before_);
    if (!unknown.empty()) summary_.warnings.push_back(unknown);
    if (table_) {
      for (const std::string& row : table_->unused()) {
        summary_.warnings.push_back(fmt::format("{}: {}", request_.table, row));
      }
    }
    write_imported_runs(folder_, {request_.study, request_.scaling}, runs_, replaced, summary_);
    return summary_;
  }

 private:
  static void read_values(const std::string& option, const std::vector<std::string>& texts,
                          AxisValues& values) {
    for (const std::string& text : texts) {
      const auto [name, value] = parse_stated(option, text);
      if (!values.try_emplace(name, value).second) {
        throw base::UsageError(fmt::format("{} {}: the axis is given twice", option, name));
      }
    }
  }

  void check_request() const {
    if (!request_.mapped.kind.empty()) return check(request_.mapped);
    if (!request_.format.empty() && !request_.described)
      base::find(log_formats(), "log format", request_.format);
  }

  std::string study() const {
    if (!request_.study.empty()) return request_.study;
    return before_.study.empty() ? default_study(folder_) : before_.study;
  }

  void import_log(const ForeignLog& log) {
    beside_ = facts_beside(log.path);
    ImportRecord record{.path = log.path.generic_string(), .stamp = stamp_of(log.path)};
    if (!request_.mapped.kind.empty()) {
      record.format = request_.mapped.kind;
      record.mapped = request_.mapped;
    } else if (request_.described) {
      record.described = request_.described;
      record.format = request_.described->entry().name;
    } else if (!request_.format.empty()) {
      record.format = request_.format;
    }
    if (take_unchanged(log, record)) return;
    if (const std::string refusal = refusal_of(log.path); !refusal.empty()) {
      return take_unreadable(log, record.path, refusal);
    }
    read_recognised(log, std::move(record));
  }

  void read_recognised(const ForeignLog& log, ImportRecord record) {
    if (record.format.empty()) {
      const LogFormat* const format = recognise(log.path);
      if (format == nullptr) return skip_unrecognised(log);
      record.format = format->name;
    }
    read(log, record);
  }

  /// Reuses the recorded runs of a log that has not changed since the last import and whose format
  /// and mapping are still the same. Returns false if the log must be read again.
  bool take_unchanged(const ForeignLog& log, const ImportRecord& record) {
    const auto [first, last] = before_.by_path.equal_range(record.path);
    if (first == last) return take_unchanged_companion(log, record);
    for (auto known = first; known != last; ++known) {
      const ImportRecord& then = known->second.record;
      if (then.stamp != record.stamp || !is_read_alike(record, then)) return false;
    }
    if (!has_content(log, first->second.record.sha256)) return false;
    add_known(log, record.path);
    unused_patterns_.emplace();  // the patterns that read the log are not recorded
    return true;
  }

  /// Handles an unchanged log that an earlier import joined to the run of another log as a
  /// companion. After all logs have been visited, keep_companion() decides whether the companion
  /// stays joined. Returns false if the log must be read again.
  bool take_unchanged_companion(const ForeignLog& log, const ImportRecord& record) {
    const auto owner = find_owner(before_, record);
    // Logs that continue another log are always read again.
    if (!owner || owner->companion.why == kContinuation) return false;
    if (!has_content(log, owner->companion.sha256)) return false;
    companions_.push_back({log, record, *owner});
    return true;
  }

  /// Keeps the companion joined to the run of its owner, which is another log. If the owner has
  /// changed, reads the companion again.
  void keep_companion(const KnownCompanion& one) {
    const auto owner = std::ranges::find_if(
        runs_, [&](const ImportedRun& run) { return run.record.path == one.known.owner; });
    if (owner != runs_.end() && owner->record.sha256 != one.known.owner_sha256) {
      return read_recognised(one.log, one.record);
    }
    summary_.joined.push_back(fmt::format("{}: belongs to {}: {}", one.log.shown,
                                          owner == runs_.end() ? one.known.owner : owner->shown,
                                          one.known.companion.why));
  }

  /// Adds the runs that the plan folder records for the log.
  void add_known(const ForeignLog& log, const std::string& path) {
    const auto [first, last] = before_.by_path.equal_range(path);
    const bool is_whole = first == last || std::next(first) == last;
    int added = 0;
    for (auto known = first; known != last; ++known) {
      const KnownRun& run = known->second;
      added += try_run(log, run.record, is_whole, [&] {
        add(log, run.record, run.outcome, run.reason);
        return true;
      });
    }
    if (added > 0) count(first->second.record);
  }

  /// Skips a log that cannot be read, but keeps the runs that an earlier import recorded for it.
  /// The collect step reports that the log cannot be read.
  void take_unreadable(const ForeignLog& log, const std::string& path, const std::string& why) {
    skip(log, "cannot be read: " + why, true);
    add_known(log, path);
  }

  /// Returns true if the content of the log is unchanged. The function compares the SHA-256, unless
  /// the caller of the import knows that the log is unchanged. An equal size and modification time
  /// prove nothing, because a program can set the time, and different content can have the same
  /// length.
  bool has_content(const ForeignLog& log, const std::string& sha256) const {
    const bool is_sure = is_unchanged_ && is_unchanged_(log.path.generic_string());
    return is_sure || read_foreign(log.path).sha256 == sha256;
  }

  void read(const ForeignLog& log, ImportRecord record) {
    ForeignText foreign = read_foreign(log.path);
    record.sha256 = foreign.sha256;
    if (!foreign.problem.empty()) return take_without_text(log, record, foreign);
    foreign.text = without_launcher_prefixes(record, std::move(foreign.text));
    std::vector<LogPart> parts;
    try {
      parts = parts_of(record, foreign.text);
    } catch (const base::UsageError& error) {  // read_mapped reports the error again
      if (!is_meant(log)) return skip(log, error.what(), false);
    }
    if (parts.empty()) parts.emplace_back();
    const bool is_whole = parts.size() == 1;
    int added = 0;
    for (LogPart& part : parts) {
      record.part = std::move(part);
      added += try_run(log, record, is_whole,
                       [&] { return read_run(log, record, foreign.text, is_whole); });
    }
    if (added > 0) count(record);
  }

  /// Adds a log without a readable text as a failed run if the user meant this file (is_meant) or
  /// if a format recognised it. Otherwise skips the log.
  void take_without_text(const ForeignLog& log, const ImportRecord& record,
                         const ForeignText& foreign) {
    if (!is_meant(log) && is_asked()) return skip(log, foreign.problem, foreign.is_damaged);
    const bool is_added = try_run(log, record, true, [&] {
      add(log, record, contract::RunOutcome::Failed, foreign.problem);
      return true;
    });
    if (!is_added) return;
    count(record);
    if (foreign.is_damaged) {
      summary_.warnings.push_back(fmt::format("{}: {}", log.shown, foreign.problem));
    }
  }

  /// Calls `make`, which creates the run of a log (`is_whole`) or of a part of a log. If `make`
  /// throws base::UsageError because the axes of the run are invalid or incomplete, the log or part
  /// is skipped and the import continues. Returns true if a run was added.
  template <class MakeRun>
  bool try_run(const ForeignLog& log, const ImportRecord& record, bool is_whole, MakeRun make) {
    try {
      return make();
    } catch (const base::UsageError& error) {
      std::string why = error.what();
      const std::string place = log.shown + ": ";
      if (why.starts_with(place)) why.erase(0, place.size());
      is_whole ? skip(log, why, true) : skip_part(log, record, why, true);
      return false;
    }
  }

  static std::vector<LogPart> parts_of(const ImportRecord& record, std::string_view text) {
    if (!record.mapped.kind.empty()) return runs_in(text, record.mapped);
    const LogFormat& format = format_of(record);
    return format.parts == nullptr ? std::vector<LogPart>() : format.parts(text);
  }

  /// Reads one run and adds it. Skips a log or part without measurements and returns false if the
  /// user probably did not mean the file to be a run. This is the case if the user chose the format
  /// of all files and is_meant() is false for this file.
  bool read_run(const ForeignLog& log, ImportRecord& record, std::string_view text, bool is_whole) {
    MergedAxes reported = reported_axes(log, record);
    add_defaults(reported);
    contract::RunSpec run = imported_run(study(), reported, log.shown);
    keep_what_is_said(run);
    record.epochs_from.reset();  // of another part of the log
    LogContent content = read_log(record, text, run);
    record.epochs_from = content.epochs_from;
    take_unused_patterns(content);
    record.facts = content.facts;
    TrainingTrace trace = trace_of(content);
    record.opening = opening_of(trace);
    record.span = span_of(content);
    const bool is_default =
        content.collectives.empty() &&
        std::all_of(content.file.records.begin(), content.file.records.end(), [](const auto& one) {
          return std::holds_alternative<contract::RunStart>(one);
        });
    if (is_default && !is_meant(log) && is_asked()) {
      const std::string why = why_nothing(content.file);
      is_whole ? skip(log, why, false) : skip_part(log, record, why, false);
      return false;
    }
    complete_launch(content, run);
    const auto& stop = std::get<contract::RunStop>(*std::find_if(
        content.file.records.begin(), content.file.records.end(),
        [](const auto& one) { return std::holds_alternative<contract::RunStop>(one); }));
    record.job = identity_of(content.jobs);
    add(log, record, stop.outcome, stop.reason);
    runs_.back().trace = std::move(trace);
    return true;
  }

  void take_unused_patterns(const LogContent& content) {
    const std::set<std::size_t>& own = content.unused_patterns;
    if (!unused_patterns_) unused_patterns_ = own;
    std::erase_if(*unused_patterns_, [&](std::size_t one) { return !own.contains(one); });
  }

  /// Warns of groups of patterns and of mapped fields whose names are probably misspelt.
  void warn_of_misspelt_names() {
    const std::vector<base::Location>& places = request_.pattern_places;
    for (const MisspeltGroup& group : misspelt_groups(request_.mapped)) {
      const bool has_place = group.pattern < places.size();
      summary_.warnings.push_back(
          has_place ? base::SpecError(places[group.pattern], "line", group.text).what()
                    : group.text);
    }
  }

  /// Returns warnings about the patterns that read no line of any log, and about their groups that
  /// never matched.
  std::vector<std::string> unused_pattern_warnings() const {
    if (!unused_patterns_ || request_.pattern_places.empty()) return {};
    return describe_unused({"", request_.mapped, request_.pattern_places}, *unused_patterns_);
  }

  /// Returns these warnings as lines that follow an error.
  std::string unused_patterns_behind_error() const {
    std::string lines;
    for (const std::string& warning : unused_pattern_warnings()) lines += "\n" + warning;
    return lines;
  }

  void count(const ImportRecord& record) {
    ++summary_.logs;
    ++summary_.formats[record.format];
  }

  void skip(const ForeignLog& log, const std::string& why, bool is_failure) {
    summary_.skipped.push_back({log.shown, why, is_failure || log.named});
  }

  void skip_part(const ForeignLog& log, const ImportRecord& record, const std::string& why,
                 bool is_failure) {
    const std::string place = fmt::format("{}: line {}", log.shown, record.part.first_line);
    summary_.skipped.push_back({place, why, is_failure || log.named, "run"});
  }

  void skip_unrecognised(const ForeignLog& log) {
    const HeadProblem problem = head_problem_of(log.path);
    skip(log, problem.why.empty() ? kUnrecognised : problem.why, problem.is_damage);
  }

  /// Returns true if the user chose the format of all files on the command line.
  bool is_asked() const {
    return !request_.mapped.kind.empty() || !request_.format.empty() || request_.described;
  }

  /// Returns true if a file must become a run whatever its content: the user named the file, or its
  /// path matches an --axis expression.
  bool is_meant(const ForeignLog& log) const {
    return log.named || std::any_of(axes_.begin(), axes_.end(), [&](const PathAxis& axis) {
             return axis.value(log).has_value();
           });
  }

  /// Adds the values of --default for the axes that no other source states.
  void add_defaults(MergedAxes& axes) const {
    for (const auto& [name, value] : defaults_) {
      if (axes.source_of(name).empty()) axes.add("--default", {{name, value}});
    }
  }

  MergedAxes reported_axes(const ForeignLog& log, const ImportRecord& record) {
    MergedAxes axes;
    axes.add("--set", stated_);
    if (table_) {
      if (const AxisValues* row = table_->find(log)) axes.add("--table", *row);
    }
    AxisValues by_path;
    for (const PathAxis& axis : axes_) {
      if (const auto value = axis.value(log)) by_path[axis.name()] = *value;
    }
    axes.add("its path", by_path);
    axes.add(record.mapped.kind.empty() ? "its content" : "its columns", record.part.which);
    axes.add("a file next to the log", beside_);
    return axes;
  }

  /// Adds a run. Throws base::UsageError if the axes of the run are invalid or incomplete.
  void add(const ForeignLog& log, const ImportRecord& record, contract::RunOutcome outcome,
           const std::string& reason) {
    MergedAxes axes = reported_axes(log, record);
    axes.add("its content", record.facts);
    add_defaults(axes);
    add_unknown_model(axes, record, whole_path(folder_.root()).parent_path());
    for (const std::string& conflict : axes.conflicts()) {
      summary_.warnings.push_back(fmt::format("{}: {}", log.shown, conflict));
    }
    ImportedRun run{record, imported_run(study(), axes, log.shown), log.shown, outcome, reason};
    const auto repetition = run.spec.point.find("repetition");
    if (repetition != run.spec.point.end()) {
      run.repetition = stated_repetition(repetition->second, log.shown);
      run.spec.parameters.erase("repetition");
      run.spec.point.erase(repetition);
    }
    require_what_is_needed(run);
    ++summary_.runs;
    runs_.push_back(std::move(run));
  }

  /// Throws base::UsageError if a run with measurements lacks an axis that the result tables
  /// require.
  static void require_what_is_needed(const ImportedRun& run) {
    if (!has_measurements(run.outcome)) return;
    const bool mapped = !run.record.mapped.kind.empty();
    if (!mapped && !format_of(run.record).of_training) return;
    const AxisValues& known = run.spec.point;
    const auto miss = [](const char* what, const char* axis) {
      throw base::UsageError(
          fmt::format("{0} is unknown; state {1} with --set {1}=N, --axis '{1}=REGEX' (a part of "
                      "the path) or --table",
                      what, axis));
    };
    if (!known.contains("gpus")) miss("the number of GPUs (ranks)", "gpus");
    if (mapped) return;
    const bool has_batch = known.contains("global_batch") || known.contains("batch_per_gpu");
    if (format_of(run.record).needs_run && !has_batch)
      miss("the number of samples per step", "global_batch");
  }

  void check_found(std::size_t files) const {
    if (files == 0 && summary_.skipped.empty()) {
      throw base::UsageError(fmt::format("found no file in {}", fmt::join(request_.logs, ", ")));
    }
    if (runs_.empty()) {
      throw base::UsageError(why_nothing_is_imported(summary_.skipped, files) +
                             unused_patterns_behind_error());
    }
    const bool any = std::any_of(runs_.begin(), runs_.end(), [](const ImportedRun& run) {
      return has_measurements(run.outcome);
    });
    if (!is_asked() || any) return;
    const ImportedRun& first = runs_.front();
    throw base::UsageError(
        fmt::format("{}: {}{}{}{}", first.shown, first.reason,
                    runs_.size() == 1 ? "" : "; all other logs have no measurements either",
                    lines_behind_error(summary_.skipped), unused_patterns_behind_error()));
  }

  /// Keeps only one run if several rows of accounting records describe the same attempt of a job.
  /// Returns the ids of the plan folder's runs that rows of this import replace.
  std::set<std::string> count_jobs_once() {
    DistinctJobs jobs = distinct_jobs(std::move(runs_), before_);
    runs_ = std::move(jobs.runs);
    summary_.runs -= static_cast<int>(jobs.repeated.size());
    for (const ImportedRun& run : jobs.repeated) {
      const std::string place = fmt::format("{}: line {}", run.shown, run.record.part.first_line);
      summary_.skipped.push_back(
          {place, "another row describes the same job and is used instead", false, "job"});
    }
    return std::move(jobs.replaced);
  }

  /// Joins logs that describe the same training, so that each training has one run. Returns the
  /// paths of the logs that lost their separate run.
  std::set<std::string> join() {
    JoinedRuns joined = join_trainings(std::move(runs_), before_);
    runs_ = std::move(joined.runs);
    summary_.runs -= static_cast<int>(joined.joined.size());
    std::set<std::string> uncounted;
    for (const ImportedRun& run : runs_) uncounted.insert(run.record.path);
    for (const ImportedRun& run : joined.joined) {
      const std::string& format = run.record.format;
      if (!uncounted.insert(run.record.path).second) continue;
      --summary_.logs;
      if (--summary_.formats[format] == 0) summary_.formats.erase(format);
    }
    for (std::string& note : joined.notes) summary_.joined.push_back(std::move(note));
    for (const std::string& copy : joined.copies) {
      summary_.warnings.push_back(
          copy + " are identical, byte by byte; both logs are imported because their axes differ");
    }
    return joined.paths;
  }

  /// Turns logs that continue another log into launches of the run of that log. Returns the paths
  /// of the logs that lost their separate run.
  std::set<std::string> join_launches() {
    const std::size_t before = runs_.size();
    ContinuedTrainings joined = join_continued(std::move(runs_), before_);
    runs_ = std::move(joined.runs);
    summary_.runs -= static_cast<int>(before - runs_.size());
    for (std::string& note : joined.notes) summary_.joined.push_back(std::move(note));
    for (std::size_t i = 0; i < joined.unclear.size(); ++i) {
      const ImportedRun& run = joined.unclear[i];
      summary_.skipped.push_back({run.shown, joined.problems[i], true});
      --summary_.logs;
      if (--summary_.formats[run.record.format] == 0) summary_.formats.erase(run.record.format);
    }
    return joined.paths;
  }

  const ImportRequest& request_;
  const contract::PlanDir& folder_;
  const IsUnchanged& is_unchanged_;
  ImportedPlan before_;
  std::vector<PathAxis> axes_;
  AxisValues stated_, defaults_;
  AxisValues beside_;  ///< facts from files in the folder of the current log
  std::unique_ptr<AxisTable> table_;
  std::vector<ImportedRun> runs_;
  std::vector<KnownCompanion> companions_;
  /// Patterns that read no line of the logs so far. Empty before the first log.
  std::optional<std::set<std::size_t>> unused_patterns_;
  ImportSummary summary_;
};

}  // namespace

ImportSummary import_logs(const ImportRequest& request, const contract::PlanDir& folder,
                          const IsUnchanged& is_unchanged) {
  return Import(request, folder, is_unchanged).run();
}

}  // namespace dlscale::analysis
