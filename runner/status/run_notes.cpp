// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_notes.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace dlscale::runner {

RunNotes read_run_notes(const contract::PlanDir& plan, const std::string& run_id,
                        const std::string& launch) {
  std::ifstream file(plan.run_notes(run_id), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  RunNotes notes;
  for (contract::LaunchRecord& record : contract::parse_launch_log(text)) {
    if (record.run_id != run_id || (!launch.empty() && record.launch != launch)) continue;
    notes.job_id = record.job_id;
    notes.started = true;
    notes.end.reset();
    if (record.event == "started") notes.stderr_bytes = record.stderr_bytes;
    if (record.event == "ended") notes.end = std::move(record);
  }
  return notes;
}

}  // namespace dlscale::runner
