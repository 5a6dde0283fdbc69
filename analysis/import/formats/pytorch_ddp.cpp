// SPDX-License-Identifier: Apache-2.0
// Reads the output of the ResNet-50 DDP test of argonne-lcf/alcf-nccl-tests (pytests/resnet50).
// "Throughput: 4754.937 images/s, Batch size: 16, Num of GPUs: 8, Total time: 3.567 s, …, First
// batch time: 0.902 s" describes an epoch. In published logs the rate is batch size x GPUs x
// (number of batches - 1) / (total time - time of the first batch). This rate covers all ranks,
// excludes the first batch and includes waiting for data.
#include <algorithm>
#include <set>
#include <string>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

struct Epoch {
  double rate = 0, total_s = 0, mean_batch_s = 0, first_batch_s = 0;
  std::int64_t batch = 0, gpus = 0;
};

bool read_epoch(std::string_view text, Epoch& e) {
  TextScanner s(text), mean(text);
  if (mean.find("Average batch time: ")) mean.number(e.mean_batch_s);
  return s.skip("Throughput: ") && s.number(e.rate) && s.skip("images/s, Batch size: ") &&
         s.integer(e.batch) && s.skip(", Num of GPUs: ") && s.integer(e.gpus) &&
         s.skip(", Total time: ") && s.number(e.total_s) && s.find("First batch time: ") &&
         s.number(e.first_batch_s) && s.skip("s") && e.batch > 0 && e.gpus > 0 && e.rate > 0 &&
         e.batch < 1'000'000'000 && e.gpus < 10'000'000;
}

class PytorchDdpLogReader {
 public:
  explicit PytorchDdpLogReader(const contract::RunSpec& run) : log_(run, "pytorch_ddp") {}

  void read_line(const LogLine& line) {
    if (const std::size_t at = line.text.find("Throughput: "); at != std::string_view::npos) {
      take_epoch(line, line.text.substr(at));
    } else if (line.text.starts_with("DDP: I am worker ")) {
      take_worker(TextScanner(line.text));
    } else if (line.text.starts_with("Test set: ")) {
      take_test(line, TextScanner(line.text));
    }
  }
  LogContent finish() {
    log_.fact("gpus", gpus_);
    // Some ranks write nothing if a run fails early.
    const bool all_said = static_cast<std::int64_t>(workers_.size()) == gpus_;
    if (all_said) log_.fact("nodes", nodes_);
    if (all_said && nodes_ > 0) log_.start().nodes = static_cast<int>(nodes_);
    if (gpus_ > 0) log_.start().world_size = static_cast<int>(gpus_);
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  /// Counts nodes by lines such as "DDP: I am worker 4 of 8. My local rank is 0". Each node has one
  /// local rank 0.
  void take_worker(TextScanner s) {
    std::int64_t rank = 0, of = 0, local = 0;
    if (!s.skip("DDP: I am worker ") || !s.integer(rank) || !s.skip("of ") || !s.integer(of))
      return;
    if (s.skip(". My local rank is ") && s.integer(local) && of > 0 && of < 10'000'000) {
      gpus_ = of;
      if (!workers_.insert(rank).second) return;  // the line belongs to an earlier log in this file
      if (local == 0) ++nodes_;
    }
  }

  void take_epoch(const LogLine& line, std::string_view text) {
    Epoch e;
    if (!read_epoch(text, e)) {
      return line.complete ? log_.skip("no epoch after \"Throughput:\"") : log_.cut_off();
    }
    // The lines do not number their epochs, so two identical lines describe the same epoch.
    if (tested_ || !told_.emplace(text).second) return log_.skip_repeated();
    log_.fact("batch_per_gpu", e.batch);
    log_.fact("global_batch", e.batch * e.gpus);
    gpus_ = e.gpus;
    const double global_batch = static_cast<double>(e.batch * e.gpus);
    const double counted_s = e.total_s - e.first_batch_s;
    // The result is rounded to whole batches below, because the printed times are rounded.
    const double steps = e.rate * counted_s / global_batch;
    TimedSteps window{.epoch = epoch_, .steps = steps < 1e9 ? std::llround(steps) : 0};
    window.samples = static_cast<double>(window.steps) * global_batch;
    window.wall_s = window.samples / e.rate;
    if (!log_.add_steps(window)) return;
    compare_batches(e, window.steps);
    contract::EpochRecord epoch{.epoch = static_cast<int>(epoch_++), .wall_s = e.total_s};
    epoch.steps = window.steps + 1;
    epoch.samples = epoch.steps * e.batch * e.gpus;
    epoch.train_loss = epoch.lr = std::nan("");
    log_.add_epoch(epoch);
  }

  /// Compares the number of batches of an epoch with total time / average batch time. Neither side
  /// of the comparison includes the first batch.
  void compare_batches(const Epoch& e, std::int64_t steps) {
    if (!(e.mean_batch_s > 0)) return;
    const double batches = e.total_s / e.mean_batch_s;
    const double global_batch = static_cast<double>(e.batch * e.gpus);
    constexpr double kRounding = 0.0005;  // rounding error of the printed times in seconds
    log_.compare({.name = "Total time / Average batch time",
                  .value = (batches - 1) * global_batch,
                  .quantity = PrintedQuantity::samples,
                  .first_step = log_.steps() - steps,
                  .resolution = (batches * kRounding / e.mean_batch_s + 1) * global_batch});
  }

  /// Reads "Test set: Average loss: -0.0014, Accuracy: 6/50000 (0%)".
  void take_test(const LogLine& line, TextScanner s) {
    double loss = 0;
    std::int64_t correct = 0, samples = 0;
    const bool good = s.skip("Test set: Average loss: ") && s.loss(loss) &&
                      s.skip(", Accuracy: ") && s.integer(correct) && s.skip("/") &&
                      s.integer(samples) && s.skip("(") && samples > 0;
    if (!good) {
      return line.complete ? log_.skip("no accuracy after \"Test set:\"") : log_.cut_off();
    }
    if (tested_) return log_.skip_repeated();
    tested_ = true;
    log_.start().test_samples = samples;
    log_.add_eval(std::max<std::int64_t>(epoch_ - 1, 0),
                  static_cast<double>(correct) / static_cast<double>(samples), loss);
    log_.stop(contract::RunOutcome::Completed);
  }

  CollectedLog log_;
  std::set<std::int64_t> workers_;           ///< ranks that reported their start
  std::set<std::string, std::less<>> told_;  ///< lines of epochs
  std::int64_t gpus_ = 0, nodes_ = 0, epoch_ = 0;
  bool tested_ = false;  ///< true after the test that follows the last epoch
};

bool recognises(std::string_view head) {
  return any_line(head, [](std::string_view line) {
    Epoch epoch;
    return line.starts_with("DDP: I am worker ") ||
           (line.starts_with("Throughput: ") && read_epoch(line, epoch));
  });
}

bool is_of_each_rank(std::string_view line) {
  return line.starts_with("DDP: I am worker ");
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_with<PytorchDdpLogReader>(text, run, {&recognises, &is_of_each_rank});
}

}  // namespace

extern const LogFormat pytorch_ddp_entry;
const LogFormat pytorch_ddp_entry{
    .name = "pytorch_ddp",
    .summary = "output of the ResNet-50 test of PyTorch DDP in alcf-nccl-tests",
    .rates =
        "The rate is for all ranks and includes waiting for data. The first batch of each "
        "epoch is excluded.",
    .cross_check =
        "The number of batches from total time / average batch time is compared with the number "
        "of batches that follows from the throughput.",
    .file = "stdout",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .tells_end = true,
};

}  // namespace dlscale::analysis
