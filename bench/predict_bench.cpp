// SPDX-License-Identifier: Apache-2.0
// Benchmark of the errors of predictions on data that was not used for fitting. The program prints
// a Markdown row for each prediction.
// usage: DLSCALE_TEST_DATA=FOLDER [VTRAIN=CHECKOUT] predict_bench
// FOLDER contains scaling/nccl-tests-h100 and scaling/nccl-tests-polaris. CHECKOUT is a checkout of
// github.com/VIA-Research/vTrain, which contains tables of all-reduces below trace/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/import/reading/log_format.hpp"
#include "analysis/metrics/laws/extrapolation.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "predict/all_reduce_fit.hpp"
#include "predict/walltime.hpp"
#include "tests/analysis/metrics/laws/ai4hpc_times.hpp"
#include "tests/predict/nef_case.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

using Times = std::vector<contract::AllReduceTime>;

struct Errors {
  std::vector<double> values;  ///< predicted / measured - 1
  int in_band = 0;             ///< number of measurements within the predicted band
  void add(const predict::AllReduceEstimate& estimate, double measured_s) {
    const double ratio = estimate.time.value / measured_s, most = 1 + estimate.uncertainty();
    values.push_back(ratio - 1);
    if (ratio <= most && ratio >= 1 / most) ++in_band;
  }
  double median() const {
    std::vector<double> sizes;
    for (const double value : values) sizes.push_back(std::abs(value));
    std::sort(sizes.begin(), sizes.end());
    return sizes.empty() ? 0 : sizes[sizes.size() / 2];
  }
  double mean() const {
    double sum = 0;
    for (const double value : values) sum += std::abs(value);
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
  }
  double worst() const {
    double worst = 0;
    for (const double value : values) {
      if (std::abs(value) > std::abs(worst)) worst = value;
    }
    return worst;
  }
  double within(double limit) const {
    const auto good = std::count_if(values.begin(), values.end(),
                                    [&](double value) { return std::abs(value) <= limit; });
    return static_cast<double>(good) / static_cast<double>(std::max<std::size_t>(1, values.size()));
  }
};

void row(const std::string& what, const std::string& found, const std::string& target, bool met) {
  fmt::print("| {} | {} | {} | {} |\n", what, found, target, met ? "yes" : "**no**");
}

std::string errors_text(const Errors& errors) {
  return fmt::format("median {:.1f} %, mean {:.1f} %, worst {:+.1f} %, {} points",
                     100 * errors.median(), 100 * errors.mean(), 100 * errors.worst(),
                     errors.values.size());
}

std::string text_with_band(const Errors& errors) {
  return errors_text(errors) +
         fmt::format(", {:.0f} % of them in the band",
                     100.0 * errors.in_band / static_cast<double>(errors.values.size()));
}

/// Compares all-reduce times with values that were computed by hand from eq. (1) of Barrachina et
/// al. for 8 processes on their cluster ALTEC.
void unit_vectors() {
  const predict::Link altec{predict::microseconds(30), predict::gigabytes_per_s(12.24)};
  const std::pair<double, double> sizes_and_ms[] = {{531.5e6, 76.4106},
                                                    {553.4e6, 79.5417},
                                                    {102.2e6, 15.0319},
                                                    {31.9e6, 4.9809},
                                                    {500 * 1024.0, 0.4932},
                                                    {80 * 1024 * 1024.0, 12.4135},
                                                    {1024 * 1024 * 1024.0, 153.9370}};
  double worst = 0;
  for (const auto& [bytes, ms] : sizes_and_ms) {
    const double found = predict::ring_all_reduce(altec, 8, predict::Bytes{bytes}).value * 1e3;
    worst = std::max(worst, std::abs(found - ms));
  }
  row("all-reduce by eq. (1), 7 sizes", fmt::format("off by {:.4f} ms at most", worst), "0.1 ms",
      worst <= 0.1);
}

/// Returns the out-of-place all-reduces in a log of nccl-tests.
Times read_log(const fs::path& file) {
  const analysis::LogFormat& format = base::find(analysis::log_formats(), "format", "nccl_tests");
  const std::string text = base::read_file(file);
  Times times;
  const auto add_log = [&](const analysis::LogContent& log) {
    const auto number = [&](const char* fact) {
      const auto found = log.facts.find(fact);
      return found == log.facts.end() ? 0 : std::atoi(found->second.c_str());
    };
    for (const analysis::CollectiveResult& result : log.collectives) {
      const bool other = !result.collective.empty() && result.collective != "all_reduce";
      if (other || result.in_place || result.size_bytes < 1 || result.time_s <= 0) continue;
      times.push_back(
          {"one", std::max(1, number("nodes")), number("gpus"), result.size_bytes, result.time_s});
    }
  };
  const auto parts = format.parts(text);
  if (parts.empty()) add_log(format.read(text, {}));
  for (const analysis::LogPart& part : parts) add_log(format.read_part(text, part, {}));
  return times;
}

