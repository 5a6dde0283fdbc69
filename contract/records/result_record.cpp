// SPDX-License-Identifier: Apache-2.0
#include "contract/records/result_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "contract/json/codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, Spread& r) {
  v.required("mean", r.mean);
  v.optional("p50", r.p50);
  v.optional("p90", r.p90);
  v.optional("max", r.max);
}

template <class Visitor>
void visit_fields(Visitor& v, RunStart& r) {
  v.required("schema_version", r.schema_version);
  v.required("run_id", r.run_id);
  v.required("launch", r.launch);
  v.optional("resumed_from", r.resumed_from);
  v.sparse("resumed_step", r.resumed_step);
  v.required("time", r.time);
  v.required("world_size", r.world_size);
  v.optional("nodes", r.nodes);
  v.optional("hosts", r.hosts);
  v.optional("trainer_version", r.trainer_version);
  v.optional("environment", r.environment);
  v.optional("parameters", r.parameters);
  v.optional("trainable_parameters", r.trainable_parameters);
  v.optional("train_samples", r.train_samples);
  v.optional("test_samples", r.test_samples);
  v.optional("steps_per_epoch", r.steps_per_epoch);
  v.sparse("warmup_steps", r.warmup_steps);
  v.optional("padded_samples", r.padded_samples);
  v.optional("dropped_samples", r.dropped_samples);
  v.sparse("measured_units", r.measured_units);
}

template <class Visitor>
void visit_fields(Visitor& v, StepWindow& r) {
  v.required("epoch", r.epoch);
  v.required("first_step", r.first_step);
  v.required("steps", r.steps);
  v.optional("warmup", r.warmup);
  v.optional("time", r.time);
  v.required("samples", r.samples);
  v.required("wall_s", r.wall_s);
  v.optional("lr", r.lr);
  v.optional("train_loss", r.train_loss);
  v.required("parts", r.parts);
  v.optional("bytes_sent", r.bytes_sent);
  v.optional("collectives", r.collectives);
  v.optional("comm_busy_s", r.comm_busy_s);
  v.optional("comm_wait_s", r.comm_wait_s);
  v.optional("peak_memory_bytes", r.peak_memory_bytes);
  v.sparse("measured", r.measured);
}

template <class Visitor>
void visit_fields(Visitor& v, EpochRecord& r) {
  v.required("epoch", r.epoch);
  v.optional("time", r.time);
  v.required("wall_s", r.wall_s);
  v.required("steps", r.steps);
  v.required("samples", r.samples);
  v.optional("train_loss", r.train_loss);
  v.sparse("correct", r.correct);
  v.optional("lr", r.lr);
  v.sparse("measured", r.measured);
}

template <class Visitor>
void visit_fields(Visitor& v, RankTimes& r) {
  v.required("epoch", r.epoch);
  v.optional("time", r.time);
  v.required("steps", r.steps);
  v.required("work_s", r.work_s);
  v.sparse("train_loss", r.train_loss);
  v.sparse("train_accuracy", r.train_accuracy);
  v.sparse("stages", r.stages);
}

template <class Visitor>
void visit_fields(Visitor& v, EvalRecord& r) {
  v.required("epoch", r.epoch);
  v.optional("time", r.time);
  v.optional("wall_s", r.wall_s);
  v.required("samples", r.samples);
  v.required("correct", r.correct);
  v.required("accuracy", r.accuracy);
  v.optional("loss", r.loss);
  v.sparse("metrics", r.metrics);
  v.sparse("rank_loss", r.rank_loss);
  v.sparse("rank_accuracy", r.rank_accuracy);
  v.sparse("rank_wall_s", r.rank_wall_s);
}

template <class Visitor>
void visit_fields(Visitor& v, TargetRecord& r) {
  v.required("metric", r.metric);
  v.required("threshold", r.threshold);
  v.required("value", r.value);
  v.required("epoch", r.epoch);
  v.required("step", r.step);
  v.optional("time", r.time);
  v.required("train_s", r.train_s);
  v.required("samples", r.samples);
}

template <class Visitor>
void visit_fields(Visitor& v, InferenceRecord& r) {
  v.required("batch", r.batch);
  v.required("batches", r.batches);
  v.optional("time", r.time);
  v.required("wall_s", r.wall_s);
  v.required("latency_s", r.latency_s);
  v.sparse("compute_s", r.compute_s);
  v.sparse("communication_s", r.communication_s);
  v.required("samples_per_s", r.samples_per_s);
  v.optional("peak_memory_bytes", r.peak_memory_bytes);
}

template <class Visitor>
void visit_fields(Visitor& v, CheckpointRecord& r) {
  v.required("epoch", r.epoch);
  v.required("step", r.step);
  v.optional("time", r.time);
  v.optional("wall_s", r.wall_s);
  v.required("path", r.path);
  v.optional("bytes", r.bytes);
}

