// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/import_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/import/imported_run.hpp"
#include "analysis/import/reading/file_problems.hpp"
#include "analysis/import/reading/launcher_prefix.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using nlohmann::json;

constexpr const char* kNoEnd =
    "ends before its program did: the last line, by which such logs tell the end, is missing";

bool is_measurement(const contract::ResultRecord& record) {
  return std::holds_alternative<contract::StepWindow>(record) ||
         std::holds_alternative<contract::EpochRecord>(record) ||
         std::holds_alternative<contract::EvalRecord>(record) ||
         std::holds_alternative<contract::InferenceRecord>(record);
}

/// As dlscale-train says it of its GPUs: runs on different ones are not compared. What is said of
/// the run counts before what the log says itself.
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

json span_json(const TrainedSpan& span) {
  json begins = json::array();
  for (const auto& [epoch, step] : span.epoch_begins) begins.push_back({epoch, step});
  return {{"first_epoch", span.first_epoch},
          {"last_epoch", span.last_epoch},
          {"steps_before", span.steps_before},
          {"steps", span.steps},
          {"epoch_begins", begins}};
}

TrainedSpan span_from(const json& value) {
  TrainedSpan span{value.at("first_epoch"), value.at("last_epoch"), value.at("steps_before"),
                   value.at("steps")};
  for (const json& one : value.at("epoch_begins")) span.epoch_begins[one.at(0)] = one.at(1);
  return span;
}

json metric_columns_of(const MappedFormat& format) {
  json columns = json::array();
  for (const MappedColumn& column : format.columns) {
    columns.push_back(
        {{"field", column.field}, {"column", column.column}, {"factor", column.factor}});
  }
  return columns;
}

MappedFormat mapped_of(const std::string& kind, const json& value) {
  MappedFormat format{.kind = kind};
  for (const json& column : value.at("columns")) {
    format.columns.push_back({column.at("field"), column.at("column"), column.at("factor")});
  }
  format.patterns = value.at("patterns").get<std::vector<std::string>>();
  format.factors = value.at("factors").get<std::map<std::string, double>>();
  if (value.contains("decimal")) {
    format.decimal = value.at("decimal") == "comma" ? DecimalMark::comma : DecimalMark::point;
  }
  return format;
}

}  // namespace

std::string why_nothing(const contract::ResultsFile& file) {
  std::string why = "nothing in it is a measurement";
  if (!file.skipped.empty()) why += " (" + file.skipped.front() + ")";
  return why;
}

std::filesystem::path import_json(const contract::LaunchDir& launch) {
  return launch.root() / "import.json";
}

std::string to_json(const ImportRecord& record) {
  json value{{"schema_version", 1},
             {"path", record.path},
             {"size", record.stamp.size},
             {"mtime_ns", record.stamp.mtime_ns},
             {"sha256", record.sha256},
             {"format", record.format},
             {"which", json(record.part.which)},
             {"facts", json(record.facts)}};
  if (!record.mapped.kind.empty()) {
    value["mapped"] = {{"columns", metric_columns_of(record.mapped)},
                       {"patterns", record.mapped.patterns},
                       {"factors", json(record.mapped.factors)}};
    if (record.mapped.decimal != DecimalMark::unknown) {
      value["mapped"]["decimal"] = record.mapped.decimal == DecimalMark::comma ? "comma" : "point";
    }
  }
  if (record.part.size > 0) {
    value["part"] = {{"offset", record.part.offset},
                     {"size", record.part.size},
                     {"line", record.part.first_line}};
  }
  if (!record.opening.empty()) value["opening"] = record.opening;
  if (record.span.is_known()) value["span"] = span_json(record.span);
  if (record.resumed_step >= 0) value["resumed_step"] = record.resumed_step;
  if (record.is_continued) value["is_continued"] = true;
  if (record.job) {
    value["job"] = {{"job_id", record.job->job_id},
                    {"cluster", record.job->cluster},
                    {"submitted", record.job->submitted},
                    {"started", record.job->started},
                    {"row", record.job->row},
                    {"elapsed_s", record.job->elapsed_s}};
  }
  for (const Companion& one : record.companions) {
    value["same_training"].push_back({{"path", one.path},
                                      {"size", one.stamp.size},
                                      {"mtime_ns", one.stamp.mtime_ns},
                                      {"sha256", one.sha256},
                                      {"why", one.why}});
  }
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

ImportRecord import_record_from_json(std::string_view text, const std::string& file) {
  try {
    const json value = json::parse(text);
    ImportRecord record{.path = value.at("path")};
    record.stamp = {value.at("size"), value.at("mtime_ns")};
    record.sha256 = value.at("sha256");
    record.format = value.at("format");
    record.part.which = value.at("which").get<AxisValues>();
    if (value.contains("part")) {
      record.part.offset = value.at("part").at("offset");
      record.part.size = value.at("part").at("size");
      record.part.first_line = value.at("part").at("line");
    }
    record.facts = value.at("facts").get<AxisValues>();
    record.opening = value.value("opening", "");
    if (value.contains("span")) record.span = span_from(value.at("span"));
    record.resumed_step = value.value("resumed_step", std::int64_t{-1});
    record.is_continued = value.value("is_continued", false);
    if (value.contains("job")) {
      const json& job = value.at("job");
      record.job = {job.at("job_id"),  job.at("cluster"), job.at("submitted"),
                    job.at("started"), job.at("row"),     job.at("elapsed_s")};
    }
    for (const json& one : value.value("same_training", json::array())) {
      record.companions.push_back(
          {one.at("path"), {one.at("size"), one.at("mtime_ns")}, one.at("sha256"), one.at("why")});
    }
    if (value.contains("mapped")) record.mapped = mapped_of(record.format, value.at("mapped"));
    return record;
  } catch (const json::exception& error) {
    throw base::SpecError({file}, "", std::string("is no import.json: ") + error.what());
  }
}

std::string without_launcher_prefixes(const ImportRecord& record, std::string text) {
  if (record.mapped.kind.empty()) return without_launcher_prefixes(std::move(text));
  return without_launcher_prefixes(
      std::move(text), [&](std::string_view head) { return has_rows(head, record.mapped); });
}

LogContent read_log(const ImportRecord& record, std::string_view text,
                    const contract::RunSpec& run) {
  if (!record.mapped.kind.empty()) {
    LogContent content = read_mapped(text, record.mapped, record.part, run);
    content.has_end_line = false;
    return content;
  }
  const LogFormat& format = base::find(log_formats(), "log format", record.format);
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
      *stop = stop_with(RunOutcome::Preempted, "another log continues the training");
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
