// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {
namespace {

std::vector<std::int64_t> permutation(std::int64_t size, RandomStream random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = size - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  return order;
}

/// Returns a permutation of the numbers below `size`. Windows of consecutive numbers are put in
/// random order, and the numbers within each window are shuffled.
std::vector<std::int64_t> permutation_in_windows(std::int64_t size, std::int64_t window,
                                                 RandomStream random) {
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(size));
  const RandomStream of_windows(random.next(), 0);
  for (const std::int64_t one : permutation((size + window - 1) / window, of_windows)) {
    const std::int64_t first = one * window;
    const RandomStream within(random.next(), static_cast<std::uint64_t>(one));
    for (const std::int64_t place : permutation(std::min(window, size - first), within)) {
      order.push_back(first + place);
    }
  }
  return order;
}

/// Returns the same permutation as torch.randperm with a CPU generator and this seed
/// (ATen/native/TensorFactories.cpp, randperm_cpu). PyTorch's CPU generator is a Mersenne Twister,
/// which gives the same numbers as std::mt19937.
std::vector<std::int64_t> pytorch_permutation(std::int64_t size, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (std::int64_t i = 0; i < size - 1; ++i) {
    std::swap(order[i], order[i + static_cast<std::int64_t>(random() % (size - i))]);
  }
  return order;
}

std::int64_t count_steps(const SamplerSettings& s) {
  const std::int64_t whole = s.samples / s.global_batch;
  const bool ragged = s.samples % s.global_batch != 0;
  return whole + (ragged && s.last_batch == "pad" ? 1 : 0);
}

}  // namespace

DistributedSampler::DistributedSampler(const SamplerSettings& settings)
    : settings_(settings),
      mine_(part_of_batch(settings.global_batch, settings.rank, settings.world_size)),
      steps_(count_steps(settings)) {
  if (steps_ == 0) {
    throw base::UsageError(fmt::format(
        "last_batch \"drop\" leaves no step: {} training samples are fewer than a global batch of "
        "{}; use last_batch \"pad\", a smaller batch or more samples",
        settings.samples, settings.global_batch));
  }
}

std::int64_t DistributedSampler::padded_samples() const {
  return std::max<std::int64_t>(0, steps_ * settings_.global_batch - settings_.samples);
}

std::int64_t DistributedSampler::dropped_samples() const {
  return std::max<std::int64_t>(0, settings_.samples - steps_ * settings_.global_batch);
}

std::vector<std::int64_t> DistributedSampler::samples_of(int epoch) const {
  const std::vector<std::int64_t> order = order_of(epoch);
  const std::int64_t batch = batch_per_rank();
  std::vector<std::int64_t> mine;
  mine.reserve(static_cast<std::size_t>(steps_ * batch));
  for (std::int64_t step = 0; step < steps_; ++step) {
    const std::int64_t first = step * settings_.global_batch;
    for (std::int64_t i = 0; i < batch; ++i) {
      const std::int64_t place =
          settings_.as_pytorch ? i * settings_.world_size + settings_.rank : mine_.first + i;
      mine.push_back(order[first + place]);
    }
  }
  return mine;
}

/// Returns the order of the samples in an epoch. All ranks share this order. It contains exactly
/// `global_batch` samples for each step.
std::vector<std::int64_t> DistributedSampler::order_of(int epoch) const {
  const RandomStream random(settings_.seed, static_cast<std::uint64_t>(epoch));
  std::vector<std::int64_t> order;
  if (settings_.as_pytorch) {
    const std::uint64_t seed = settings_.seed + static_cast<std::uint64_t>(epoch);
    order = pytorch_permutation(settings_.samples, seed);
  } else if (settings_.window > 0) {
    order = permutation_in_windows(settings_.samples, settings_.window, random);
  } else {
    order = permutation(settings_.samples, random);
  }
  const auto taken = static_cast<std::size_t>(steps_ * settings_.global_batch);
  order.reserve(taken);
  for (std::size_t i = 0; order.size() < taken; ++i) order.push_back(order[i]);
  order.resize(taken);
  if (!settings_.lengths.empty()) bucket(order, epoch);
  return order;
}

void DistributedSampler::bucket(std::vector<std::int64_t>& order, int epoch) const {
  RandomStream of_windows(~settings_.seed, static_cast<std::uint64_t>(epoch));
  const auto shorter = [this](std::int64_t a, std::int64_t b) {
    return settings_.lengths[static_cast<std::size_t>(a)] <
           settings_.lengths[static_cast<std::size_t>(b)];
  };
  std::vector<std::int64_t> bucketed;
  bucketed.reserve(order.size());
  for (std::int64_t step = 0; step < steps_; step += kBucketedBatches) {
    const std::int64_t batches = std::min(kBucketedBatches, steps_ - step);
    const auto first = order.begin() + step * settings_.global_batch;
    std::stable_sort(first, first + batches * settings_.global_batch, shorter);
    for (const std::int64_t batch : permutation(batches, RandomStream(of_windows.next(), 0))) {
      const auto from = first + batch * settings_.global_batch;
      bucketed.insert(bucketed.end(), from, from + settings_.global_batch);
    }
  }
  order = std::move(bucketed);
}

std::vector<std::int64_t> evaluation_share(std::int64_t samples, int rank, int world_size) {
  const std::int64_t first = samples * rank / world_size;
  const std::int64_t end = samples * (rank + 1) / world_size;
  std::vector<std::int64_t> mine(static_cast<std::size_t>(end - first));
  std::iota(mine.begin(), mine.end(), first);
  return mine;
}

}  // namespace dlscale::trainer