std::vector<fs::path> logs_below(const fs::path& folder, const std::string& begins) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(begins)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Omits the time of each size of at least 1 MiB in turn and predicts the omitted time from the
/// times of the other sizes. The first and the last size are never omitted.
void add_left_out(const Times& times, Errors& errors) {
  constexpr std::int64_t kLeast = 1 << 20;
  for (std::size_t i = 1; i + 1 < times.size(); ++i) {
    if (times[i].bytes < kLeast) continue;
    Times others = times;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const predict::Placement ranks{times[i].nodes, times[i].gpus};
    const auto estimate = predict::AllReduceTable(others).estimate(
        "one", ranks, predict::Bytes{static_cast<double>(times[i].bytes)});
    errors.add(estimate, times[i].seconds);
  }
}

/// Returns the setting in the name of a Polaris log. Polaris was measured with five settings of the
/// environment variables, in files "…dat.1" to "…dat.5".
std::string setting_of(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending.size() == 2 && ending[1] >= '1' && ending[1] <= '5'
             ? ", setting " + ending.substr(1)
             : "";
}

void all_reduces(const fs::path& data) {
  const std::pair<std::string, std::string> sets[] = {{"nccl-tests-h100", "nccl_"},
                                                      {"nccl-tests-polaris", "all_reduce_output"}};
  for (const auto& [folder, begins] : sets) {
    std::map<std::string, Errors> placements;
    for (const fs::path& file : logs_below(data / "scaling" / folder, begins)) {
      const Times times = read_log(file);
      if (times.size() < 3 || times.front().gpus < 2) continue;
      add_left_out(
          times, placements[fmt::format("{}, {} nodes with {} GPUs{}", folder, times.front().nodes,
                                        times.front().gpus, setting_of(file))]);
    }
    for (const auto& [name, errors] : placements) {
      row("all-reduce from 1 MiB, each size left out: " + name, text_with_band(errors),
          "≤ 5 % mean", errors.mean() <= 0.05);
    }
  }
}

/// Predicts the times of sizes between powers of two in vTrain's tables, which have rows for 1,024
/// sizes of each placement (bytes, number, name, ns). The model is built from the times of sizes
/// that are powers of two.
void sizes_between(const fs::path& vtrain) {
  for (const char* device : {"a100", "v100"}) {
    Errors errors;
    for (int gpus = 2; gpus <= 8; ++gpus) {
      std::ifstream file(vtrain / "trace" / device / fmt::format("AR_GPU{}_1M_1024M_LUT", gpus));
      Times shown, held_out;
      for (std::string line; std::getline(file, line);) {
        long long bytes = 0;
        double ns = 0;
        if (std::sscanf(line.c_str(), "%lld,%*d,%*[^,],%lf", &bytes, &ns) != 2) continue;
        const bool is_power = (bytes & (bytes - 1)) == 0;
        (is_power ? shown : held_out).push_back({"one", 1, gpus, bytes, ns * 1e-9});
      }
      if (shown.size() < 3) continue;
      const predict::AllReduceTable table(shown);
      for (const contract::AllReduceTime& time : held_out) {
        const predict::Bytes bytes{static_cast<double>(time.bytes)};
        errors.add(table.estimate("one", {1, gpus}, bytes), time.seconds);
      }
    }
    if (errors.values.empty()) continue;
    row(fmt::format("all-reduce, 11 of 1,024 sizes shown: vTrain's {}, 2 to 8 GPUs", device),
        text_with_band(errors), "≤ 5 % mean", errors.mean() <= 0.05);
  }
}

/// Predicts all-reduces on 8 GPUs of a node from measurements on 4 GPUs on the same switch.
void next_count(const fs::path& data) {
  Times four, eight;
  for (const fs::path& file : logs_below(data / "scaling/nccl-tests-h100/single-node", "nccl_")) {
    for (const contract::AllReduceTime& time : read_log(file)) {
      (time.gpus == 4 ? four : eight).push_back(time);
    }
  }
  if (four.empty() || eight.empty()) return;
  const predict::AllReduceTable table(four);
  Errors errors;
  for (const contract::AllReduceTime& time : eight) {
    const auto estimate =
        table.estimate("one", {1, time.gpus}, predict::Bytes{static_cast<double>(time.bytes)});
    errors.add(estimate, time.seconds);
  }
  row("all-reduce on 8 H100 of a node, measured on 4", text_with_band(errors), "≤ 10 % mean",
      errors.mean() <= 0.1);
}

