// SPDX-License-Identifier: Apache-2.0
#include "contract/records/view_records.hpp"

#include "contract/json/writer.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, RunStatus& s) {
  v.required("run_id", s.run_id);
  v.required("state", s.state);
  v.required("reason", s.reason);
  v.required("stale", s.stale);
  v.required("epoch", s.epoch);
  v.required("epochs", s.epochs);
  v.required("elapsed_s", s.elapsed_s);
  v.required("nodes", s.nodes);
  v.required("job", s.job);
  v.required("job_id", s.job_id);
}

template <class Visitor>
void visit_fields(Visitor& v, StatusReport& s) {
  v.required("study", s.study);
  v.required("time", s.time);
  v.required("counts", s.counts);
  v.required("stale", s.stale);
  v.required("rest_s", s.rest_s);
  v.required("runs", s.runs);
  v.sparse("warnings", s.warnings);
}

template <class Visitor>
void visit_fields(Visitor& v, HandledRun& s) {
  visit_fields(v, s.status);
  v.required("action", s.action);
  v.required("launch", s.launch);
}

template <class Visitor>
void visit_fields(Visitor& v, VerbReport& s) {
  v.required("study", s.study);
  v.required("verb", s.verb);
  v.required("time", s.time);
  v.required("dry_run", s.dry_run);
  v.required("exit_code", s.exit_code);
  v.required("error", s.error);
  v.required("jobs", s.jobs);
  v.required("counts", s.counts);
  v.required("actions", s.actions);
  v.required("commands", s.commands);
  v.required("runs", s.runs);
}

template <class Visitor>
void visit_fields(Visitor& v, CheckRecord& s) {
  v.required("name", s.name);
  v.required("level", s.level);
  v.required("message", s.message);
  v.required("advice", s.advice);
}

template <class Visitor>
void visit_fields(Visitor& v, UsageRow& s) {
  v.required("by", s.by);
  v.required("launches", s.launches);
  v.required("timeouts", s.timeouts);
  v.required("walltime_s", s.walltime_s);
  v.required("elapsed_s", s.elapsed_s);
  v.required("elapsed_max_s", s.elapsed_max_s);
  v.required("walltime_used", s.walltime_used);
  v.required("gpu_hours", s.gpu_hours);
  v.required("gpu_hours_used", s.gpu_hours_used);
  v.required("memory_bytes", s.memory_bytes);
  v.required("peak_memory_bytes", s.peak_memory_bytes);
}

namespace {

constexpr codec::Layout kLinePerObject{1, 1};
constexpr codec::Layout kLinePerInnerObject{1, 2};

}  // namespace

std::string to_json(const StatusReport& report) {
  return codec::to_text(report, kLinePerInnerObject) + "\n";
}

std::string to_json(const VerbReport& report) {
  return codec::to_text(report, kLinePerInnerObject) + "\n";
}

std::string to_json(const std::vector<CheckRecord>& checks) {
  return codec::to_text(checks, kLinePerObject) + "\n";
}

std::string to_json(const std::vector<UsageRow>& rows) {
  return codec::to_text(rows, kLinePerObject) + "\n";
}

}  // namespace dlscale::contract
