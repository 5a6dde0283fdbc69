// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/loader.hpp"

#include <torch/torch.h>

#include <catch2/catch.hpp>

#include "contract/vocabulary.hpp"
#include "trainer/data/batch.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

/// Five images of 2 channels, 1x2; the pixels of image i are 10 i, 10 i + 1, ….
trainer::Dataset small_set() {
  trainer::Dataset set;
  set.shape = {2, 1, 2};
  set.classes = 5;
  set.mean = {0.1, 0.4};
  set.deviation = {0.5, 2};
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 4; ++k) set.train.pixels.push_back(static_cast<std::uint8_t>(10 * i + k));
    set.train.labels.push_back(static_cast<std::uint8_t>(i));
  }
  return set;
}

}  // namespace

TEST_CASE("every loader delivers the asked samples in order, normalised, the last batch smaller") {
  const auto set = small_set();
  for (const auto* entry : trainer::loader_table()) {
    if (entry->name == std::string("synthetic")) continue;  // asks for nothing
    const auto precision = GENERATE(Precision::fp32, Precision::fp64);
    INFO(entry->name);
    CHECK(contract::is_known("loader", entry->name));
    const auto loader = entry->make({set, set.train, precision});
    loader->start({4, 0, 2}, 2);
    const auto first = loader->next();
    CHECK(first.input.sizes() == at::IntArrayRef{2, 2, 1, 2});
    CHECK(first.input.scalar_type() == (precision == Precision::fp64 ? at::kDouble : at::kFloat));
    CHECK(first.input[0][1][0][1].item<double>() == Approx((43 / 255.0 - 0.4) / 2));
    CHECK(first.input[1][0][0][0].item<double>() == Approx(-0.2));
    CHECK(torch::equal(first.target, torch::tensor({4, 0})));
    const auto last = loader->next();
    CHECK(torch::equal(last.target, torch::tensor({2})));
    CHECK(loader->next().size() == 0);
  }
}

TEST_CASE("the synthetic loader delivers its first batch again and again, as often as asked") {
  const auto set = small_set();
  const auto loader =
      base::find(trainer::loader_table(), "loader", "synthetic").make({set, set.train});
  loader->start({4, 0, 2, 1, 3}, 2);
  const auto first = loader->next();
  CHECK(torch::equal(first.target, torch::tensor({4, 0})));
  CHECK(first.input[0][1][0][1].item<double>() == Approx((43 / 255.0 - 0.4) / 2));
  CHECK(loader->next().input.data_ptr() == first.input.data_ptr());
  CHECK(torch::equal(loader->next().target, torch::tensor({4})));
  CHECK(loader->next().size() == 0);
  loader->start({1, 1, 1}, 3);
  CHECK(loader->next().size() == 3);
  loader->start({2}, 3);
  CHECK(loader->next().size() == 1);
}

TEST_CASE("every loader starts anew when told to") {
  const auto set = small_set();
  for (const auto* entry : trainer::loader_table()) {
    INFO(entry->name);
    const auto loader = entry->make({set, set.train, Precision::fp32});
    loader->start({0, 1, 2, 3}, 2);
    loader->next();
    loader->start({3}, 8);
    const auto batch = loader->next();
    CHECK(batch.size() == 1);
    if (entry->name != std::string("synthetic")) CHECK(batch.target.item<std::int64_t>() == 3);
    CHECK(loader->next().size() == 0);
  }
}
