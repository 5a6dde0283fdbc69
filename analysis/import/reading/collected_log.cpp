// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/collected_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

// Plausibility limits. A larger number in a log is a mistake and not a measurement.
constexpr std::int64_t kMostEpochs = 10'000'000;
constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr double kMostSamples = 1e15;
constexpr double kMostExpected = 2e6;  ///< about one gigabyte of records
constexpr double kLongest = 1e9;       ///< maximum time in seconds, thirty years
constexpr double kFastest = 1e9;       ///< maximum samples/s of a rank

bool is_between(double value, double least, double most) {
  return value >= least && value <= most;
}

contract::Spread same_on_all_ranks(double seconds) {
  return {seconds, seconds, seconds, seconds};
}

}  // namespace

CollectedLog::CollectedLog(const contract::RunSpec& run, const char* trainer)
    : run_(run), global_batch_(std::max<std::int64_t>(run.global_batch, 1)) {
  start_.run_id = run.run_id;
  start_.time = std::nan("");
  start_.world_size = run.gpus;
  start_.nodes = run.resources.nodes;
  start_.environment = {{"trainer", trainer}};
  start_.train_samples = run.dataset.train_samples;
  start_.test_samples = run.dataset.test_samples;
  content_.file.records.emplace_back();  // empty start record, which finish() fills in
  content_.file.record_lines.push_back(0);
}

void CollectedLog::expect(double times_so_many) {
  auto& file = content_.file;
  const double likely = 1.05 * times_so_many * static_cast<double>(file.records.size());
  const auto room = static_cast<std::size_t>(std::min(likely, kMostExpected));
  file.records.reserve(room);
  file.record_lines.reserve(room);
}

void CollectedLog::add(contract::ResultRecord record) {
  losses_.check_record(record, line_);
  content_.file.records.push_back(std::move(record));
  content_.file.record_lines.push_back(line_);
}

void CollectedLog::note_content(std::string_view content) {
  content_.trail.push_back(std::hash<std::string_view>()(content));
}

void CollectedLog::add(CollectiveResult result) {
  result.line = line_;
  content_.collectives.push_back(std::move(result));
}

void CollectedLog::add(AccountedJob job) {
  job.line = line_;
  content_.jobs.push_back(std::move(job));
}

bool CollectedLog::add_steps(const TimedSteps& s) {
  const bool can_be = s.epoch >= 0 && s.epoch <= kMostEpochs && s.steps >= 1 &&
                      s.steps <= kMostSteps && next_step_ <= kMostSteps &&
                      is_between(s.samples, 1, kMostSamples) &&
                      is_between(s.wall_s, 1e-9, kLongest);
  if (!can_be) {
    skip("no rate can be computed from the numbers of this line");
    return false;
  }
  if (s.samples / s.wall_s > kFastest * std::max(start_.world_size, 1)) {
    skip(fmt::format(
        "{:.3g} samples/s is impossible: check that the times are times of steps, and check the "
        "unit of the times",
        s.samples / s.wall_s));
    return false;
  }
  contract::StepWindow window{.epoch = static_cast<int>(s.epoch), .first_step = next_step_};
  window.steps = s.tells_steps ? static_cast<int>(s.steps) : 0;
  window.warmup = s.warmup;
  window.time = std::nan("");
  window.samples = std::llround(s.samples);
  window.wall_s = s.wall_s;
  window.lr = s.lr;
  window.train_loss = s.loss;
  window.peak_memory_bytes = s.peak_memory_bytes;
  window.measured = s.measured;
  const double load_s = s.load_s > 0 ? std::min(s.load_s, s.wall_s) : 0;
  window.parts[int(contract::StepPart::load_wait)] = same_on_all_ranks(load_s);
  window.parts[int(contract::StepPart::other)] = same_on_all_ranks(s.wall_s - load_s);
  next_step_ += s.steps;
  add(window);
  return true;
}

void CollectedLog::add_eval(std::int64_t epoch, double accuracy, double loss,
                            std::map<std::string, double> metrics, double wall_s) {
  if (epoch < 0 || epoch > kMostEpochs) return skip("the epoch number is out of range");
  if (accuracy < 0 || accuracy > 1) return skip("the accuracy is not between 0 and 100 %");
  contract::EvalRecord eval{.epoch = static_cast<int>(epoch), .time = std::nan("")};
  eval.wall_s = wall_s;
  eval.samples = std::clamp<std::int64_t>(start_.test_samples, 0, std::int64_t{1} << 50);
  eval.accuracy = accuracy;
  eval.loss = loss;
  eval.metrics = std::move(metrics);
  if (std::isfinite(accuracy)) {
    eval.correct = std::llround(accuracy * static_cast<double>(eval.samples));
  }
  add(std::move(eval));
}

void CollectedLog::add_epoch(contract::EpochRecord epoch) {
  if (epoch.epoch < 0 || epoch.epoch > kMostEpochs) return skip("the epoch number is out of range");
  epoch.time = std::nan("");
  add(std::move(epoch));
}

void CollectedLog::compare(PrintedFigure figure) {
  if (figure.line == 0) figure.line = line_;
  if (figure.end_step < 0) figure.end_step = next_step_;
  rates_.add(std::move(figure));
}

void CollectedLog::reject_rate(std::string_view why) {
  rates_.reject(fmt::format("line {}: {}. The run has no rate", line_, why));
}

void CollectedLog::stop(contract::RunOutcome outcome, std::string reason, double wall_s) {
  if (std::exchange(stopped_, true)) return;
  contract::RunStop stop{.outcome = outcome, .exit_code = 0, .reason = std::move(reason)};
  if (outcome != contract::RunOutcome::Completed) stop.exit_code = 1;
  stop.wall_s = wall_s;
  stop.time = start_.time + wall_s;
  add(std::move(stop));
}

void CollectedLog::skip(std::string_view why) {
  contract::skip_line(content_.file, line_, why);
}

bool CollectedLog::repeats(RunPlace& last, const RunPlace& place) {
  if (place <= last) {
    skip_repeated();
    return true;
  }
  last = place;
  return false;
}

void CollectedLog::skip_repeated() {
  if (repeated_++ == 0) first_repeated_ = line_;
}

void CollectedLog::sum_up(int line, const std::string& what) {
  sums_.push_back(fmt::format("line {}: {}", line, what));
}

void CollectedLog::fact(const std::string& name, std::string value) {
  if (value.empty() || value.size() > 200) return;
  if (name == "global_batch") {
    const auto batch = base::leading_number<std::int64_t>(value);
    if (batch > 0) global_batch_ = batch;
  }
  content_.facts.emplace(name, std::move(value));
}

void CollectedLog::fact(const std::string& name, std::int64_t value) {
  if (value > 0) fact(name, std::to_string(value));
}

LogContent CollectedLog::finish() {
  auto& file = content_.file;
  file.records.front() = std::move(start_);
  if (repeated_ > 0) {
    sum_up(first_repeated_, fmt::format("repeated entries in {} are ignored, because another rank "
                                        "or an earlier log in the same file has already reported "
                                        "them",
                                        base::count_of(repeated_, "line")));
  }
  for (std::string& sum : sums_) file.skipped.push_back(std::move(sum));
  rates_.conclude(file);
  losses_.conclude(file);
  return std::move(content_);
}

}  // namespace dlscale::analysis