/// Predicts epoch times of long published series with the average of the scaling laws. The laws are
/// fitted to smaller GPU counts than the predicted counts.
void extrapolation() {
  struct Series {
    const char* name;
    double known;
  };
  for (const Series& series :
       {Series{"ddp", 256}, Series{"ddp", 64}, Series{"horovod", 256}, Series{"container", 64}}) {
    const analysis::LawAverage average(test::ai4hpc(series.name, series.known));
    Errors errors;
    double most = 0;
    for (const analysis::LawPoint& point : test::ai4hpc(series.name).points) {
      if (point.gpus <= series.known) continue;
      errors.values.push_back(average.predict(point.gpus).time / point.time - 1);
      most = point.gpus;
    }
    row(fmt::format("epoch of AI4HPC's {}, ≤ {:.0f} to {:.0f} GPUs ({:.0f}×)", series.name,
                    series.known, most, most / series.known),
        errors_text(errors), "mean ≤ 1 %, worst ≤ 2 %",
        errors.mean() <= 0.01 && std::abs(errors.worst()) <= 0.02);
  }
}

void memory() {
  const double gib = test::nef_allocated() / predict::kGibibyte;
  const double error = gib / test::kNefAllocatedGib - 1;
  row("NEF's out of memory, 10.55 GiB", fmt::format("{:.3f} GiB, {:+.1f} %", gib, 100 * error),
      "1 %", std::abs(error) <= 0.01);
}

/// Returns randomly drawn durations of runs of at least ten minutes, in seconds.
std::vector<double> drawn_times() {
  constexpr std::size_t kRuns = 2000;
  constexpr double kHour = 3600, kLeast = 600;
  std::mt19937_64 engine(2);
  std::lognormal_distribution<double> hours(0, 1);
  std::vector<double> times;
  while (times.size() < kRuns) {
    const double time = kHour * hours(engine);
    if (time >= kLeast) times.push_back(time);
  }
  return times;
}

struct Requests {
  int runs = 0;
  int timeouts = 0;
  std::vector<double> asked_by_used;
};

/// Simulates jobs one after the other. The walltime request of a job depends on the predicted time
/// and on the errors of the earlier jobs. The actual time of a job is the prediction with random
/// noise: steps vary by `deviation`, one run in ten uses a slower machine, and start-up takes 10 to
/// 90 s.
Requests simulate(const std::vector<double>& times, double deviation, unsigned seed) {
  constexpr std::size_t kTaught = 100;  // number of runs at the start that only train the margin
  std::mt19937_64 engine(seed);
  std::lognormal_distribution<double> step(0, deviation);
  std::uniform_real_distribution<double> unit(0, 1);
  Requests requests;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double slower = unit(engine) < 0.1 ? 1 + 0.1 * unit(engine) : 1;
    const double used = times[i] * step(engine) * slower + 10 + 80 * unit(engine);
    const auto request = predict::request_walltime(times[i], ratios, predict::kDefaultMargin);
    ratios.push_back(used / times[i]);
    if (i < kTaught) continue;
    ++requests.runs;
    if (used > request.seconds) ++requests.timeouts;
    requests.asked_by_used.push_back(request.seconds / used);
  }
  std::sort(requests.asked_by_used.begin(), requests.asked_by_used.end());
  return requests;
}

void walltimes() {
  const std::vector<double> times = drawn_times();
  for (const double deviation : {0.02, 0.05, 0.1}) {
    const Requests requests = simulate(times, deviation, 1);
    const double late = double(requests.timeouts) / requests.runs;
    const double median = requests.asked_by_used[requests.asked_by_used.size() / 2];
    row(fmt::format("walltime, the rule alone: {} drawn durations, noise of {:.0f} % drawn",
                    requests.runs, 100 * deviation),
        fmt::format("{:.1f} % timed out, median asked / used {:.2f}", 100 * late, median),
        "≤ 2 %, ≤ 1.25", late <= 0.02 && median <= 1.25);
  }
}

}  // namespace

int main() {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    fmt::print(stderr, "DLSCALE_TEST_DATA is not set: the folder of shared data\n");
    return 2;
  }
  fmt::print("| what, on what | found | target | met |\n|---|---|---|---|\n");
  unit_vectors();
  all_reduces(data);
  if (const char* vtrain = std::getenv("VTRAIN")) sizes_between(vtrain);
  next_count(data);
  extrapolation();
  memory();
  walltimes();
  return 0;
}
