// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_recorder.hpp"

#include <algorithm>
#include <utility>

namespace dlscale::trainer {
namespace {

/// One quantity of all ranks.
template <class Get>
std::vector<double> column(const std::vector<RankWindow>& ranks, Get get) {
  std::vector<double> values;
  values.reserve(ranks.size());
  for (const RankWindow& rank : ranks) values.push_back(get(rank));
  return values;
}

}  // namespace

contract::StepWindow make_window(const WindowSteps& steps, const std::vector<RankWindow>& ranks) {
  const auto over_ranks = [&ranks](auto get) { return spread(column(ranks, get)); };
  contract::StepWindow window;
  window.epoch = steps.epoch;
  window.first_step = steps.first_step;
  window.steps = steps.steps;
  window.samples = steps.steps * steps.global_batch;
  window.lr = steps.lr;
  window.wall_s = over_ranks([](const RankWindow& rank) { return rank.times.wall_s; }).max;
  window.train_loss =
      over_ranks([](const RankWindow& rank) { return rank.loss_sum; }).mean / steps.steps;
  for (int part = 0; part < contract::kStepParts; ++part) {
    window.parts[part] =
        over_ranks([part](const RankWindow& rank) { return rank.times.parts[part]; });
  }
  window.bytes_sent = over_ranks([](const RankWindow& rank) { return rank.comm_bytes; }).mean;
  window.collectives = over_ranks([](const RankWindow& rank) { return rank.collectives; }).mean;
  window.comm_busy_s = over_ranks([](const RankWindow& rank) { return rank.comm_busy_s; });
  window.peak_memory_bytes =
      over_ranks([](const RankWindow& rank) { return rank.peak_memory_bytes; }).max;
  return window;
}

void StepRecorder::start_epoch() {
  counted_ = queue_.stats();
  epoch_wall_s_ = 0;
  loss_sum_ = 0;
  epoch_ = {};
}

double StepRecorder::finish_window(const WindowSteps& steps, const BlockTimes& times,
                                   double loss_sum, double peak_memory_bytes) {
  const CommStats comm = queue_.stats();
  epoch_wall_s_ += times.wall_s;
  const auto ranks =
      gather({.times = times,
              .epoch_wall_s = epoch_wall_s_,
              .loss_sum = loss_sum,
              .comm_bytes = static_cast<double>(comm.bytes - counted_.bytes),
              .collectives = static_cast<double>(comm.collectives - counted_.collectives),
              .comm_busy_s = comm.busy_s - counted_.busy_s,
              .peak_memory_bytes = peak_memory_bytes},
             queue_);
  counted_ = queue_.stats();  // the gathering itself belongs to no window
  contract::StepWindow window = make_window(steps, ranks);
  window.warmup = std::exchange(first_window_, false);
  window.time = clock_.unix_s();
  writer_.write(window);

  loss_sum_ += window.train_loss * window.steps;
  epoch_.epoch = window.epoch;
  epoch_.steps += window.steps;
  epoch_.samples += window.samples;
  epoch_.lr = window.lr;
  epoch_.wall_s =
      spread(column(ranks, [](const RankWindow& rank) { return rank.epoch_wall_s; })).max;
  return window.train_loss;
}

contract::EpochRecord StepRecorder::finish_epoch() {
  epoch_.time = clock_.unix_s();
  epoch_.train_loss = loss_sum_ / static_cast<double>(epoch_.steps);
  writer_.write(epoch_);
  return epoch_;
}

}  // namespace dlscale::trainer
