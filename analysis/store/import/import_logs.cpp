// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/import/import_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "analysis/store/import/axis_sources.hpp"
#include "analysis/store/import/beside_log.hpp"
#include "analysis/store/import/imported_plan.hpp"
#include "analysis/store/import/imported_run.hpp"
#include "analysis/store/import/row_reader.hpp"
#include "base/error.hpp"
#include "contract/run_id.hpp"

namespace dlscale::analysis {
namespace {

/// Of runs that diverged, or whose log ended before its program did, there are some.
bool has_measurements(contract::RunOutcome outcome) {
  return outcome == contract::RunOutcome::Completed || outcome == contract::RunOutcome::Lost ||
         outcome == contract::RunOutcome::Diverged;
}

/// The format that certainly is the file's; null when there is none.
const LogFormat* recognise(const std::filesystem::path& path) {
  const std::string head = head_of(path);
  if (head.empty()) return nullptr;
  for (const LogFormat* format : log_formats()) {
    if (format->recognises(head)) return format;
  }
  return nullptr;
}

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
    const std::vector<ForeignLog> logs =
        find_logs(request_.logs, folder_.root(), summary_.warnings);
    for (const ForeignLog& log : logs) take(log);
    check_found(logs.size());
    find_equal_files();
    if (table_) {
      for (const std::string& path : table_->unused()) {
        summary_.warnings.push_back(
            fmt::format("{}: {} is none of the logs", request_.table, path));
      }
    }
    write_imported_runs(folder_, {request_.study, request_.scaling}, runs_, summary_);
    return summary_;
  }

 private:
  static void read_values(const std::string& option, const std::vector<std::string>& texts,
                          AxisValues& values) {
    for (const std::string& text : texts) {
      const auto [name, value] = parse_stated(option, text);
      if (!values.try_emplace(name, value).second) {
        throw base::UsageError(fmt::format("{} {}: is said twice", option, name));
      }
    }
  }

  void check_request() const {
    if (!request_.mapped.kind.empty()) return check(request_.mapped);
    if (!request_.format.empty()) base::find(log_formats(), "log format", request_.format);
  }

  std::string study() const {
    if (!request_.study.empty()) return request_.study;
    return before_.study.empty() ? default_study(folder_) : before_.study;
  }

  void take(const ForeignLog& log) {
    beside_ = facts_beside(log.path);
    ImportRecord record{.path = log.path.generic_string(), .stamp = stamp_of(log.path)};
    if (!request_.mapped.kind.empty()) {
      record.format = request_.mapped.kind;
      record.mapped = request_.mapped;
    } else if (!request_.format.empty()) {
      record.format = request_.format;
    }
    if (take_unchanged(log, record)) return;
    if (const std::string refusal = refusal_of(log.path); !refusal.empty()) {
      return take_unreadable(log, record.path, refusal);
    }
    if (record.format.empty()) {
      const LogFormat* const format = recognise(log.path);
      if (format == nullptr) return leave_out(log, "no format recognises it");
      record.format = format->name;
    }
    read(log, record);
  }

  /// True when the folder has the log as it is, read in this way: its content says what it said.
  bool take_unchanged(const ForeignLog& log, const ImportRecord& record) {
    const auto [first, last] = before_.by_path.equal_range(record.path);
    if (first == last) return false;
    for (auto known = first; known != last; ++known) {
      const ImportRecord& then = known->second.record;
      const bool same_way = record.format.empty()
                                ? then.mapped.kind.empty()
                                : then.format == record.format && then.mapped == record.mapped;
      if (then.stamp != record.stamp || !same_way) return false;
    }
    if (!has_content(log, first->second.record.sha256)) return false;
    for (auto known = first; known != last; ++known) {
      add(log, known->second.record, known->second.outcome, known->second.reason);
    }
    count(first->second.record);
    return true;
  }

  /// What the folder knows of such a log stays; collecting the folder says that it cannot be read.
  void take_unreadable(const ForeignLog& log, const std::string& path, const std::string& why) {
    const auto [first, last] = before_.by_path.equal_range(path);
    const std::string told = fmt::format("{}: cannot be read: {}", log.shown, why);
    if (first == last && log.named) throw base::UsageError(told);
    if (left_out_.empty()) left_out_ = told;
    summary_.warnings.push_back(told);
    for (auto known = first; known != last; ++known) {
      add(log, known->second.record, known->second.outcome, known->second.reason);
    }
    if (first != last) count(first->second.record);
  }

