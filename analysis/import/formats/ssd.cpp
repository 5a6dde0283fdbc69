// SPDX-License-Identifier: Apache-2.0
// Reads the output of SSD's training benchmark (NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD,
// src/train.py, benchmark_train_loop; src/logger.py).
// Each rank prints "Done benchmarking. Total images: 3840 total time: 19.621 Average images/sec:
// 195.708 Median images/sec: 194.462". Rank 0 then prints "Training performance = 1558.09 FPS". The
// clock of a step starts when its batch has arrived, so the total time excludes waiting for data.
// It also excludes the warm-up steps. The rate is the number of images of all ranks divided by the
// time of the slowest rank. The reader compares this rate with the sum of the averages of the ranks
// and with "Training performance". "Training performance" is the sum of the medians of the ranks
// and may therefore differ more from this rate.
#include <algorithm>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kDone = "Done benchmarking. Total images:";
constexpr std::string_view kAll = "Training performance =";
/// Relative tolerance for the sum of the medians of the ranks. It is added to the 5 % that apply to
/// every printed figure.
constexpr double kOfMedians = 0.2;

struct RankTime {
  double images = 0, time_s = 0, rate = 0;
};

bool read_rank(std::string_view text, RankTime& rank) {
  TextScanner s(text);
  return s.skip(kDone) && s.number(rank.images) && s.skip("total time:") && s.number(rank.time_s) &&
         s.skip("Average images/sec:") && s.number(rank.rate);
}

class SsdLogReader {
 public:
  explicit SsdLogReader(const contract::RunSpec& run) : log_(run, "ssd") {}

  void read_line(const LogLine& line) {
    const std::size_t done = line.text.find(kDone);
    const std::size_t all = line.text.find(kAll);
    if (done == line.text.npos && all == line.text.npos) return;
    if (!line.complete) return log_.cut_off();
    done != line.text.npos ? take_rank(line.text.substr(done)) : take_all(line.text.substr(all));
  }
  LogContent finish() { return log_.finish(); }
  CollectedLog& log() { return log_; }

 private:
  void take_rank(std::string_view text) {
    RankTime rank;
    if (!read_rank(text, rank)) return log_.skip("no times of a rank after \"Done benchmarking.\"");
    if (is_told_) return log_.skip_repeated();
    rates_ += rank.rate;
    images_ += rank.images;
    time_s_ = std::max(time_s_, rank.time_s);
    ++ranks_;
  }

  void take_all(std::string_view text) {
    TextScanner s(text);
    double rate = 0;
    if (!s.skip(kAll) || !s.number(rate)) {
      return log_.skip("no rate after \"Training performance\"");
    }
    if (is_told_) return log_.skip_repeated();
    if (ranks_ == 0)
      return log_.skip(
          "the times of the ranks are missing before \"Training "
          "performance\": no rate");
    log_.start().world_size = ranks_;
    log_.fact("model", "ssd");
    log_.fact("gpus", ranks_);
    TimedSteps window{.samples = images_, .wall_s = time_s_};
    const double steps = images_ / static_cast<double>(log_.global_batch());
    window.steps = steps < 1e9 ? std::max<std::int64_t>(std::llround(steps), 1) : 0;
    window.tells_steps = log_.knows_batch();
    if (log_.add_steps(window)) {
      log_.compare(
          {.name = "Training performance", .value = rate, .resolution = kOfMedians * rate});
      log_.compare({.name = "Average images/sec of all ranks", .value = rates_});
      log_.stop(contract::RunOutcome::Completed, "");
    }
    is_told_ = true;
  }

  CollectedLog log_;
  double images_ = 0, time_s_ = 0, rates_ = 0;
  int ranks_ = 0;
  bool is_told_ = false;  ///< true after the line with the total
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    RankTime rank;
    const std::size_t done = line.find(kDone);
    return done != line.npos && read_rank(line.substr(done), rank);
  });
}

bool is_of_each_rank(std::string_view line) {
  return line.find(kDone) != line.npos;
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<SsdLogReader>(text, run, {&recognises, &is_of_each_rank});
}

}  // namespace

extern const LogFormat ssd_entry;
const LogFormat ssd_entry{
    .name = "ssd",
    .summary = "training benchmark of SSD (NVIDIA DeepLearningExamples, PyTorch)",
    .rates =
        "The rate is the number of images of all ranks divided by the time of the slowest rank. "
        "It excludes waiting for data and the warm-up steps.",
    .cross_check =
        "The sum of the \"Average images/sec\" of all ranks is compared with the rate. \"Training "
        "performance\" may differ by 25 %, because it is a sum of medians.",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
