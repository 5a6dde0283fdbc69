// SPDX-License-Identifier: Apache-2.0
#include "contract/plan.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "contract/json_codec.hpp"
#include "contract/run_spec_fields.hpp"

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
  v.required("gpus", s.gpus);
  v.optional("batch_per_gpu", s.batch_per_gpu);
  v.optional("global_batch", s.global_batch);
  v.optional("lr_peak", s.lr_peak);
  v.sparse("predicted_s", s.predicted_s);
  v.optional("gpu_hours", s.gpu_hours);
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
void visit_fields(Visitor& v, Plan& s) {
  v.required("schema_version", s.schema_version);
  v.required("study", s.study);
  v.optional("scaling", s.scaling);
  v.required("site", s.site);
  v.required("scheduler", s.scheduler);
  v.optional("baseline", s.baseline);
  v.optional("repeats", s.repeats);
  v.optional("axes", s.axes);
  v.required("runs", s.runs);
  v.required("jobs", s.jobs);
  v.optional("skipped", s.skipped);
  v.optional("warnings", s.warnings);
}

std::string to_string(JobKind kind) {
  return kJobKinds[static_cast<int>(kind)];
}

std::string to_json(const Plan& plan) {
  return codec::to_text(codec::to_value(plan), 1) + "\n";
}

Plan plan_from_json(std::string_view text, std::string_view file) {
  auto plan = codec::read_object<Plan>(text, file);
  if (plan.schema_version > kPlanVersion) {
    throw base::SpecError({std::string(file)}, "schema_version",
                          fmt::format("is {}, this build reads up to {}; use a newer dlscale",
                                      plan.schema_version, kPlanVersion));
  }
  return plan;
}

}  // namespace dlscale::contract
