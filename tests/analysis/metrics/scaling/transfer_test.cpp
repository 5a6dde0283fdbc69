// SPDX-License-Identifier: Apache-2.0
// Tests that the published values of Banerjee and Shah, Princeton (2023), are reproduced.
#include "analysis/metrics/scaling/breakdown.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

namespace dlscale::analysis {
namespace {

constexpr double kImages = 60000;  // images in MNIST's training set

struct Backbone {
  const char* name;
  std::int64_t features, hidden;  ///< hidden width 0: a single linear layer
  std::int64_t parameters;        ///< published number of parameters
  std::int64_t volume;            ///< transferred values per epoch at B = 1024, k = 4
};

constexpr Backbone kBackbones[] = {
    {"SqueezeNet1.0", 512, 0, 5130, 75146},        {"ResNet18", 512, 0, 5130, 75146},
    {"AlexNet", 9216, 4096, 54575114, 799440146},  {"DenseNet121", 1024, 4096, 21020682, 307920146},
    {"VGG16", 25088, 4096, 119586826, 1751760146}, {"VGG16", 25088, 2048, 55599114, 814440146},
    {"VGG16", 25088, 1024, 26750986, 391860146}};

/// Returns the number of parameters of a classifier with two hidden layers of width `hidden` and
/// ten outputs.
std::int64_t classifier_parameters(std::int64_t features, std::int64_t hidden) {
  if (hidden == 0) return features * 10 + 10;
  return features * hidden + hidden + hidden * hidden + hidden + hidden * 10 + 10;
}

double published_at(double batch, int gpus) {
  return published_values_per_epoch(kImages, batch * gpus, 119586826);
}

/// Returns the value in units of 10^9, rounded to three decimals as in the published tables.
double giga(double value) {
  return std::round(value / 1e6) / 1e3;
}

}  // namespace

TEST_CASE("the published trainable parameters and volumes are reproduced") {
  for (const Backbone& row : kBackbones) {
    INFO(row.name << " " << row.hidden);
    CHECK(classifier_parameters(row.features, row.hidden) == row.parameters);
    const double values =
        published_values_per_epoch(kImages, 4 * 1024, static_cast<double>(row.parameters));
    CHECK(std::floor(values) == static_cast<double>(row.volume));
  }
}

TEST_CASE("volumes of VGG16 by GPUs and batch are reproduced, and so are the bytes of a ring") {
  struct Row {
    double batch;
    int gpus;
    double values, bytes, ring;  ///< in units of 10^9
  };
  const Row rows[] = {{1024, 1, 7.007, 28.028, 0},       {1024, 2, 3.504, 14.014, 14.014},
                      {1024, 3, 2.336, 9.343, 12.457},   {1024, 4, 1.752, 7.007, 10.511},
                      {64, 4, 28.028, 112.113, 168.169}, {128, 4, 14.014, 56.056, 84.084},
                      {256, 4, 7.007, 28.028, 42.042},   {512, 4, 3.504, 14.014, 21.021}};
  for (const Row& row : rows) {
    INFO(row.batch << " " << row.gpus);
    const double values = published_at(row.batch, row.gpus);
    CHECK(giga(values) == Approx(row.values));
    CHECK(giga(values * kFp32Bytes) == Approx(row.bytes));
    const double steps = kImages / (row.batch * row.gpus);
    CHECK(giga(ring_bytes_per_epoch(steps, row.gpus, 119586826)) == Approx(row.ring));
  }
}

}  // namespace dlscale::analysis