  /// Of a log whose size and time are as they were: these can be set, and another content can be
  /// as long.
  bool has_content(const ForeignLog& log, const std::string& sha256) const {
    const bool is_sure = is_unchanged_ && is_unchanged_(log.path.generic_string());
    return is_sure || read_foreign(log.path).sha256 == sha256;
  }

  void read(const ForeignLog& log, ImportRecord record) {
    const ForeignText foreign = read_foreign(log.path);
    record.sha256 = foreign.sha256;
    if (!foreign.problem.empty()) {
      if (is_meant(log) || !is_asked()) {
        count(record);
        add(log, record, contract::RunOutcome::Failed, foreign.problem);
      } else {
        leave_out(log, foreign.problem);
      }
      return;
    }
    std::vector<LogPart> parts;
    try {
      parts = parts_of(record, foreign.text);
    } catch (const base::UsageError& error) {  // read_mapped says it once more
      if (!is_meant(log)) return leave_out(log, error.what());
    }
    if (parts.empty()) parts.emplace_back();
    for (LogPart& part : parts) {
      record.part = std::move(part);
      if (!read_run(log, record, foreign.text)) return;
    }
    count(record);
  }

  static std::vector<LogPart> parts_of(const ImportRecord& record, std::string_view text) {
    if (!record.mapped.kind.empty()) return runs_in(text, record.mapped);
    const LogFormat& format = base::find(log_formats(), "log format", record.format);
    return format.parts == nullptr ? std::vector<LogPart>() : format.parts(text);
  }

  /// False when the file says nothing and was only met on the way.
  bool read_run(const ForeignLog& log, ImportRecord& record, std::string_view text) {
    MergedAxes told = told_of(log, record);
    add_defaults(told);
    contract::RunSpec run = imported_run(study(), told, log.shown);
    keep_what_is_said(run);
    LogContent content = read_log(record, text, run);
    record.facts = content.facts;
    const bool says_nothing =
        content.collectives.empty() &&
        std::all_of(content.file.records.begin(), content.file.records.end(), [](const auto& one) {
          return std::holds_alternative<contract::RunStart>(one);
        });
    if (says_nothing && !is_meant(log) && is_asked()) {
      leave_out(log, why_nothing(content.file));
      return false;
    }
    complete_launch(content, run);
    const auto& stop = std::get<contract::RunStop>(*std::find_if(
        content.file.records.begin(), content.file.records.end(),
        [](const auto& one) { return std::holds_alternative<contract::RunStop>(one); }));
    add(log, record, stop.outcome, stop.reason);
    return true;
  }

  void count(const ImportRecord& record) {
    ++summary_.logs;
    ++summary_.formats[record.format];
  }

  void leave_out(const ForeignLog& log, const std::string& why) {
    if (left_out_.empty()) left_out_ = fmt::format("{}: {}", log.shown, why);
    summary_.unrecognised.push_back(log.shown);
  }

  /// The user says how all files are to be read.
  bool is_asked() const { return !request_.mapped.kind.empty() || !request_.format.empty(); }

  /// Whether a file is to be a run whatever it says: it was named, or its path has an axis.
  bool is_meant(const ForeignLog& log) const {
    return log.named || std::any_of(axes_.begin(), axes_.end(), [&](const PathAxis& axis) {
             return axis.value(log).has_value();
           });
  }

  /// What nothing else says.
  void add_defaults(MergedAxes& axes) const {
    for (const auto& [name, value] : defaults_) {
      if (axes.source_of(name).empty()) axes.add("--default", {{name, value}});
    }
  }

  MergedAxes told_of(const ForeignLog& log, const ImportRecord& record) {
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
    axes.add("a file beside it", beside_);
    return axes;
  }

  void add(const ForeignLog& log, const ImportRecord& record, contract::RunOutcome outcome,
           const std::string& reason) {
    MergedAxes axes = told_of(log, record);
    axes.add("its content", record.facts);
    add_defaults(axes);
    for (const std::string& conflict : axes.conflicts()) {
      summary_.warnings.push_back(fmt::format("{}: {}", log.shown, conflict));
    }
    ImportedRun run{record, imported_run(study(), axes, log.shown), log.shown, outcome, reason};
    const auto repetition = run.spec.point.find("repetition");
    if (repetition != run.spec.point.end()) {
      run.repetition = told_repetition(log, repetition->second);
      run.spec.parameters.erase("repetition");
      run.spec.point.erase(repetition);
    }
    ++summary_.runs;
    runs_.push_back(std::move(run));
    require_what_is_needed(log, record, outcome);
  }

