// SPDX-License-Identifier: Apache-2.0
#include "contract/records/launch_record.hpp"

#include "base/text.hpp"
#include "contract/json/codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, LaunchRecord& r) {
  v.required("event", r.event);
  v.required("job", r.job);
  v.sparse("launch", r.launch);
  v.sparse("run_id", r.run_id);
  v.sparse("job_id", r.job_id);
  v.sparse("runs", r.runs);
  v.sparse("launches", r.launches);
  v.sparse("repeat", r.repeat);
  v.sparse("task_ids", r.task_ids);
  v.sparse("nodes", r.nodes);
  v.optional("time", r.time);
  v.sparse("outcome", r.outcome);
  v.sparse("exit_code", r.exit_code);
  v.sparse("elapsed_s", r.elapsed_s);
  v.sparse("peak_memory_bytes", r.peak_memory_bytes);
  v.sparse("stderr_bytes", r.stderr_bytes);
  v.sparse("reason", r.reason);
  v.sparse("software", r.software);
  v.sparse("launch_number", r.launch_number);
}

std::string to_json_line(const LaunchRecord& record) {
  return codec::to_text(record, codec::kOneLine);
}

std::vector<LaunchRecord> parse_launch_log(std::string_view text) {
  std::vector<LaunchRecord> records;
  parse_launch_log(text, [&](LaunchRecord&& record) { records.push_back(std::move(record)); });
  return records;
}

void parse_launch_log(std::string_view text, const std::function<void(LaunchRecord&&)>& visit) {
  codec::Document document;
  for (const std::string_view line : base::lines_of(text)) {
    std::optional<LaunchRecord> record;
    try {
      record = codec::read_object<LaunchRecord>(line, "", document);
    } catch (const base::SpecError&) {
      // A killed writer can leave an incomplete last line. Only the content of that line is lost.
    }
    if (record) visit(std::move(*record));
  }
}

}  // namespace dlscale::contract
