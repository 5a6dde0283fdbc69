// SPDX-License-Identifier: Apache-2.0
#include "contract/launch_record.hpp"

#include "contract/json_codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, LaunchRecord& r) {
  v.required("event", r.event);
  v.required("job", r.job);
  v.optional("run_id", r.run_id);
  v.optional("job_id", r.job_id);
  v.optional("time", r.time);
  v.optional("outcome", r.outcome);
  v.optional("exit_code", r.exit_code);
  v.optional("reason", r.reason);
}

std::string to_json_line(const LaunchRecord& record) {
  return codec::to_text(record, codec::kOneLine);
}

std::vector<LaunchRecord> parse_launch_log(std::string_view text) {
  std::vector<LaunchRecord> records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    try {
      records.push_back(codec::read_object<LaunchRecord>(line, ""));
    } catch (const base::SpecError&) {
      // A killed writer's last line: what it would have said is lost, what came before is not.
    }
  }
  return records;
}

}  // namespace dlscale::contract