  static int told_repetition(const ForeignLog& log, const std::string& text) {
    double number = 0;
    const bool is_one = read_number(text, number) && number >= 1 && number < 1e6 &&
                        number == static_cast<int>(number);
    if (is_one) return static_cast<int>(number);
    throw base::UsageError(fmt::format(
        "{}: repetition is \"{}\", must be a whole number of at least 1", log.shown, text));
  }

  /// What tables cannot do without, of logs with measurements.
  void require_what_is_needed(const ForeignLog& log, const ImportRecord& record,
                              contract::RunOutcome outcome) const {
    if (!has_measurements(outcome)) return;
    const bool mapped = !record.mapped.kind.empty();
    if (!mapped && !base::find(log_formats(), "log format", record.format).of_training) return;
    const AxisValues& known = runs_.back().spec.point;
    const auto miss = [&](const char* what, const char* axis) {
      throw base::UsageError(fmt::format(
          "{0}: nothing says {1}; say {2} with --set {2}=N, --axis '{2}=REGEX' for a part of the "
          "path, or --table",
          log.shown, what, axis));
    };
    if (!known.contains("gpus")) miss("how many GPUs (ranks) it ran on", "gpus");
    if (mapped) return;
    const bool has_batch = known.contains("global_batch") || known.contains("batch_per_gpu");
    const LogFormat& format = base::find(log_formats(), "log format", record.format);
    if (format.needs_run && !has_batch) miss("how many samples a step has", "global_batch");
  }

  void check_found(std::size_t files) const {
    if (files == 0) {
      throw base::UsageError(fmt::format("no file in {}", fmt::join(request_.logs, ", ")));
    }
    if (runs_.empty() && (is_asked() || summary_.unrecognised.empty())) {
      throw base::UsageError(left_out_ + (files == 1 ? "" : "; so with all the other files"));
    }
    if (runs_.empty()) {
      throw base::UsageError(fmt::format(
          "no format recognises {}{}: name one with --format (known: {}), or say with --map what "
          "the columns of tables mean",
          summary_.unrecognised.front(),
          files == 1 ? "" : fmt::format(" or another of the {} files", files),
          fmt::join(base::names(log_formats()), ", ")));
    }
    const bool any = std::any_of(runs_.begin(), runs_.end(), [](const ImportedRun& run) {
      return has_measurements(run.outcome);
    });
    if (!is_asked() || any) return;
    const ImportedRun& first = runs_.front();
    throw base::UsageError(fmt::format("{}: {}{}", first.shown, first.reason,
                                       runs_.size() == 1 ? "" : "; so with all the other logs"));
  }

  void find_equal_files() {
    std::map<std::string, std::string> known;
    std::set<std::string> seen;
    for (const ImportedRun& run : runs_) {
      if (run.record.sha256.empty() || !seen.insert(run.record.path).second) continue;
      const auto [other, is_new] = known.try_emplace(run.record.sha256, run.shown);
      if (is_new || run.outcome != contract::RunOutcome::Completed) continue;
      summary_.warnings.push_back(fmt::format("{} and {} are the same, byte by byte; both count",
                                              other->second, run.shown));
    }
  }

  const ImportRequest& request_;
  const contract::PlanDir& folder_;
  const IsUnchanged& is_unchanged_;
  ImportedPlan before_;
  std::vector<PathAxis> axes_;
  AxisValues stated_, defaults_;
  AxisValues beside_;  ///< of the log under way
  std::unique_ptr<AxisTable> table_;
  std::vector<ImportedRun> runs_;
  std::string left_out_;  ///< the first file that is no run, and why
  ImportSummary summary_;
};

}  // namespace

ImportSummary import_logs(const ImportRequest& request, const contract::PlanDir& folder,
                          const IsUnchanged& is_unchanged) {
  return Import(request, folder, is_unchanged).run();
}

}  // namespace dlscale::analysis
