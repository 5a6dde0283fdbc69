// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/rank_stop.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <utility>
#include <variant>

#include "base/file.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::trainer {

void leave_rank_stop(const contract::LaunchDir& launch, int rank, contract::RunStop stop) noexcept {
  try {
    if (std::filesystem::exists(launch.rank_stop())) return;
    stop.reason = fmt::format("rank {}: {}", rank, stop.reason);
    base::write_file_atomically(launch.rank_stop(), contract::to_json_line(stop) + "\n");
  } catch (const std::exception&) {
    // The reason stands in the job's stderr all the same.
  }
}

std::optional<contract::RunStop> rank_stop_in(const contract::LaunchDir& launch) noexcept {
  try {
    if (!std::filesystem::exists(launch.rank_stop())) return std::nullopt;
    const auto left = contract::parse_results(base::read_file(launch.rank_stop()));
    if (left.records.empty()) return std::nullopt;
    const auto* stop = std::get_if<contract::RunStop>(&left.records.front());
    return stop != nullptr ? std::optional(*stop) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void stop_for_root(const contract::LaunchDir& launch, contract::RunStop stop) noexcept {
  try {
    for (const auto& record : contract::parse_results(base::read_file(launch.results())).records) {
      if (std::holds_alternative<contract::RunStop>(record)) return;
      if (const auto* window = std::get_if<contract::StepWindow>(&record)) {
        stop.samples += window->samples;
      }
    }
    base::LineAppender(launch.results()).append(contract::to_json_line(stop));
    base::LineAppender(launch.err()).append(stop.reason);
  } catch (const std::exception&) {
    // The launcher says that a rank was lost.
  }
}

}  // namespace dlscale::trainer