template <class Visitor>
void visit_fields(Visitor& v, ProfiledKernel& r) {
  v.required("name", r.name);
  v.required("kind", r.kind);
  v.optional("calls", r.calls);
  v.required("self_s", r.self_s);
}

template <class Visitor>
void visit_fields(Visitor& v, ProfileRecord& r) {
  v.required("epoch", r.epoch);
  v.required("first_step", r.first_step);
  v.required("steps", r.steps);
  v.optional("time", r.time);
  v.optional("wall_s", r.wall_s);
  v.required("kernel_s", r.kernel_s);
  v.required("communication", r.communication);
  v.required("io", r.io);
  v.required("computation", r.computation);
  v.required("other", r.other);
  v.optional("cpu_occupancy", r.cpu_occupancy);
  v.optional("kernels", r.kernels);
}

template <class Visitor>
void visit_fields(Visitor& v, RunStop& r) {
  v.required("outcome", r.outcome);
  v.optional("exit_code", r.exit_code);
  v.optional("reason", r.reason);
  v.optional("time", r.time);
  v.optional("wall_s", r.wall_s);
  v.optional("samples", r.samples);
}

namespace {

constexpr std::array<const char*, 10> kKinds{"run_start", "step_window", "epoch",   "rank_times",
                                             "eval",      "checkpoint",  "profile", "target",
                                             "inference", "run_stop"};
static_assert(kKinds.size() == std::variant_size_v<ResultRecord>);

constexpr double kNotRecorded = std::numeric_limits<double>::quiet_NaN();

// Sets the losses of a record to NaN before it is read. A record of another program may lack the
// optional key of its loss, and the loss must then be unknown and not 0.
template <class Record>
void forget_losses(Record&) {}
void forget_losses(StepWindow& record) {
  record.train_loss = kNotRecorded;
}
void forget_losses(EpochRecord& record) {
  record.train_loss = kNotRecorded;
}
void forget_losses(EvalRecord& record) {
  record.loss = kNotRecorded;
}

template <std::size_t I = 0>
ResultRecord read_record(const codec::Members& members, std::string_view kind) {
  if constexpr (I < std::variant_size_v<ResultRecord>) {
    if (kind != kKinds[I]) return read_record<I + 1>(members, kind);
    std::variant_alternative_t<I, ResultRecord> record;
    forget_losses(record);
    codec::from_members(members, record, {});
    return record;
  } else {
    throw base::SpecError({}, "", fmt::format("unknown record kind \"{}\"", kind));
  }
}

ResultRecord read_line(std::string_view line, codec::Document& document) {
  const codec::Value value = document.parse(line, "");
  std::string_view kind;
  if (value["record"].get(kind) != simdjson::SUCCESS)
    throw base::SpecError({}, "", "the key \"record\" is missing");
  codec::Members members = codec::members_of(value, {});
  std::erase_if(members, [](const codec::Member& member) { return member.key == "record"; });
  return read_record(members, kind);
}

}  // namespace

std::string to_json_line(const ResultRecord& record) {
  return std::visit(
      [&](const auto& value) {
        std::string body = codec::to_text(value, codec::kOneLine);
        if (!value.extra.empty()) {
          body.back() = ',';
          body += std::string_view(value.extra).substr(1);
        }
        // The kind is the first key, so that readers and grep need not parse the rest of the line.
        return fmt::format("{{\"record\":\"{}\",{}", kKinds[record.index()], body.substr(1));
      },
      record);
}

ResultsFile parse_results(std::string_view text) {
  ResultsFile file;
  codec::Document document;
  int line_number = 0;
  for (const std::string_view line : base::lines_of(text)) {
    ++line_number;
    const bool complete = line.data() + line.size() != text.data() + text.size();
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      ResultRecord record = read_line(line, document);
      file.records.push_back(std::move(record));
      file.record_lines.push_back(line_number);
    } catch (const base::Error& error) {
      if (!complete) {
        file.truncated = true;
      } else {
        skip_line(file, line_number, error.what());
      }
    }
  }
  return file;
}

namespace {

/// Maximum number of skipped lines that are listed one by one.
constexpr std::int64_t kMostSkippedLines = 100;

}  // namespace

void skip_line(ResultsFile& file, std::int64_t line, std::string_view why) {
  const std::string place = fmt::format("line {}", line);
  file.skipped_lines.add({"line", std::string(why), place, 1, base::general_reason(why)});
  if (file.skipped_lines.total() <= kMostSkippedLines) {
    file.skipped.push_back(fmt::format("{}: {}", place, why));
  }
}

std::vector<std::string> remarks_on(const ResultsFile& file) {
  const auto lines = std::min(file.skipped_lines.total(), kMostSkippedLines);
  const auto first = std::min(static_cast<std::size_t>(lines), file.skipped.size());
  return {file.skipped.begin() + static_cast<std::ptrdiff_t>(first), file.skipped.end()};
}

}  // namespace dlscale::contract
