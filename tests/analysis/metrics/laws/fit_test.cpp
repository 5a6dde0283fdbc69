// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/fit.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/analysis/metrics/laws/ai4hpc_times.hpp"

namespace dlscale::analysis {
namespace {

using test::ai4hpc;

const ScalingLaw& law(const char* name) {
  return base::find(scaling_laws(), "scaling law", name);
}

LawData data_of(Work work, double (*time)(double gpus)) {
  LawData data{work, {}};
  for (const double gpus : {1, 2, 4, 8, 16, 32}) data.points.push_back({gpus, time(gpus)});
  return data;
}

struct Extrapolated {
  double mean_percent = 0;  ///< mean of the absolute errors beyond `cut`
  double last_percent = 0;  ///< error with sign at the largest GPU count
};

Extrapolated extrapolate(const char* name, const char* series, double cut) {
  const LawData known = ai4hpc(series, cut);
  const Fit fitted = fit(law(name), known).value();
  Extrapolated result;
  int count = 0;
  for (const LawPoint& point : ai4hpc(series).points) {
    if (point.gpus <= cut) continue;
    result.last_percent = 100 * (predicted_time(fitted, known, point.gpus) / point.time - 1);
    result.mean_percent += std::abs(result.last_percent);
    ++count;
  }
  result.mean_percent /= count;
  return result;
}

}  // namespace

TEST_CASE("every law recovers its own coefficients for both kinds of work") {
  const std::vector<double> chosen{3, 0.5, 0.01};
  for (const ScalingLaw* one : scaling_laws()) {
    for (const Work work : {Work::PerGpu, Work::Fixed}) {
      if (*form_of(*one, work).text == '\0') continue;
      INFO(one->name << ", work " << static_cast<int>(work));
      LawData data{work, {}};
      Fit made{one, {}};
      made.coefficients.assign(chosen.begin(), chosen.begin() + std::ssize(one->terms(2, 2, work)));
      for (const double gpus : {2, 4, 8, 16, 32}) data.points.push_back({gpus, 1});
      for (LawPoint& point : data.points) point.time = predicted_time(made, data, point.gpus);
      const Fit found = fit(*one, data).value();
      for (std::size_t i = 0; i < found.coefficients.size(); ++i) {
        CHECK(found.coefficients[i] == Approx(chosen[i]));
      }
      CHECK(found.residual < 1e-9);
      CHECK_FALSE(std::string(one->summary).empty());
    }
  }
}

TEST_CASE("a + b log2 G extrapolates the published times as well as published") {
  struct Row {
    const char* series;
    double cut, mean_percent, last_percent;
  };
  // Published fits minimise absolute errors, but the fits of this test minimise relative errors.
  // The tolerance is therefore 0.1.
  for (const Row& row :
       {Row{"ddp", 256, 1.15, -2.2}, Row{"ddp", 64, 0.68, -1.4}, Row{"horovod", 256, 0.72, 1.0},
        Row{"container", 128, 0.91, -1.3}, Row{"deep-esb", 8, 7.2, -7.2}}) {
    INFO(row.series << " up to " << row.cut);
    const Extrapolated found = extrapolate("log2", row.series, row.cut);
    CHECK(found.mean_percent == Approx(row.mean_percent).margin(0.1));
    CHECK(found.last_percent == Approx(row.last_percent).margin(0.1));
  }
}

TEST_CASE("laws that grow like G miss the published times by far and are not averaged") {
  CHECK(extrapolate("amdahl", "ddp", 256).last_percent == Approx(21.8).margin(0.5));
  CHECK(extrapolate("amdahl", "horovod", 256).last_percent == Approx(38.6).margin(0.5));
  CHECK(extrapolate("sqrt_ln", "ddp", 256).mean_percent == Approx(1.69).margin(0.1));
  CHECK_FALSE(law("amdahl").per_gpu.averaged);
  CHECK(law("amdahl").fixed.averaged);
}

TEST_CASE("coefficients are never negative") {
  const LawData faster = data_of(Work::PerGpu, [](double gpus) { return 10 - 0.1 * gpus; });
  for (const ScalingLaw* one : scaling_laws()) {
    const Fit found = fit(*one, faster).value();
    for (const double coefficient : found.coefficients) CHECK(coefficient >= 0);
  }
  CHECK(fit(law("amdahl"), faster)->coefficients[1] == 0);
}

TEST_CASE("Amdahl's serial part is recovered from strong scaling with any baseline") {
  const LawData data = data_of(Work::Fixed, [](double gpus) { return 2 + 30 / gpus; });
  CHECK(fit(law("amdahl"), data)->coefficients[1] == Approx(2));
  LawData from_four = data;
  from_four.points.erase(from_four.points.begin(), from_four.points.begin() + 2);
  const Fit found = fit(law("amdahl"), from_four).value();
  CHECK(found.coefficients[0] == Approx(30.0 / 4));
  CHECK(found.coefficients[1] == Approx(2));
}

TEST_CASE("a law that predicts a time of 0 for a measured count does not fit") {
  const LawData data{Work::Fixed, {{1, 100}, {2, 1}, {4, 10}, {8, 10}}};
  CHECK_FALSE(fit(law("log2"), data).has_value());
  CHECK(fit(law("amdahl"), data).has_value());
}

TEST_CASE("terms of very different size are fitted equally well") {
  LawData data{Work::PerGpu, {}};
  const Fit made{&law("usl"), {1, 1e-7, 1e-13}};
  for (const double gpus : {1, 10, 1000, 100'000, 1'000'000}) data.points.push_back({gpus, 1});
  for (LawPoint& point : data.points) point.time = predicted_time(made, data, point.gpus);
  const Fit found = fit(law("usl"), data).value();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(found.coefficients[i] == Approx(made.coefficients[i]).epsilon(1e-6));
  }
}

TEST_CASE("fits with too few points have no quality measures") {
  LawData data = ai4hpc("deep-esb", 4);
  CHECK(fit(law("log2"), data)->leave_one_out.has_value());
  CHECK_FALSE(fit(law("log2"), data)->aicc.has_value());
  CHECK_FALSE(fit(law("usl"), data)->leave_one_out.has_value());
  data.points.pop_back();
  CHECK_FALSE(fit(law("log2"), data)->leave_one_out.has_value());
  CHECK_FALSE(fit(law("usl"), data).has_value());
  CHECK_FALSE(fit(law("gustafson"), {Work::Fixed, data.points}).has_value());
  CHECK_FALSE(fit(law("log2"), {}).has_value());
}

TEST_CASE("more parameters cost more in Akaike's criterion") {
  const LawData data = ai4hpc("ddp", 256);
  CHECK(*fit(law("log2"), data)->aicc < *fit(law("constant"), data)->aicc);
  CHECK(*fit(law("log2"), data)->aicc < *fit(law("ring_latency"), data)->aicc);
}

}  // namespace dlscale::analysis
