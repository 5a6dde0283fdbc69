// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/import_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/import/imported_run.hpp"
#include "analysis/import/reading/file_problems.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "contract/json/codec.hpp"

namespace dlscale::analysis {

template <class Visitor>
void visit_fields(Visitor& v, MappedColumn& c) {
  v.required("field", c.field);
  v.required("column", c.column);
  v.required("factor", c.factor);
}

template <class Visitor>
void visit_fields(Visitor& v, Companion& c) {
  v.required("path", c.path);
  v.required("size", c.stamp.size);
  v.required("mtime_ns", c.stamp.mtime_ns);
  v.required("sha256", c.sha256);
  v.required("why", c.why);
}

template <class Visitor>
void visit_fields(Visitor& v, JobIdentity& j) {
  v.required("job_id", j.job_id);
  v.required("cluster", j.cluster);
  v.required("submitted", j.submitted);
  v.required("started", j.started);
  v.required("row", j.row);
  v.required("elapsed_s", j.elapsed_s);
}

namespace {

using contract::RunOutcome;
namespace codec = contract::codec;

constexpr const char* kNoEnd =
    "the log is incomplete: the last line, which marks the end of the program, is missing";

bool is_measurement(const contract::ResultRecord& record) {
  return std::holds_alternative<contract::StepWindow>(record) ||
         std::holds_alternative<contract::EpochRecord>(record) ||
         std::holds_alternative<contract::EvalRecord>(record) ||
         std::holds_alternative<contract::InferenceRecord>(record);
}

/// Stores the name of the device under the name that dlscale-train uses for its GPU, so that runs
/// on different devices are not compared. A device in the axes of the run replaces a device that
/// the log states.
void name_device(contract::RunStart& start, const contract::RunSpec& run) {
  const std::string device = device_name(run);
  if (!device.empty()) start.environment["gpu"] = device;
}

contract::RunStart start_of(const contract::RunSpec& run) {
  contract::RunStart start{.run_id = run.run_id, .time = std::nan("")};
  start.world_size = run.gpus;
  start.nodes = run.resources.nodes;
  name_device(start, run);
  return start;
}

contract::RunStop stop_with(RunOutcome outcome, const std::string& reason) {
  contract::RunStop stop{.outcome = outcome, .reason = reason, .time = std::nan("")};
  stop.exit_code = outcome == RunOutcome::Completed ? 0 : 1;
  stop.wall_s = std::nan("");
  return stop;
}

/// JSON objects stored in import.json under "part", "span" and "mapped".
struct PartJson {
  std::size_t offset = 0, size = 0;
  int line = 0;
  bool operator==(const PartJson&) const = default;
};
struct SpanJson {
  int first_epoch = -1, last_epoch = -1;
  std::int64_t steps_before = 0, steps = 0;
  std::vector<std::vector<std::int64_t>> epoch_begins;  // pairs of epoch and step
  bool operator==(const SpanJson&) const = default;
};
struct MappedJson {
  std::vector<MappedColumn> columns;
  std::vector<std::string> patterns;
  std::map<std::string, double> factors;
  std::string decimal;
  RowCounts counts = {};
  bool operator==(const MappedJson&) const = default;
};
struct ImportJson {
  int schema_version = 1;
  ImportRecord record;
  PartJson part;
  SpanJson span;
  std::optional<MappedJson> mapped;
  std::optional<std::int64_t> resumed_step;
  std::string format_text;  ///< text of a format file
};

template <class Visitor>
void visit_fields(Visitor& v, PartJson& p) {
  v.required("offset", p.offset);
  v.required("size", p.size);
  v.required("line", p.line);
}

template <class Visitor>
void visit_fields(Visitor& v, SpanJson& s) {
  v.required("first_epoch", s.first_epoch);
  v.required("last_epoch", s.last_epoch);
  v.required("steps_before", s.steps_before);
  v.required("steps", s.steps);
  v.required("epoch_begins", s.epoch_begins);
}

template <class Visitor>
void visit_fields(Visitor& v, MappedJson& m) {
  v.required("columns", m.columns);
  v.required("patterns", m.patterns);
  v.required("factors", m.factors);
  v.sparse("decimal", m.decimal);
  v.sparse("steps", m.counts.steps);
  v.sparse("counts_from", m.counts.counts_from);
  v.sparse("warmup_rows", m.counts.warmup_rows);
  v.sparse("epochs_from", m.counts.epochs_from);
  v.sparse("train_samples", m.counts.train_samples);
}

template <class Visitor>
void visit_fields(Visitor& v, ImportJson& i) {
  ImportRecord& r = i.record;
  v.required("schema_version", i.schema_version);
  v.required("path", r.path);
  v.required("size", r.stamp.size);
  v.required("mtime_ns", r.stamp.mtime_ns);
  v.required("sha256", r.sha256);
  v.required("format", r.format);
  v.required("which", r.part.which);
  v.sparse("part", i.part);
  v.required("facts", r.facts);
  v.sparse("mapped", i.mapped);
  v.sparse("epochs_from", r.epochs_from);
  v.sparse("format_text", i.format_text);
  v.sparse("opening", r.opening);
  v.sparse("span", i.span);
  v.sparse("resumed_step", i.resumed_step);
  v.sparse("is_continued", r.is_continued);
  v.sparse("job", r.job);
  v.sparse("same_training", r.companions);
}

}  // namespace

std::string why_nothing(const contract::ResultsFile& file) {
  std::string why = "the log contains no measurements";
  if (!file.skipped.empty()) why += " (" + file.skipped.front() + ")";
  return why;
}

const LogFormat& format_of(const ImportRecord& record) {
  return record.described ? record.described->entry()
                          : base::find(log_formats(), "log format", record.format);
}

std::filesystem::path import_json(const contract::LaunchDir& launch) {
  return launch.root() / "import.json";
}

std::string to_json(const ImportRecord& record) {
  ImportJson out{.record = record};
  if (record.part.size > 0)
    out.part = {record.part.offset, record.part.size, record.part.first_line};
  if (const TrainedSpan& span = record.span; span.is_known()) {
    out.span = {span.first_epoch, span.last_epoch, span.steps_before, span.steps, {}};
    for (const auto& [epoch, step] : span.epoch_begins)
      out.span.epoch_begins.push_back({epoch, step});
  }
  if (const MappedFormat& mapped = record.mapped; !mapped.kind.empty()) {
    out.mapped = {mapped.columns, mapped.patterns, mapped.factors, "", mapped.counts};
    if (mapped.decimal != DecimalMark::unknown) {
      out.mapped->decimal = mapped.decimal == DecimalMark::comma ? "comma" : "point";
    }
  }
  if (record.described) out.format_text = record.described->text();
  if (record.resumed_step >= 0) out.resumed_step = record.resumed_step;
  return codec::to_text(out, codec::kIndented) + "\n";
}

ImportRecord import_record_from_json(std::string_view text, const std::string& file) {
  auto in = codec::read_object<ImportJson>(text, file);
  ImportRecord& record = in.record;
  record.resumed_step = in.resumed_step.value_or(-1);
  if (in.part.size > 0) {
    record.part.offset = in.part.offset;
    record.part.size = in.part.size;
    record.part.first_line = in.part.line;
  }
  if (in.span.first_epoch >= 0) {
    record.span = {in.span.first_epoch, in.span.last_epoch, in.span.steps_before, in.span.steps};
    for (const auto& pair : in.span.epoch_begins) {
      if (pair.size() != 2)
        throw base::SpecError({file}, "span.epoch_begins", "must contain pairs of numbers");
      record.span.epoch_begins[static_cast<int>(pair[0])] = pair[1];
    }
  }
  if (!in.format_text.empty()) {
    record.described = std::make_shared<const DescribedFormat>(in.format_text, file);
  }
  if (in.mapped) {
    record.mapped = {record.format, in.mapped->columns, in.mapped->patterns, in.mapped->factors};
    record.mapped.counts = in.mapped->counts;
    if (!in.mapped->decimal.empty()) {
      record.mapped.decimal =
          in.mapped->decimal == "comma" ? DecimalMark::comma : DecimalMark::point;
    }
  }
  return std::move(record);
}

std::string without_launcher_prefixes(const ImportRecord& record, std::string text) {
  if (record.described) {
    return without_launcher_prefixes(std::move(text), record.described->entry().recognises);
  }
  if (record.mapped.kind.empty()) return without_launcher_prefixes(std::move(text));
  return without_launcher_prefixes(
      std::move(text), [&](std::string_view head) { return has_rows(head, record.mapped); });
}

LogContent read_log(const ImportRecord& record, std::string_view text,
                    const contract::RunSpec& run) {
  if (!record.mapped.kind.empty()) {
    MappedFormat mapped = record.mapped;
    if (!mapped.counts.epochs_from && record.epochs_from) {
      mapped.counts.epochs_from = *record.epochs_from;
    }
    LogContent content = read_mapped(text, mapped, record.part, run);
    content.has_end_line = false;
    return content;
  }
  const LogFormat& format = format_of(record);
  const bool is_part = record.part.size > 0 && format.read_part != nullptr;
  LogContent content = is_part ? format.read_part(text, record.part, run) : format.read(text, run);
  content.has_end_line = content.has_end_line && format.tells_end;
  return content;
}

void complete_launch(LogContent& content, const contract::RunSpec& run) {
  contract::ResultsFile& file = content.file;
  bool started = false, stopped = false, measured = !content.collectives.empty();
  for (contract::ResultRecord& record : file.records) {
    if (auto* start = std::get_if<contract::RunStart>(&record)) {
      start->run_id = run.run_id;
      start->launch = 1;
      start->resumed_from.clear();
      start->resumed_step = 0;
      name_device(*start, run);
      started = true;
    }
    stopped = stopped || std::holds_alternative<contract::RunStop>(record);
    measured = measured || is_measurement(record);
  }
  if (!started) {
    file.records.insert(file.records.begin(), start_of(run));
    file.record_lines.insert(file.record_lines.begin(), 0);
  }
  if (stopped) return;
  if (!measured) {
    file.records.push_back(stop_with(RunOutcome::Failed, why_nothing(file)));
  } else if (content.has_end_line) {
    file.records.push_back(stop_with(RunOutcome::Lost, kNoEnd));
  } else {
    file.records.push_back(stop_with(RunOutcome::Completed, ""));
  }
  file.record_lines.push_back(0);
}

void link_launches(contract::ResultsFile& file, const ImportRecord& record, int number) {
  for (contract::ResultRecord& one : file.records) {
    if (auto* start = std::get_if<contract::RunStart>(&one)) {
      start->launch = number;
      if (number == 1 || record.resumed_step < 0) continue;
      start->resumed_from = contract::RunDir("").launch(number - 1).root().string();
      start->resumed_step = record.resumed_step;
    } else if (auto* stop = std::get_if<contract::RunStop>(&one)) {
      const bool is_open =
          stop->outcome == RunOutcome::Completed || stop->outcome == RunOutcome::Lost;
      if (!record.is_continued || !is_open) continue;
      *stop = stop_with(RunOutcome::Preempted, "another log continues the training of this log");
    }
  }
}

contract::ResultsFile failed_launch(const contract::RunSpec& run, RunOutcome outcome,
                                    const std::string& reason) {
  contract::ResultsFile file;
  file.records = {start_of(run), stop_with(outcome, reason)};
  file.record_lines = {0, 0};
  return file;
}

std::string problems_of(const std::string& path, const contract::ResultsFile& file) {
  std::string problems = problems_in(path, file);
  const auto* const stop =
      file.records.empty() ? nullptr : std::get_if<contract::RunStop>(&file.records.back());
  const bool is_told = stop != nullptr && (stop->outcome == contract::RunOutcome::Lost ||
                                           stop->outcome == contract::RunOutcome::Diverged);
  if (is_told) {
    problems += fmt::format("{}: {}\n", path, stop->reason);
  }
  return problems;
}

}  // namespace dlscale::analysis
