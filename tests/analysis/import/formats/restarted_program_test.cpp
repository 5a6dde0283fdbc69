// SPDX-License-Identifier: Apache-2.0
// Tests of logs in which a program was restarted and continued to write to the same log.
#include <catch2/catch.hpp>

#include "tests/analysis/import/formats/log_reading.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepWindow;

/// Returns a line with the step of the run, followed by a line of DeepSpeed's timer. If `run_step`
/// is 0, the line with the step is omitted.
std::string timer_lines(int run_step, int step, double rate) {
  const std::string run = "[INFO] [Rank 0] step=" + std::to_string(run_step) +
                          ", skipped=0, lr=[0.001], mom=[[0.9, 0.999]]\n";
  return (run_step > 0 ? run : "") +
         "[INFO] [timer.py:215:stop] epoch=0/micro_step=" + std::to_string(step) +
         "/global_step=" + std::to_string(step) +
         ", RunningAvgSamplesPerSec=" + std::to_string(rate) + ", CurrSamplesPerSec=1.0, x\n";
}

}  // namespace

TEST_CASE("deepspeed: a restarted process counts and averages its own steps") {
  const std::string first = timer_lines(10, 10, 100) + timer_lines(20, 20, 100);
  const auto windows_of = [](const std::string& text) {
    return all<StepWindow>(read_log("deepspeed", text, run_of(4, 25)).file);
  };
  const auto added = windows_of(first + timer_lines(30, 10, 50) + timer_lines(40, 20, 50));
  REQUIRE(added.size() == 4);
  CHECK(added[2].steps == 8);
  CHECK(added[2].wall_s == Approx(16));
  CHECK(added[3].wall_s == Approx(20));
  // The restarted process repeats steps after the checkpoint at step 10. Such steps count once.
  const auto again = windows_of(first + timer_lines(20, 10, 50) + timer_lines(30, 20, 50));
  REQUIRE(again.size() == 3);
  CHECK(again[2].steps == 10);
  CHECK(again[2].wall_s == Approx(20));
  // Without run steps the restarted process may have started from the beginning.
  const auto alone =
      windows_of(timer_lines(0, 10, 100) + timer_lines(0, 20, 100) + timer_lines(0, 10, 50) +
                 timer_lines(0, 20, 50) + timer_lines(0, 30, 50));
  REQUIRE(alone.size() == 3);
  CHECK(alone[2].wall_s == Approx(20));
}

TEST_CASE("the mean rate of an epoch does not cover steps before a restart") {
  const auto line = [](int iteration, double rate) {
    return "DLL 2024-05-02 04:40:42.836052 - Epoch: 0 Iteration: " + std::to_string(iteration) +
           "  train.loss : 6.9 None train.total_ips : " + std::to_string(rate) + " images/s\n";
  };
  const LogContent log = read_log(
      "dllogger",
      line(1, 400) + line(10, 400) + line(20, 400) + line(1, 100) + line(10, 100) + line(20, 100) +
          line(30, 100) + line(40, 100) +
          "DLL 2024-05-02 04:41:42.836052 - Epoch: 0 train.loss : 6.9 None train.total_ips : 100.0 "
          "images/s\n",
      run_of(4, 16));
  CHECK(rate_of(log).has_value());
  const auto speed = [](int batch, int rate) {
    return "Epoch[0] Batch [" + std::to_string(batch) + "]\tSpeed: " + std::to_string(rate) +
           " samples/sec\taccuracy=0.1\n";
  };
  const LogContent mxnet =
      read_log("mxnet",
               "INFO:root:start with arguments Namespace(batch_size=64)\n" + speed(10, 100) +
                   speed(20, 100) + speed(10, 400) + speed(20, 400) + speed(30, 400) +
                   "Epoch[0] Time cost=5.0\n",
               run_of(4, 16));
  CHECK(rate_of(mxnet).has_value());
}

}  // namespace dlscale::analysis
