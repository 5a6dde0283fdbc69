// SPDX-License-Identifier: Apache-2.0
#include "forecast/memory_peaks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/store/rank_reader.hpp"
#include "base/file.hpp"
#include "predict/memory.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;

MemoryPeaks::MemoryPeaks(const contract::PlanDir& folder, fs::path cards)
    : cards_(std::move(cards)), measured_(analysis::read_peak_memory(folder)) {}

const contract::ModelCard* MemoryPeaks::card_of(const contract::RunSpec& run,
                                                const predict::SampleShape& shape) {
  const std::string name = contract::card_file_name(run.model, shape.input, shape.classes,
                                                    predict::card_precision(run.precision));
  const auto [known, fresh] = known_cards_.try_emplace(name);
  const fs::path file = cards_ / name;
  std::error_code unreadable;
  if (fresh && fs::is_regular_file(file, unreadable)) {
    known->second = contract::model_card_from_json(base::read_text_file(file), file.string());
  }
  return known->second ? &*known->second : nullptr;
}

void MemoryPeaks::add(const contract::RunSpec& run, const predict::SampleShape& shape) {
  const auto peak = measured_.find(run.run_id);
  if (peak == measured_.end()) return;
  const contract::ModelCard* const card = card_of(run, shape);
  if (card == nullptr) return;
  const predict::MemoryParts parts = predict::peak_memory(
      *card, static_cast<double>(run.batch_per_gpu), predict::memory_setting(run));
  // Settings that change nothing of the card's sum make no other group.
  contract::MemoryPeak of{.model = run.model,
                          .input = shape.input,
                          .precision = run.precision,
                          .framework = run.framework,
                          .device = run.resources.device,
                          .loader = run.loader,
                          .dataset = run.dataset.kind,
                          .gpus = run.gpus,
                          .batch = run.batch_per_gpu,
                          .card_bytes = parts.total().value,
                          .activations_bytes = parts.activations.value};
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&](const Repeats& each) { return each.of == of; });
  if (group == groups_.end()) {
    groups_.push_back({std::move(of), {}});
    group = std::prev(groups_.end());
  }
  group->peaks.push_back(peak->second);
}

std::vector<contract::MemoryPeak> MemoryPeaks::middles() const {
  std::vector<contract::MemoryPeak> middles;
  for (const Repeats& group : groups_) {
    middles.push_back(group.of);
    middles.back().peak_memory_bytes = analysis::median(group.peaks);
    middles.back().runs = static_cast<int>(group.peaks.size());
  }
  return middles;
}

}  // namespace dlscale::forecast
