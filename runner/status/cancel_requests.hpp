// SPDX-License-Identifier: Apache-2.0
// Writes and reads logs/cancel.jsonl, in which users request that runs of a plan be cancelled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::runner {

/// Request to cancel a run. `launch` is the token of the submission to cancel. `launch` is empty
/// for a run that has not been submitted yet.
struct CancelRequest {
  std::string run_id;
  std::string launch;
  auto operator<=>(const CancelRequest&) const = default;
};

/// Appends the requests to logs/cancel.jsonl. Waits while another program writes the file. Throws
/// base::RunError if the file cannot be written.
void append_cancel_requests(const contract::PlanDir& folder,
                            const std::vector<CancelRequest>& requests, const base::Clock& clock);

/// Reader of logs/cancel.jsonl that returns each request once.
class CancelRequestReader {
 public:
  explicit CancelRequestReader(std::filesystem::path path) : path_(std::move(path)) {}
  /// Returns the requests that were appended since the last call. The first call returns all
  /// requests.
  std::vector<CancelRequest> fresh();

 private:
  std::filesystem::path path_;
  std::uintmax_t seen_bytes_ = 0;
};

}  // namespace dlscale::runner
