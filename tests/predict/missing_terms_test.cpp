// SPDX-License-Identifier: Apache-2.0
#include "predict/band.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "base/file.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

constexpr auto kPipeline = SampleSource::input_pipeline;
constexpr auto kMemory = SampleSource::memory;

/// Returns the rows "| site | loss | loss | gain |" of the first table of the committed
/// measurement.
std::vector<std::vector<std::string>> measured_rows() {
  std::istringstream text(
      base::read_text_file(DLSCALE_SOURCE_DIR "/docs/measurements/prediction_bands.md"));
  std::vector<std::vector<std::string>> rows;
  bool in_table = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| site |")) in_table = true;
    if (!line.starts_with("|")) {
      if (in_table && !rows.empty()) break;
      continue;
    }
    if (!in_table || line.starts_with("| site") || line.starts_with("|--")) continue;
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, '|');) {
      if (cell.size() > 2) cells.push_back(cell.substr(1, cell.size() - 2));
    }
    rows.push_back(cells);
  }
  return rows;
}

}  // namespace

TEST_CASE("the spreads match the committed measurement") {
  const auto rows = measured_rows();
  REQUIRE(rows.size() > 1);
  CHECK(rows[0][0] == "any other");
  for (const auto& row : rows) {
    INFO(row[0]);
    REQUIRE(row.size() == 4);
    CHECK(is_published_system(row[0]) == (row[0] != "any other"));
    CHECK(published_spread(kPipeline, row[0]).loss == Approx(std::stod(row[1])));
    CHECK(published_spread(kMemory, row[0]).loss == Approx(std::stod(row[2])));
    CHECK(published_spread(kMemory, row[0]).gain == Approx(std::stod(row[3])));
  }
}

TEST_CASE("a published system is left out of its own spread, and unknown sites use all") {
  CHECK(is_published_system("juwels-booster"));
  CHECK_FALSE(is_published_system("altec"));
  CHECK_FALSE(is_published_system(""));
  // The results of the other systems lie closer together if results that may have been measured on
  // JUWELS Booster are left out.
  CHECK(published_spread(kPipeline, "juwels-booster").loss <
        published_spread(kPipeline, "altec").loss);
  CHECK(published_spread(kPipeline, "").loss == published_spread(kPipeline, "altec").loss);
}

TEST_CASE("the spread of the other systems contains the published JUWELS Booster results") {
  const PublishedSpread spread = published_spread(kPipeline, "juwels-booster");
  const std::pair<int, double> published[] = {{1024, 0.76}, {1024, 0.68}, {512, 0.24},
                                              {256, 0.44},  {128, 0.33},  {128, 0.50}};
  for (const auto& [gpus, efficiency] : published) {
    INFO(gpus);
    const Factors cost = missing_cost(spread, 4, gpus);
    CHECK(1 / cost.high < efficiency);
    CHECK(efficiency < 1 / cost.low);
  }
}

TEST_CASE("the loader distinguishes samples in memory from an input pipeline") {
  contract::RunSpec run;
  for (const char* loader : {"memory", "synthetic"}) {
    run.loader = loader;
    CHECK(sample_source(run) == kMemory);
  }
  for (const char* loader : {"native", "packed", "dali_cpu", "dali_gpu", "text", ""}) {
    INFO(loader);
    run.loader = loader;
    CHECK(sample_source(run) == kPipeline);
  }
}

TEST_CASE("missing terms grow with the GPU count and are 0 up to the measured count") {
  const MissingTerms missing{{0.3, 0.02}, 8};
  CHECK_FALSE(missing.widen(8));
  CHECK(missing.widen(9));
  for (const int gpus : {1, 4, 8}) {
    CHECK(missing.of_step(gpus).high == 1);
    CHECK(missing.of_efficiency(1, gpus).low == 1);
  }
  double last = 1;
  for (const int gpus : {9, 16, 64, 1024}) {
    const Factors step = missing.of_step(gpus);
    CHECK(step.high > last);
    CHECK(step.low == Approx(std::exp(-0.02)));
    last = step.high;
  }
  CHECK(missing.of_step(16).high == Approx(std::exp(0.3)));
  CHECK(missing.of_efficiency(1, 32).low == Approx(std::exp(-0.6)));
}

TEST_CASE("efficiency between two unmeasured counts lacks only the terms between them") {
  const MissingTerms missing{{0.3, 0.02}, 1};
  CHECK(missing.of_efficiency(4, 16).low == Approx(std::exp(-0.6)));
  CHECK(missing.of_efficiency(4, 16).high == Approx(std::exp(0.02)));
  CHECK(missing.of_efficiency(16, 16).low == 1);
  CHECK(missing.of_efficiency(16, 16).high == 1);
}

TEST_CASE("a GPU count below the measured one can lose less") {
  const Factors cost = missing_cost({0.3, 0.02}, 8, 2);
  CHECK(cost.low == Approx(std::exp(-0.6)));
  CHECK(cost.high == Approx(std::exp(0.02)));
}

TEST_CASE("by default no terms are missing") {
  const MissingTerms missing;
  CHECK_FALSE(missing.widen(1024));
  CHECK(missing.of_step(1024).high == 1);
  CHECK(missing.of_efficiency(1, 1024).low == 1);
}
