// SPDX-License-Identifier: Apache-2.0
#include "contract/plan/plan.hpp"

#include <fmt/format.h>

#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/json/codec.hpp"
#include "contract/run_spec/run_spec_fields.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, BaselineRule& s) {
  v.required("rule", s.rule);
  v.optional("gpus", s.gpus);
}

template <class Visitor>
void visit_fields(Visitor& v, PlannedRun& s) {
  v.required("run_id", s.run_id);
  v.optional("repetition", s.repetition);
  v.required("point", s.point);
  v.sparse("substudies", s.substudies);
  v.required("job", s.job);
  v.sparse("log_format", s.log_format);
  v.required("gpus", s.gpus);
  v.optional("batch_per_gpu", s.batch_per_gpu);
  v.optional("global_batch", s.global_batch);
  v.sparse("epochs", s.epochs);
  v.sparse("lr_peak", s.lr_peak);
  v.sparse("predicted_s", s.predicted_s);
  v.sparse("predicted_low_s", s.predicted_low_s);
  v.sparse("predicted_high_s", s.predicted_high_s);
  v.optional("gpu_hours", s.gpu_hours);
  v.sparse("stale", s.stale);
  v.sparse("steps", s.steps);
  v.sparse("uneven_batch", s.uneven_batch);
}

template <class Visitor>
void visit_fields(Visitor& v, ListedRun& s) {
  visit_fields(v, s.run);
  v.required("state", s.state);
}

template <class Visitor>
void visit_fields(Visitor& v, RunChange& s) {
  v.required("run_id", s.run_id);
  v.required("gpu_hours", s.gpu_hours);
  v.sparse("keys", s.keys);
  v.sparse("has_results", s.has_results);
}

template <class Visitor>
void visit_fields(Visitor& v, PlanChanges& s) {
  v.required("added", s.added);
  v.required("removed", s.removed);
  v.required("changed", s.changed);
  v.required("stale", s.stale);
  v.required("unchanged", s.unchanged);
  v.sparse("moved", s.moved);
  v.required("gpu_hours", s.gpu_hours);
}

template <class Visitor>
void visit_fields(Visitor& v, PlannedJob& s) {
  v.required("name", s.name);
  v.required("run_ids", s.run_ids);
  v.optional("resources", s.resources);
  v.sparse("kind", s.kind);
  v.sparse("partition", s.partition);
  v.sparse("gpu_hours", s.gpu_hours);
  v.sparse("table", s.table);
  v.sparse("offset", s.offset);
  v.sparse("throttle", s.throttle);
  v.sparse("chain", s.chain);
  v.sparse("after", s.after);
}

template <class Visitor>
void visit_fields(Visitor& v, SkippedPoint& s) {
  v.required("point", s.point);
  v.required("why", s.why);
}

template <class Visitor>
void visit_fields(Visitor& v, Axis& s) {
  v.required("name", s.name);
  v.required("values", s.values);
}

template <class Visitor>
void visit_fields(Visitor& v, RepeatUntil& s) {
  v.required("efficiency_ci", s.efficiency_ci);
  v.required("first", s.first);
}

template <class Visitor>
void visit_fields(Visitor& v, PlanOrigin& s) {
  v.required("study_file", s.study_file);
  v.sparse("overrides", s.overrides);
  v.sparse("named_files", s.named_files);
}

template <class Visitor>
void visit_fields(Visitor& v, PlanHead& s) {
  v.required("schema_version", s.schema_version);
  v.required("study", s.study);
  v.sparse("origin", s.origin);
  v.sparse("until", s.until);
}

template <class Visitor>
void visit_fields(Visitor& v, Plan& s) {
  v.required("schema_version", s.schema_version);
  v.required("study", s.study);
  v.optional("scaling", s.scaling);
  v.required("site", s.site);
  v.required("scheduler", s.scheduler);
  v.sparse("reference", s.reference);
  v.sparse("origin", s.origin);
  v.optional("baseline", s.baseline);
  v.optional("repeats", s.repeats);
  v.sparse("until", s.until);
  v.optional("axes", s.axes);
  v.required("runs", s.runs);
  v.required("jobs", s.jobs);
  v.optional("skipped", s.skipped);
  v.optional("warnings", s.warnings);
}

