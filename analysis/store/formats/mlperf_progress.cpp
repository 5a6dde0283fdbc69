// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/mlperf_progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace dlscale::analysis {
namespace {

/// Images in the training set of SSD and RetinaNet from v2.0 on (MLPerf's subset of OpenImages).
constexpr std::int64_t kOpenImages = 1'170'301;
/// No run of BERT has so many epochs, and each evaluation comes after more samples.
constexpr double kMostEpochsOfBert = 1000;

}  // namespace

void MlperfProgress::find_samples(MlperfEvent& event) {
  if (!event.samples && event.steps && benchmark == "stable_diffusion" && global_batch > 0) {
    event.samples = *event.steps * static_cast<double>(global_batch);
  }
  if (event.samples) return;
  const bool ends = event.key.starts_with("eval_") || event.key == "epoch_stop";
  const auto length = static_cast<double>(sequence_length);
  const double epoch = event.epoch.value_or(0);
  if (benchmark == "gpt3") {
    if (event.epochs) event.block_samples = *event.epochs / length;
    if (event.epoch && ends) event.samples = epoch / length;
    event.epoch = event.epochs = std::nullopt;
  } else if (benchmark == "bert" && ends && epoch > kMostEpochsOfBert) {
    event.samples = std::exchange(event.epoch, std::nullopt);
  } else if (counts_samples(event)) {
    counts_samples_ = true;
    event.block_samples = *std::exchange(event.epochs, std::nullopt) * repeats();
    event.epoch = std::nullopt;
  } else if (counts_samples_ && ends && event.epoch) {
    event.samples = epoch * repeats();
    event.epoch = std::nullopt;
  } else if (ends && event.epoch && train_samples > 0) {
    // DLRM and the graph benchmarks stop within their first epochs and state the part of them.
    is_part_of_epoch = is_part_of_epoch || (is_first_epoch && epoch > 0 && epoch < 1);
    if (!is_part_of_epoch) return;
    event.samples = epoch * static_cast<double>(train_samples);
    event.epoch = std::nullopt;
  }
}

/// UNet3D states blocks of 3,360 "epochs" at 168 samples an epoch, which are samples.
bool MlperfProgress::counts_samples(const MlperfEvent& event) const {
  const auto of_epoch = static_cast<double>(train_samples);
  const auto is_multiple = [&](double count) {
    return count >= of_epoch && std::fmod(count, of_epoch) == 0;
  };
  return train_samples > 1 && is_multiple(event.epochs.value_or(0)) &&
         is_multiple(event.epoch.value_or(0));
}

/// How often an epoch trains a sample on average.
double MlperfProgress::repeats() const {
  if (samples_per_epoch <= train_samples || train_samples <= 0) return 1;
  return static_cast<double>(samples_per_epoch) / static_cast<double>(train_samples);
}

std::int64_t MlperfProgress::samples_of_epoch() {
  if (samples_per_epoch > train_samples) return samples_per_epoch;
  const bool can_count_batches = benchmark == "ssd" || benchmark == "retinanet";
  if (!can_count_batches || train_samples <= 0 || train_samples > kOpenImages) return train_samples;
  if (global_batch > 1 && global_batch <= kOpenImages) {
    const std::int64_t rounding = std::max(global_batch, kOpenImages / 100);
    counts_batches = std::abs(train_samples * global_batch - kOpenImages) <= rounding;
  }
  return counts_batches ? train_samples * global_batch : train_samples;
}

}  // namespace dlscale::analysis
