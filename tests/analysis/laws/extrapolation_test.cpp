// SPDX-License-Identifier: Apache-2.0
#include "analysis/laws/extrapolation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "tests/analysis/laws/ai4hpc_times.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::ai4hpc;

/// Mean absolute error of the average beyond `cut`, in percent.
double mean_error_percent(const LawData& known, const LawData& all) {
  const LawAverage average(known);
  double sum = 0;
  int count = 0;
  for (const LawPoint& point : all.points) {
    if (point.gpus <= known.last_gpus()) continue;
    sum += 100 * std::abs(average.predict(point.gpus).time / point.time - 1);
    ++count;
  }
  return sum / count;
}

}  // namespace

TEST_CASE("the laws' average extrapolates nine times and more: 2 % on DDP, 1 % on Horovod") {
  CHECK(mean_error_percent(ai4hpc("ddp", 256), ai4hpc("ddp")) <= 2);
  CHECK(mean_error_percent(ai4hpc("ddp", 64), ai4hpc("ddp")) <= 2);
  CHECK(mean_error_percent(ai4hpc("container", 128), ai4hpc("container")) <= 2);
  CHECK(mean_error_percent(ai4hpc("horovod", 256), ai4hpc("horovod")) <= 1);
  const double farthest = LawAverage(ai4hpc("horovod", 256)).predict(3664).time;
  CHECK(farthest == Approx(47.30).epsilon(0.01));
}

TEST_CASE("the published times are those of their file") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    std::cout << "skipped: DLSCALE_TEST_DATA is not set\n";
    return;
  }
  std::ifstream file(std::filesystem::path(data) / "reference/ai4hpc-2023-epoch-times.csv");
  std::string line;
  LawData ddp, horovod;
  while (std::getline(file, line)) {
    double gpus = 0;
    double time = 0;
    const auto of = [&](const char* prefix, LawData& series) {
      if (!line.starts_with(prefix)) return;
      const std::string format = std::string(prefix) + ",%lf,%lf";
      if (std::sscanf(line.c_str(), format.c_str(), &gpus, &time) == 2) {
        series.points.push_back({gpus, time});
      }
    };
    of("\"JUWELS Booster, 4 A100 per node\",DDP", ddp);
    of("\"JUWELS Booster, 4 A100 per node\",Horovod", horovod);
  }
  REQUIRE(ddp.points.size() == 12);
  REQUIRE(horovod.points.size() == 13);
  for (std::size_t i = 0; i < 12; ++i) CHECK(ddp.points[i].time == ai4hpc("ddp").points[i].time);
  for (std::size_t i = 0; i < 13; ++i) {
    CHECK(horovod.points[i].time == ai4hpc("horovod").points[i].time);
  }
}

TEST_CASE("weights add up to 1, and laws that grow like G have none") {
  const LawAverage average(ai4hpc("ddp", 256));
  double sum = 0;
  for (const WeightedFit& one : average.fits()) {
    sum += one.weight;
    CHECK((one.weight > 0) == form_of(*one.fit.law, Work::PerGpu).averaged);
    CHECK(one.intervals.size() == one.fit.coefficients.size());
    CHECK(one.intervals[0].low <= one.fit.coefficients[0]);
    CHECK(one.intervals[0].high >= one.fit.coefficients[0]);
  }
  CHECK(sum == Approx(1));
  CHECK(std::string(average.best().law->name) == "sqrt_ln");
  CHECK(std::string(LawAverage(ai4hpc("container", 128)).best().law->name) == "log2");
}

TEST_CASE("beyond eight times the largest count the interval spans all laws") {
  const LawAverage average(ai4hpc("ddp", 256));
  const Prediction near = average.predict(2048);
  const Prediction far = average.predict(2400);
  CHECK_FALSE(near.beyond);
  CHECK(far.beyond);
  CHECK(far.high - far.low > 3 * (near.high - near.low));
  CHECK(far.low <= 55.51);
  CHECK(far.high >= 55.51);
  CHECK(near.low <= near.time);
  CHECK(near.high >= near.time);
}

TEST_CASE("intervals within reach cover what a law with noise will measure") {
  std::mt19937_64 engine(51);
  std::normal_distribution<double> noise(0, 0.004);
  int covered = 0;
  constexpr int kTrials = 60;
  for (int i = 0; i < kTrials; ++i) {
    LawData data{Work::PerGpu, {}};
    const auto time = [&](double gpus) {
      return (50 + 0.4 * std::log2(gpus)) * std::exp(noise(engine));
    };
    for (const double gpus : {4, 8, 16, 32, 64, 128}) data.points.push_back({gpus, time(gpus)});
    const Prediction at = LawAverage(data).predict(512);
    const double measured = time(512);
    covered += at.low <= measured && measured <= at.high;
  }
  INFO(covered << " of " << kTrials);
  CHECK(covered >= 0.85 * kTrials);
}

TEST_CASE("times without noise are continued exactly, with an interval of no width") {
  LawData data{Work::Fixed, {}};
  for (const double gpus : {2, 4, 8, 16}) data.points.push_back({gpus, 100 / gpus});
  const Prediction at = LawAverage(data).predict(64);
  CHECK(at.time == Approx(100.0 / 64));
  CHECK(at.high - at.low < 1e-6);
}

TEST_CASE("too few, unordered or impossible points are refused") {
  CHECK_THROWS_WITH(LawAverage(ai4hpc("deep-esb", 2)), Contains("3 GPU counts"));
  CHECK_THROWS_WITH(LawAverage({Work::PerGpu, {{4, 1}, {2, 1}, {8, 1}}}), Contains("ascending"));
  CHECK_THROWS_WITH(LawAverage({Work::PerGpu, {{1, 1}, {2, 0}, {4, 1}}}), Contains("above 0"));
  CHECK_THROWS_AS(LawAverage(ai4hpc("ddp")).predict(0), base::RunError);
}

}  // namespace dlscale::analysis
