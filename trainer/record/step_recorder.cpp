// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_recorder.hpp"

#include <fmt/format.h>

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

/// Adds a key to the text of a JSON object; an empty text stands for one without keys.
void add_key(std::string& object, const std::string& key, std::int64_t value) {
  if (object.empty()) object = "{}";
  object.pop_back();
  object += fmt::format(R"({}"{}":{}}})", object.size() > 1 ? "," : "", key, value);
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
  window.comm_wait_s = over_ranks([](const RankWindow& rank) { return rank.comm_wait_s; });
  window.peak_memory_bytes =
      over_ranks([](const RankWindow& rank) { return rank.peak_memory_bytes; }).max;
  return window;
}

void StepRecorder::start_epoch(const contract::EpochSums& so_far) {
  counted_ = queue_.stats();
  epoch_wall_s_ = 0;
  wall_s_before_ = so_far.wall_s;
  sums_ = so_far;
}

void StepRecorder::leave_out_since(const CommStats& before) {
  const CommStats now = queue_.stats();
  counted_.collectives += now.collectives - before.collectives;
  counted_.bytes += now.bytes - before.bytes;
  counted_.busy_s += now.busy_s - before.busy_s;
  counted_.wait_s += now.wait_s - before.wait_s;
}

WindowEnd StepRecorder::finish_window(const WindowSteps& steps, const RankMeasures& mine) {
  const CommStats comm = queue_.stats();
  epoch_wall_s_ += mine.times.wall_s;
  const auto ranks =
      gather({.times = mine.times,
              .epoch_wall_s = epoch_wall_s_,
              .loss_sum = mine.loss_sum,
              .comm_bytes = static_cast<double>(comm.bytes - counted_.bytes),
              .collectives = static_cast<double>(comm.collectives - counted_.collectives),
              .comm_busy_s = comm.busy_s - counted_.busy_s,
              .comm_wait_s = comm.wait_s - counted_.wait_s,
              .peak_memory_bytes = mine.peak_memory_bytes,
              .stop = mine.wishes.stop ? 1.0 : 0.0,
              .save = mine.wishes.save ? 1.0 : 0.0,
              .writing = mine.wishes.writing ? 1.0 : 0.0},
             queue_);
  counted_ = queue_.stats();  // the gathering itself belongs to no window
  contract::StepWindow window = make_window(steps, ranks);
  for (const auto& [key, count] : mine.counts) add_key(window.extra, key, count);
  window.warmup = std::exchange(first_window_, false);
  window.time = clock_.unix_s();
  writer_.write(window);
  add_to_epoch(window, ranks);
  const auto any = [&ranks](double RankWindow::*wish) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [wish](const RankWindow& rank) { return rank.*wish > 0; });
  };
  return {window.train_loss,
          window.wall_s,
          {any(&RankWindow::stop), any(&RankWindow::save), any(&RankWindow::writing)}};
}

void StepRecorder::add_to_epoch(const contract::StepWindow& window,
                                const std::vector<RankWindow>& ranks) {
  sums_.loss_sum += window.train_loss * window.steps;
  sums_.steps += window.steps;
  sums_.samples += window.samples;
  sums_.lr = window.lr;
  sums_.wall_s =
      wall_s_before_ +
      spread(column(ranks, [](const RankWindow& rank) { return rank.epoch_wall_s; })).max;
}

contract::EpochRecord StepRecorder::epoch_record(int epoch) const {
  contract::EpochRecord record;
  record.epoch = epoch;
  record.time = clock_.unix_s();
  record.wall_s = sums_.wall_s;
  record.steps = sums_.steps;
  record.samples = sums_.samples;
  record.train_loss = sums_.loss_sum / static_cast<double>(sums_.steps);
  record.lr = sums_.lr;
  return record;
}

}  // namespace dlscale::trainer
