// SPDX-License-Identifier: Apache-2.0
#include "forecast/step_scatter.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "base/file.hpp"
#include "contract/records/result_record.hpp"
#include "predict/slowest_rank.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

using contract::StepPart;
using contract::StepWindow;

double mean_of(const StepWindow& window, StepPart part) {
  return window.parts[static_cast<std::size_t>(part)].mean;
}

std::vector<StepWindow> steady_windows(const contract::LaunchDir& launch) {
  std::vector<StepWindow> windows;
  std::error_code unreadable;
  if (!fs::exists(launch.results(), unreadable)) return windows;
  for (auto& record : contract::parse_results(base::read_file(launch.results())).records) {
    auto* const window = std::get_if<StepWindow>(&record);
    if (window == nullptr || window->warmup || window->steps < 1) continue;
    windows.push_back(std::move(*window));
  }
  return windows;
}

/// A rank's own work: bookkeeping and checkpoints, which are in `other`, are not each step's.
predict::StepBlock block_of(const StepWindow& window) {
  predict::StepBlock block{.steps = static_cast<double>(window.steps)};
  for (const StepPart part : {StepPart::load_wait, StepPart::h2d, StepPart::forward,
                              StepPart::backward, StepPart::optimizer}) {
    block.work_s += mean_of(window, part);
  }
  return block;
}

double alone_deviation(const std::vector<StepWindow>& windows) {
  std::vector<predict::StepBlock> blocks;
  for (const StepWindow& window : windows) blocks.push_back(block_of(window));
  return predict::step_deviation(blocks).value;
}

}  // namespace

StepScatter step_scatter(const contract::RunDir& run, int ranks) {
  std::vector<StepWindow> windows;
  for (const contract::LaunchDir& launch : run.launches()) {
    std::vector<StepWindow> found = steady_windows(launch);
    if (found.size() > windows.size()) windows = std::move(found);
  }
  if (ranks < 2) return {.deviation_s = alone_deviation(windows)};
  double steps = 0, busy = 0, waited = 0, stood = 0;
  for (const StepWindow& window : windows) {
    steps += window.steps;
    busy += window.comm_busy_s.mean;
    waited += window.comm_wait_s.mean;
    // What is waited beside the backward pass holds up nothing.
    stood += std::min(window.comm_wait_s.mean, mean_of(window, StepPart::exposed_comm));
  }
  if (busy <= 0 || steps <= 0) return {};
  StepScatter scatter{.wait_s = stood / steps, .wait_share = std::min(1.0, waited / busy)};
  scatter.deviation_s = scatter.wait_s / predict::mean_largest(ranks);
  return scatter;
}

}  // namespace dlscale::forecast
