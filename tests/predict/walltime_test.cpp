// SPDX-License-Identifier: Apache-2.0
#include "predict/walltime.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::predict;

TEST_CASE("throughput at a measured GPU count is the slowest measurement") {
  const auto at = throughput_at({{8, 900}, {4, 500}, {8, 800}}, 8);
  REQUIRE(at);
  CHECK(at->samples_per_s == 800);
  CHECK_FALSE(at->extrapolated);
}

TEST_CASE("throughput between two measured counts is interpolated on log-log axes") {
  const auto at = throughput_at({{4, 400}, {64, 1600}}, 16);
  REQUIRE(at);
  CHECK(at->samples_per_s == Approx(800));  // exponent log 4 / log 16 = 1/2
  CHECK_FALSE(at->extrapolated);
  CHECK(throughput_at({{4, 400}, {64, 6400}}, 12)->samples_per_s == Approx(1200));
}

TEST_CASE("throughput outside the measured counts is linear and marked as extrapolated") {
  const std::vector<Throughput> measured{{4, 400}, {16, 1200}, {16, 1300}};
  CHECK(throughput_at(measured, 64)->samples_per_s == Approx(4800));
  CHECK(throughput_at(measured, 64)->extrapolated);
  CHECK(throughput_at(measured, 1)->samples_per_s == Approx(100));
  CHECK(throughput_at(measured, 1)->extrapolated);
  CHECK_FALSE(throughput_at({}, 4));
}

TEST_CASE("estimates grow with the GPU count if measurements do") {
  const std::vector<Throughput> measured{{2, 150}, {4, 280}, {16, 1000}, {128, 6000}};
  double before = 0;
  for (int gpus = 1; gpus <= 512; ++gpus) {
    const double now = throughput_at(measured, gpus)->samples_per_s;
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("the size is known only for fixed data sets") {
  CHECK(known_train_samples("mnist") == 60'000);
  CHECK(known_train_samples("fashion_mnist") == 60'000);
  CHECK(known_train_samples("cifar10") == 50'000);
  CHECK(known_train_samples("synthetic_digits") == 6'000);
  CHECK(known_train_samples("synthetic") == 1'024);
  CHECK(known_train_samples("text_ag_news") == 120'000);
  CHECK(known_train_samples("text_sst") == 6'920);
  CHECK(known_train_samples("text_trec") == 5'452);
  CHECK(known_train_samples("text_multi30k") == 29'000);
  CHECK_FALSE(known_train_samples("image_folder"));
}

TEST_CASE("an epoch has the requested samples, or all samples of the data set") {
  CHECK(train_samples({.kind = "text_sst", .train_samples = 100}) == 100);
  CHECK(train_samples({.kind = "image_folder", .train_samples = 100}) == 100);
  CHECK(train_samples({.kind = "text_ag_news"}) == 120'000);
  CHECK_FALSE(train_samples({.kind = "image_folder"}));
}

TEST_CASE("the training samples of a fold are counted exactly") {
  for (const int folds : {2, 5, 7}) {
    for (int fold = 1; fold <= folds; ++fold) {
      int trained = 0;
      for (int i = 0; i < 5452; ++i) trained += i % folds != fold - 1 ? 1 : 0;
      CHECK(train_samples({.kind = "text_trec", .folds = folds, .fold = fold}) == trained);
    }
  }
}

TEST_CASE("the number of samples of some classes or of files is not known") {
  CHECK_FALSE(train_samples({.kind = "mnist", .first_classes = 2}));
  CHECK(train_samples({.kind = "mnist", .train_samples = 50, .first_classes = 2}) == 50);
  CHECK(train_samples({.kind = "synthetic_digits", .first_classes = 2}) == 6'000);
  CHECK_FALSE(train_samples({.kind = "text_ag_news", .folds = 5, .fold = 1}));
  CHECK_FALSE(train_samples({.kind = "image_folder", .folds = 5, .fold = 1}));
}

TEST_CASE("a walltime is the prediction with margin and start-up, rounded up to minutes") {
  CHECK(walltime_s(600, 1.5) == 17 * 60);  // 900 s + 120 s
  CHECK(walltime_s(600.1, 1.5) == 18 * 60);
  CHECK(walltime_s(1, 1) == 3 * 60);
}
