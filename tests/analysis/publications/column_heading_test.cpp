// SPDX-License-Identifier: Apache-2.0
// Tests of column headings in published tables, and of the quantities, units and axes that the
// headings name.
#include "analysis/publications/column_heading.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using dlscale::analysis::ColumnHeading;
using dlscale::analysis::known_scaling_axis;
using dlscale::analysis::read_column_heading;

namespace {

/// Returns the quantity and unit if the column is measured. For any other column, returns the name
/// of the axis in quotation marks.
std::string meaning_of(const std::string& text) {
  const ColumnHeading heading = read_column_heading(text);
  if (!heading.problem.empty()) return heading.problem;
  if (!heading.is_measured) return "'" + heading.name + "'";
  const std::string statistic = heading.statistic.empty() ? "" : "@" + heading.statistic;
  return heading.name + statistic + " [" + heading.unit + "]";
}

struct HeadingCase {
  const char* heading;
  const char* meaning;
};

}  // namespace

TEST_CASE("rates are recognised by their names, by their units and by names that are units") {
  for (const auto& [heading, meaning] : std::vector<HeadingCase>{
           {"Throughput [img/s]", "throughput [img/s]"},
           {"Throughput (images/sec)", "throughput [images/sec]"},
           {"Throughput (k img/s)", "throughput [k img/s]"},
           {"Throughput(samples/s)", "throughput [samples/s]"},
           {"Throughput, img/s", "throughput [img/s]"},
           {"throughput_img_per_s", "throughput [img per s]"},
           {"Throughput in images/s", "throughput [images/s]"},
           {"Avg. training throughput (tokens/s)", "throughput [tokens/s]"},
           {"Throughput (fp16) [img/s]", "throughput@fp16 [img/s]"},
           {"images/sec", "throughput [images/sec]"},
           {"samples_per_s", "throughput [samples per s]"},
           {"Images per second (img/s)", "throughput [img/s]"},
           {"tokens/s [tokens/s]", "throughput [tokens/s]"},
           {"FPS", "throughput [FPS]"},
           {"Speed (img/s)", "throughput [img/s]"},
           {"Throughput [img/s/GPU]", "throughput_per_gpu [img/s/GPU]"},
           {"Throughput per GPU [img/s]", "throughput_per_gpu [img/s]"},
           {"Throughput (img/s) per GPU", "throughput_per_gpu [img/s]"},
           {"Throughput/device [img/s]", "throughput_per_gpu [img/s]"},
           {"images/s/GPU", "throughput_per_gpu [images/s/GPU]"},
           {"Throughput [img/s/node]", "throughput_per_node [img/s/node]"},
       }) {
    INFO(heading);
    CHECK(meaning_of(heading) == meaning);
  }
}

TEST_CASE("times, speed-ups and efficiencies are recognised by their common names") {
  for (const auto& [heading, meaning] : std::vector<HeadingCase>{
           {"Time/epoch [s]", "epoch_time [s]"},
           {"seconds per epoch [s]", "epoch_time [s]"},
           {"s/epoch", "epoch_time [s/epoch]"},
           {"Epoch time (min)", "epoch_time [min]"},
           {"ms/step", "step_time [ms/step]"},
           {"sec per iteration", "step_time [sec per iteration]"},
           {"Iteration time, ms", "step_time [ms]"},
           {"time_s", "time [s]"},
           {"Total time (hours)", "Total time [hours]"},
           {"Speedup over baseline", "speedup [1]"},
           {"Speed-up vs. 1 GPU", "speedup [1]"},
           {"Speedup relative to 8 GPUs", "speedup [1]"},
           {"Relative speedup (x)", "speedup [x]"},
           {"Weak scaling efficiency", "efficiency [1]"},
           {"Eff. (%)", "efficiency [%]"},
           {"Efficiency %", "efficiency [%]"},
           {"Throughput@median [img/s]", "throughput@median [img/s]"},
           {"train_time [s]", "train_time [s]"},
       }) {
    INFO(heading);
    CHECK(meaning_of(heading) == meaning);
  }
}

TEST_CASE("speed-ups over other programs and ideal speed-ups are not checked by rules") {
  CHECK(meaning_of("Speedup over Horovod") == "'Speedup over Horovod'");
  CHECK(meaning_of("Ideal speedup") == "Ideal speedup [1]");
  CHECK(meaning_of("Speedup (ideal)") == "'Speedup (ideal)'");
  CHECK(meaning_of("Linear throughput [img/s]") == "Linear throughput [img/s]");
}

TEST_CASE("scaling axes are recognised with vendors, models and words for counts") {
  for (const auto& [heading, axis] :
       std::vector<HeadingCase>{{"GPUs", "gpus"},           {"# GPUs", "gpus"},
                                {"#GPU", "gpus"},           {"Number of GPUs", "gpus"},
                                {"No. of GPUs", "gpus"},    {"num_gpus", "gpus"},
                                {"ngpus", "gpus"},          {"GPU count", "gpus"},
                                {"A100 GPUs", "gpus"},      {"NVIDIA H100 80GB GPUs", "gpus"},
                                {"MI250X GCDs", "gpus"},    {"GPUs (total)", "gpus"},
                                {"Cores", "cores"},         {"CPU cores", "cores"},
                                {"World size", "ranks"},    {"MPI ranks", "ranks"},
                                {"Processes", "processes"}, {"# workers", "workers"},
                                {"GPU nodes", "nodes"},     {"Nodes", "nodes"}}) {
    INFO(heading);
    CHECK(meaning_of(heading) == "'" + std::string(axis) + "'");
  }
  for (const char* heading : {"GPU", "8 GPUs", "GPUs per node", "GPUs (per node)", "num_workers",
                              "idle GPUs", "GPU memory", "Node"}) {
    INFO(heading);
    CHECK(meaning_of(heading) == "'" + std::string(heading) + "'");
  }
  CHECK_FALSE(known_scaling_axis(""));
}

TEST_CASE("headings of settings are axes, and others without a unit are guesses") {
  for (const char* heading :
       {"Batch size", "batch_per_gpu", "Batch (images)", "Params (M)", "Epochs", "GPUs per node",
        "sequence length", "Learning rate", "seed"}) {
    INFO(heading);
    CHECK_FALSE(read_column_heading(heading).is_measured);
    CHECK_FALSE(read_column_heading(heading).is_guess);
  }
  for (const char* heading : {"Result", "Wert", "Latency", "Horovod", "seconds"}) {
    INFO(heading);
    CHECK(read_column_heading(heading).is_guess);
  }
}

TEST_CASE("an unreadable heading gives a reason") {
  CHECK(meaning_of("Throughput (fp16)") ==
        "column \"Throughput (fp16)\" has no unit: write the unit in brackets, for example "
        "\"Throughput (fp16) [image/s]\"");
  CHECK(meaning_of("Throughput (min)").find("has no unit") != std::string::npos);
  CHECK(meaning_of("time [bananas]") == "unknown unit \"bananas\"");
  CHECK(meaning_of("time [s") == "\"time [s\": ] is missing");
  CHECK(meaning_of("") == "the column has no name");
}
