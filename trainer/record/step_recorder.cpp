// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

namespace dlscale::trainer {
namespace {

/// Returns one value per rank, which `get` selects from the measurements of the rank.
template <class Get>
std::vector<double> column(const std::vector<RankWindow>& ranks, Get get) {
  std::vector<double> values;
  values.reserve(ranks.size());
  for (const RankWindow& rank : ranks) values.push_back(get(rank));
  return values;
}

/// Returns the seconds of a window in which a rank did not wait for other ranks.
double work_s(const RankWindow& rank) {
  const auto part = [&rank](contract::StepPart of) {
    return rank.times.parts[static_cast<std::size_t>(of)];
  };
  return rank.times.wall_s - part(contract::StepPart::exposed_comm) -
         part(contract::StepPart::bubble);
}

/// Adds a key with its value to a JSON object, which is given as text. An empty text stands for an
/// empty object.
template <class Number>
void add_key(std::string& object, const std::string& key, Number value) {
  if (object.empty()) object = "{}";
  object.pop_back();
  object += fmt::format(R"({}"{}":{}}})", object.size() > 1 ? "," : "", key, value);
}

/// Adds the loader measurements to a JSON object, if the loaders work in parallel with the training
/// steps.
void add_loading(std::string& object, const std::vector<RankWindow>& ranks) {
  const auto mean = [&ranks](double RankWindow::*member) {
    return spread(column(ranks, [member](const RankWindow& rank) { return rank.*member; })).mean;
  };
  const double busy_s = mean(&RankWindow::loader_busy_s);
  if (busy_s == 0) return;
  add_key(object, "loader_busy_s", rounded(busy_s));
  add_key(object, "loader_bytes", static_cast<std::int64_t>(mean(&RankWindow::loader_bytes)));
  double skipped = 0;
  for (const RankWindow& rank : ranks) skipped += rank.skipped_samples;
  if (skipped > 0) add_key(object, "skipped_samples", static_cast<std::int64_t>(skipped));
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
  steady_ = {};
  warmup_ = {};
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
              .correct = static_cast<double>(mine.correct.value_or(0)),
              .comm_bytes = static_cast<double>(comm.bytes - counted_.bytes),
              .collectives = static_cast<double>(comm.collectives - counted_.collectives),
              .comm_busy_s = comm.busy_s - counted_.busy_s,
              .comm_wait_s = comm.wait_s - counted_.wait_s,
              .peak_memory_bytes = mine.peak_memory_bytes,
              .loader_busy_s = mine.loading.busy_s,
              .loader_bytes = static_cast<double>(mine.loading.bytes),
              .skipped_samples = static_cast<double>(mine.loading.skipped_samples),
              .stop = mine.requests.stop ? 1.0 : 0.0,
              .save = mine.requests.save ? 1.0 : 0.0,
              .writing = mine.requests.writing ? 1.0 : 0.0},
             queue_);
  counted_ = queue_.stats();  // excludes the communication of gather() from the next window
  contract::StepWindow window = make_window(steps, ranks);
  for (const auto& [key, count] : mine.counts) add_key(window.extra, key, count);
  add_loading(window.extra, ranks);
  window.warmup = std::exchange(first_window_, false);
  window.time = clock_.unix_s();
  writer_.write(window);
  add_to_epoch(window, ranks, mine.correct.has_value());
  const auto any = [&ranks](double RankWindow::*request) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [request](const RankWindow& rank) { return rank.*request > 0; });
  };
  return {window.train_loss,
          window.wall_s,
          {any(&RankWindow::stop), any(&RankWindow::save), any(&RankWindow::writing)}};
}

void StepRecorder::add_to_epoch(const contract::StepWindow& window,
                                const std::vector<RankWindow>& ranks, bool counts_correct) {
  // If a launch resumes within an epoch and the earlier launch did not save its count of correct
  // predictions, the count of the whole epoch is unknown.
  if (counts_correct && sums_.steps == 0) sums_.correct = 0;
  if (sums_.correct) {
    for (const RankWindow& rank : ranks) *sums_.correct += static_cast<std::int64_t>(rank.correct);
  }
  sums_.loss_sum += window.train_loss * window.steps;
  sums_.steps += window.steps;
  sums_.samples += window.samples;
  sums_.lr = window.lr;
  sums_.wall_s =
      wall_s_before_ +
      spread(column(ranks, [](const RankWindow& rank) { return rank.epoch_wall_s; })).max;
  RankWork& sum = window.warmup ? warmup_ : steady_;
  sum.steps += window.steps;
  sum.samples += window.samples;
  sum.counts_correct = counts_correct;
  for (auto* const sums : {&sum.work_s, &sum.loss_sum, &sum.correct}) sums->resize(ranks.size());
  sum.peak_memory_bytes =
      column(ranks, [](const RankWindow& rank) { return rank.peak_memory_bytes; });
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    sum.work_s[rank] += work_s(ranks[rank]);
    sum.loss_sum[rank] += ranks[rank].loss_sum;
    sum.correct[rank] += ranks[rank].correct;
  }
}

/// Adds the mean training loss and the training accuracy of each rank to `record`. All ranks must
/// have trained on the same number of samples.
void StepRecorder::add_results(contract::RankTimes& record, const RankWork& sum) {
  for (const double loss : sum.loss_sum) {
    record.train_loss.push_back(rounded(loss / static_cast<double>(sum.steps)));
  }
  if (!sum.counts_correct) return;
  const double samples = static_cast<double>(sum.samples) / static_cast<double>(sum.correct.size());
  for (const double correct : sum.correct) {
    record.train_accuracy.push_back(rounded(correct / samples));
  }
}

std::optional<contract::RankTimes> StepRecorder::rank_times(int epoch, int stages) const {
  const RankWork& sum = steady_.steps > 0 ? steady_ : warmup_;
  if (sum.work_s.size() < 2) return std::nullopt;
  contract::RankTimes record;
  record.epoch = epoch;
  record.time = clock_.unix_s();
  record.steps = sum.steps;
  record.stages = stages;
  for (const double seconds : sum.work_s) record.work_s.push_back(rounded(seconds));
  if (stages == 0) add_results(record, sum);
  add_key(record.extra, "peak_memory_bytes",
          fmt::format("[{:.0f}]", fmt::join(sum.peak_memory_bytes, ",")));
  return record;
}

contract::EpochRecord StepRecorder::epoch_record(int epoch) const {
  contract::EpochRecord record;
  record.epoch = epoch;
  record.time = clock_.unix_s();
  record.wall_s = sums_.wall_s;
  record.steps = sums_.steps;
  record.samples = sums_.samples;
  record.train_loss = sums_.loss_sum / static_cast<double>(sums_.steps);
  record.correct = sums_.correct;
  record.lr = sums_.lr;
  return record;
}

}  // namespace dlscale::trainer
