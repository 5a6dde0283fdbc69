// SPDX-License-Identifier: Apache-2.0
#include "contract/records/bench_record.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "contract/json/codec.hpp"
#include "contract/records/layer_fields.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, CommTime& t) {
  v.required("collective", t.collective);
  v.required("communicator", t.communicator);
  v.optional("algorithm", t.algorithm);
  v.sparse("topology", t.topology);
  v.required("device", t.device);
  v.optional("host", t.host);
  v.required("ranks", t.ranks);
  v.required("nodes", t.nodes);
  v.optional("ranks_per_node", t.ranks_per_node);
  v.optional("precision", t.precision);
  v.required("bytes", t.bytes);
  v.required("seconds", t.seconds);
  v.sparse("low_s", t.low_s);
  v.sparse("high_s", t.high_s);
  v.sparse("least_s", t.least_s);
  v.sparse("most_s", t.most_s);
  v.optional("iterations", t.iterations);
  v.optional("warm_up", t.warm_up);
  v.optional("algbw_gbs", t.algbw_gbs);
  v.optional("busbw_gbs", t.busbw_gbs);
  v.required("wrong", t.wrong);
  v.optional("time", t.time);
  v.optional("made_with", t.made_with);
}

template <class Visitor>
void visit_fields(Visitor& v, KernelSample& s) {
  v.required("kernel", s.kernel);
  v.required("size", s.size);
  v.optional("precision", s.precision);
  v.required("seconds", s.seconds);
  v.sparse("mean_s", s.mean_s);
  v.sparse("deviation_s", s.deviation_s);
  v.sparse("least_s", s.least_s);
  v.sparse("most_s", s.most_s);
  v.optional("repetitions", s.repetitions);
  v.sparse("calls", s.calls);
  v.required("device", s.device);
  v.optional("host", s.host);
  v.sparse("threads", s.threads);
  v.optional("time", s.time);
  v.optional("made_with", s.made_with);
}

namespace {

constexpr const char* kCommKind = "comm";
constexpr const char* kKernelKind = "kernel";
constexpr const char* kLayersKind = "layers";

template <class Record>
std::string line_of(const char* kind, const Record& record) {
  // The kind is the first key, so that readers and grep need not parse the rest of the line.
  return fmt::format("{{\"record\":\"{}\",{}", kind,
                     codec::to_text(record, codec::kOneLine).substr(1));
}

void require(bool holds, const char* key, const char* message) {
  if (!holds) throw base::SpecError({}, key, message);
}

void check(const CommTime& time) {
  require(time.seconds > 0, "seconds", "must be above 0");
  require(time.bytes >= 1, "bytes", "must be at least 1");
  require(time.nodes >= 1, "nodes", "must be at least 1");
  require(time.ranks >= time.nodes, "ranks", "must be at least the number of nodes");
  require(time.wrong >= 0, "wrong", "must not be negative");
}

void check(const KernelSample& sample) {
  require(sample.seconds > 0, "seconds", "must be above 0");
  require(!sample.size.empty(), "size", "must not be empty");
  for (const auto& [key, value] : sample.size) {
    require(value > 0, ("size." + key).c_str(), "must be above 0");
  }
}

}  // namespace

void check(const StepLayers& step) {
  require(step.batch >= 1, "batch", "must be at least 1");
  require(!step.input.empty(), "input", "must not be empty");
  require(!step.layers.empty(), "layers", "must contain at least one layer");
  require(step.forward_s > 0, "forward_s", "must be above 0");
  require(step.backward_s >= 0, "backward_s", "must not be negative");
  for (const MeasuredLayer& layer : step.layers) {
    const bool possible = layer.forward_s >= 0 && layer.backward_s >= 0 && layer.update_s >= 0;
    require(possible, "layers", "must not contain negative times");
  }
}

namespace {

template <class Record>
Record read_record(const codec::Members& members) {
  Record record;
  codec::from_members(members, record, {});
  check(record);
  return record;
}

void read_line(std::string_view line, codec::Document& document, BenchRecords& records) {
  const codec::Value value = document.parse(line, "");
  std::string_view kind;
  if (value["record"].get(kind) != simdjson::SUCCESS) {
    throw base::SpecError({}, "record", "missing; the line is not a record of dlscale-bench");
  }
  const codec::Members members = codec::members_of(value, {});
  if (kind == kCommKind) records.comm.push_back(read_record<CommTime>(members));
  if (kind == kKernelKind) records.kernels.push_back(read_record<KernelSample>(members));
  if (kind == kLayersKind) records.layers.push_back(read_record<StepLayers>(members));
}

}  // namespace

std::string to_json_line(const CommTime& time) {
  return line_of(kCommKind, time);
}

std::string to_json_line(const KernelSample& sample) {
  return line_of(kKernelKind, sample);
}

std::string to_json_line(const StepLayers& step) {
  return line_of(kLayersKind, step);
}

BenchRecords bench_records_from_jsonl(std::string_view text, std::string_view file) {
  BenchRecords records;
  codec::Document document;
  int number = 0;
  for (const std::string_view line : base::lines_of(text)) {
    const base::Location place{std::string(file), ++number};
    const bool is_cut_off = line.data() + line.size() == text.data() + text.size();
    if (is_cut_off) {
      throw base::SpecError(place, "",
                            "the line is incomplete; run the same benchmark with the same -o to "
                            "continue after the last complete line");
    }
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      read_line(line, document, records);
    } catch (const base::Error& error) {
      throw base::SpecError(place, "", error.what());
    }
  }
  return records;
}

}  // namespace dlscale::contract
