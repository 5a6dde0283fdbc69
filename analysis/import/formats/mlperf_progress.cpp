// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/mlperf_progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace dlscale::analysis {
namespace {

/// Number of images in the training set of SSD and RetinaNet from v2.0 on (MLPerf's subset of
/// OpenImages).
constexpr std::int64_t kOpenImages = 1'170'301;
/// Maximum number of epochs of a BERT run. A larger epoch number counts samples, because more than
/// 1000 samples are trained before each evaluation.
constexpr double kMostEpochsOfBert = 1000;

bool is_fraction(double number) {
  return number > 0 && number != std::floor(number);
}

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
  } else if (benchmark == "bert") {
    find_samples_of_bert(event, ends);
  } else if (counts_samples(event)) {
    counts_samples_ = true;
    event.block_samples = *std::exchange(event.epochs, std::nullopt) * repeats();
    event.epoch = std::nullopt;
  } else if (counts_samples_ && ends && event.epoch) {
    event.samples = epoch * repeats();
    event.epoch = std::nullopt;
  } else if (event.epoch && train_samples > 0 && find_parts(event)) {
    event.epoch = event.epochs = std::nullopt;
  }
}

/// Finds the number of samples that a BERT line states. Lines of evaluations state the samples
/// since the start. Lines of blocks on TPU and Gaudi count steps, and some evaluations after these
/// blocks also count steps.
void MlperfProgress::find_samples_of_bert(MlperfEvent& event, bool ends) {
  const double epoch = event.epoch.value_or(0), steps = event.epochs.value_or(0);
  const auto batch = static_cast<double>(global_batch);
  if (steps > 1 && global_batch > 0) {
    event.block_samples = steps * batch;
    event.epoch = event.epochs = std::nullopt;
    block_end_ = epoch;
    block_steps_ = steps;
  } else if (ends && epoch > 0 && (epoch == block_end_ || epoch == block_end_ + block_steps_)) {
    event.samples = *std::exchange(event.epoch, std::nullopt) * batch;
  } else if (ends && epoch > kMostEpochsOfBert) {
    event.samples = std::exchange(event.epoch, std::nullopt);
  }
}

/// Finds the number of samples that a line states as a fraction of an epoch. Returns false if the
/// line states whole epochs.
bool MlperfProgress::find_parts(MlperfEvent& event) {
  const double epoch = *event.epoch;
  if (states_part(event)) {
    is_part_of_epoch = true;
    // Fractions count from 1 if the first fraction is at least 1 (1.05). Otherwise they count from
    // 0, even if the log numbers the first epoch 1, as graph benchmarks do.
    epochs_before_ = block_end_ = epoch >= 1 ? 1 : 0;
  }
  const bool starts = event.key == "epoch_start" || event.key == "block_start";
  if (!first_epoch_ && starts) first_epoch_ = epoch;
  if (!is_part_of_epoch || event.key == "epoch_start") return false;
  const auto of_epoch = static_cast<double>(train_samples);
  if (event.key != "block_start") {
    event.samples = (epoch - epochs_before_) * of_epoch;
  } else if (event.epochs.value_or(1) < 1) {
    event.block_samples = *event.epochs * of_epoch;
  } else {
    event.block_samples = (epoch - std::exchange(block_end_, epoch)) * of_epoch;
  }
  return true;
}

/// Returns true if the line states a fraction of an epoch. DLRM and the graph benchmarks evaluate
/// within their first epoch and state such fractions. Only the first line that does so is
/// considered, because later numbers may count whole epochs.
bool MlperfProgress::states_part(const MlperfEvent& event) const {
  if (is_part_of_epoch) return false;
  const double epoch = *event.epoch;
  if (event.key == "block_start") {
    const double epochs = event.epochs.value_or(1);
    return !first_epoch_ && ((epochs > 0 && epochs < 1) || (is_fraction(epoch) && epoch < 2));
  }
  const bool ends = event.key.starts_with("eval_") || event.key == "epoch_stop";
  if (!ends || !is_first_epoch || !is_fraction(epoch)) return false;
  return epoch < 1 || (epoch < 2 && first_epoch_ == 1);
}

/// Returns true if the numbers that a line calls epochs are samples. UNet3D, for example, states
/// blocks of 3,360 "epochs" with 168 samples per epoch. The number 3,360 is a multiple of 168 and
/// counts samples.
bool MlperfProgress::counts_samples(const MlperfEvent& event) const {
  const auto of_epoch = static_cast<double>(train_samples);
  const auto is_multiple = [&](double count) {
    return count >= of_epoch && std::fmod(count, of_epoch) == 0;
  };
  return train_samples > 1 && is_multiple(event.epochs.value_or(0)) &&
         is_multiple(event.epoch.value_or(0));
}

/// Returns the average number of times that an epoch trains a sample.
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