void write_json(const Plan& plan, const std::function<void(std::string_view)>& sink) {
  constexpr codec::Layout kLinePerElement{1, 2};
  codec::TextWriter writer(kLinePerElement, sink);
  writer.write(plan);
  writer.end_line();
  writer.finish();
}

std::string to_json(const std::vector<ListedRun>& runs) {
  constexpr codec::Layout kLinePerRun{1, 1};
  return codec::to_text(runs, kLinePerRun) + "\n";
}

std::string to_json(const PlanChanges& changes) {
  constexpr codec::Layout kLinePerElement{1, 2};
  return codec::to_text(changes, kLinePerElement) + "\n";
}

std::string to_json(const Plan& plan) {
  std::string text;
  write_json(plan, [&](std::string_view piece) { text += piece; });
  return text;
}

namespace {

void check_version(int version, std::string_view file) {
  if (version <= kPlanVersion) return;
  throw base::SpecError(
      {std::string(file)}, "schema_version",
      fmt::format("is {}, but this build supports at most {}; use a newer dlscale", version,
                  kPlanVersion));
}

/// Log format of the records in results.jsonl (docs/record-format.md).
constexpr const char* kRecordsFormat = "dlscale";

}  // namespace

PlanHead plan_head(std::string_view text, std::string_view file) {
  auto head = codec::read_object<PlanHead>(text, file);
  check_version(head.schema_version, file);
  return head;
}

std::optional<PlanHead> find_plan_head(const PlanDir& folder) {
  const std::filesystem::path file = folder.plan_json();
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(file, unreadable)) return std::nullopt;
  try {
    return plan_head(base::read_file(file), file.string());
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

std::string study_of_plan(std::string_view text, std::string_view file) {
  return plan_head(text, file).study;
}

Plan plan_from_json(std::string_view text, std::string_view file) {
  auto plan = codec::read_object<Plan>(text, file);
  check_version(plan.schema_version, file);
  return plan;
}

Plan read_plan(const PlanDir& folder) {
  const std::string file = folder.plan_json().string();
  if (!std::filesystem::is_regular_file(file)) {
    throw base::UsageError(fmt::format(
        "no plan.json in {}; give the folder that dlscale plan -o or dlscale run -o wrote",
        folder.root().string()));
  }
  try {
    return plan_from_json(base::read_file(file), file);
  } catch (const base::SpecError& error) {
    throw base::SpecError(
        {}, "",
        fmt::format(
            "{}; run dlscale plan STUDY -o {} to write the plan again (runs and results are kept)",
            error.what(), folder.root().string()));
  }
}

std::optional<Plan> find_plan(const PlanDir& folder) {
  if (!std::filesystem::is_regular_file(folder.plan_json())) return std::nullopt;
  try {
    return read_plan(folder);
  } catch (const base::SpecError&) {
    return std::nullopt;
  }
}

std::string log_format_name(const PlannedRun& run) {
  return run.log_format.empty() ? kRecordsFormat : run.log_format;
}

bool writes_records(const PlannedRun& run) {
  return log_format_name(run) == kRecordsFormat;
}

std::string batch_per_gpu_text(const PlannedRun& run) {
  if (run.uneven_batch.empty()) return std::to_string(run.batch_per_gpu);
  return std::to_string(run.batch_per_gpu - 1) + "-" + std::to_string(run.batch_per_gpu);
}

RunTables::RunTables(const Plan& plan, const PlanDir& folder) : folder_(folder) {
  for (const PlannedJob& job : plan.jobs) {
    if (job.kind != JobKind::array) continue;
    for (std::size_t i = 0; i < job.run_ids.size(); ++i) {
      places_[job.run_ids[i]] = {job.table, static_cast<std::size_t>(job.offset) + i};
    }
  }
}

std::optional<RunTables::Line> RunTables::find(std::string_view run_id) {
  const auto place = places_.find(run_id);
  if (place == places_.end()) return std::nullopt;
  const auto& [table, line] = place->second;
  const std::filesystem::path file = folder_.run_table(table);
  if (held_ != table) {
    held_ = table;
    lines_.clear();
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines_.push_back(std::move(text));
  }
  if (line >= lines_.size()) return std::nullopt;
  return Line{file, lines_[line]};
}

}  // namespace dlscale::contract
