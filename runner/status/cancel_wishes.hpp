// SPDX-License-Identifier: Apache-2.0
// logs/cancel.jsonl: the ends that users wish for, whoever follows the jobs at that time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::runner {

/// The end of a run: of its submission `launch`, or, where that is empty, before it has one.
struct CancelWish {
  std::string run_id;
  std::string launch;
  auto operator<=>(const CancelWish&) const = default;
};

/// Notes wishes; waits while another program does. Throws base::RunError.
void note_wishes(const contract::PlanDir& folder, const std::vector<CancelWish>& wishes,
                 const base::Clock& clock);

/// Reads them as they come.
class CancelWishes {
 public:
  explicit CancelWishes(std::filesystem::path path) : path_(std::move(path)) {}
  /// Those noted since the last call; at first all.
  std::vector<CancelWish> fresh();

 private:
  std::filesystem::path path_;
  std::uintmax_t seen_bytes_ = 0;
};

}  // namespace dlscale::runner
