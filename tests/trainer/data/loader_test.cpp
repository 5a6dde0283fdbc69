// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/loader.hpp"

#include <torch/types.h>

#include <array>
#include <catch2/catch.hpp>

#include "contract/run_spec/vocabulary.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

/// Returns five images of 2 channels with 1x2 pixels. The pixels of image i are 10 i, 10 i + 1, ….
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

/// Returns texts of 2, 3 and 1 words with labels 0, 1 and 2.
trainer::Dataset three_texts() {
  trainer::Dataset set;
  set.classes = 3;
  set.words = 10;
  for (const std::vector<std::int32_t>& text :
       {std::vector{4, 5}, std::vector{7, 8, 9}, std::vector{6}}) {
    set.train.text.add(text);
  }
  set.train.labels = {0, 1, 2};
  return set;
}

}  // namespace

TEST_CASE("every image loader delivers normalised samples in order, with a smaller last batch") {
  const auto set = small_set();
  for (const auto* entry : trainer::loader_table()) {
    if (entry->samples != std::string("images") || entry->any_size) continue;
    const auto precision = GENERATE(Precision::fp32, Precision::fp64);
    INFO(entry->name);
    CHECK(contract::is_known("loader", entry->name));
    const auto loader = entry->make({set, set.train, precision});
    loader->start({{4, 0, 2}, 2});
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

TEST_CASE("the synthetic loader repeats its first batch for the requested number of samples") {
  const auto set = small_set();
  const auto loader =
      base::find(trainer::loader_table(), "loader", "synthetic").make({set, set.train});
  loader->start({{4, 0, 2, 1, 3}, 2});
  const auto first = loader->next();
  CHECK(torch::equal(first.target, torch::tensor({4, 0})));
  CHECK(first.input[0][1][0][1].item<double>() == Approx((43 / 255.0 - 0.4) / 2));
  CHECK(loader->next().input.data_ptr() == first.input.data_ptr());
  CHECK(torch::equal(loader->next().target, torch::tensor({4})));
  CHECK(loader->next().size() == 0);
  loader->start({{1, 1, 1}, 3});
  CHECK(loader->next().size() == 3);
  loader->start({{2}, 3});
  CHECK(loader->next().size() == 1);
}

TEST_CASE("every loader discards pending samples when it is restarted") {
  const auto images = small_set(), texts = three_texts();
  for (const auto* entry : trainer::loader_table()) {
    INFO(entry->name);
    CHECK(contract::is_known("loader", entry->name));
    if (entry->any_size) continue;
    const auto& set = entry->samples == std::string("text") ? texts : images;
    const auto loader = entry->make({set, set.train, Precision::fp32});
    loader->start({{0, 1, 2, 0}, 2});
    loader->next();
    loader->start({{2}, 8});
    const auto batch = loader->next();
    CHECK(batch.size() == 1);
    if (entry->samples != std::string("any")) CHECK(batch.target.item<std::int64_t>() == 2);
    CHECK(loader->next().size() == 0);
  }
}

TEST_CASE("the memory loader delivers the input as target if the input is to be reconstructed") {
  const auto set = small_set();
  const auto loader = base::find(trainer::loader_table(), "loader", "memory")
                          .make({.dataset = set, .split = set.train, .target_is_input = true});
  loader->start({{4, 0, 2}, 2});
  const auto batch = loader->next();
  CHECK(batch.size() == 2);
  CHECK(torch::equal(batch.target, batch.input));
}

TEST_CASE("the memory loader shifts images by seed, epoch and sample, independently of the batch") {
  auto set = small_set();
  set.shape = {1, 2, 2};
  set.mean = {0};
  set.deviation = {1 / 255.0};
  const trainer::Augmentation augmentation{.random_crop = 1, .random_flip = true, .seed = 7};
  const auto loader = base::find(trainer::loader_table(), "loader", "memory")
                          .make({.dataset = set,
                                 .split = set.train,
                                 .precision = Precision::fp64,
                                 .augmentation = augmentation});
  for (int epoch : {0, 1, 2}) {
    for (const std::int64_t sample : {3, 0, 4}) {
      loader->start({{1, sample}, 2, epoch});
      std::array<std::uint8_t, 4> expected{};
      trainer::shift_image(set.train.image(sample, set.shape), set.shape,
                           trainer::draw_shift(augmentation, epoch, sample), expected.data());
      const at::Tensor pixels = loader->next().input[1].flatten();
      for (int i = 0; i < 4; ++i) CHECK(pixels[i].item<double>() == Approx(expected[i]));
    }
  }
}

TEST_CASE("a crop that could remove a whole image is an error") {
  const auto set = small_set();
  const auto& entry = base::find(trainer::loader_table(), "loader", "memory");
  CHECK_THROWS_WITH(
      entry.make({.dataset = set, .split = set.train, .augmentation = {.random_crop = 1}}),
      "dataset.random_crop: is 1, but must be less than both sides of the images (1x2)");
}

TEST_CASE("texts are padded to the longest text of the batch, or of the split in evaluation") {
  const auto set = three_texts();
  const auto& entry = base::find(trainer::loader_table(), "loader", "text");
  auto loader = entry.make({.dataset = set, .split = set.train});
  loader->start({{2, 0, 1}, 2});
  const auto batch = loader->next();
  CHECK(torch::equal(batch.input, torch::tensor({{6, 0}, {4, 5}})));
  CHECK(torch::equal(batch.target, torch::tensor({2, 0})));
  CHECK(torch::equal(loader->next().input, torch::tensor({{7, 8, 9}})));
  loader = entry.make({.dataset = set, .split = set.train, .is_evaluation = true});
  loader->start({{2}, 2});
  CHECK(torch::equal(loader->next().input, torch::tensor({{6, 0, 0}})));
}

TEST_CASE("a text without words becomes a batch of padding") {
  trainer::Dataset set;
  set.words = 5;
  set.train.text.add({});
  set.train.labels = {1};
  const auto loader = base::find(trainer::loader_table(), "loader", "text")
                          .make({.dataset = set, .split = set.train});
  loader->start({{0}, 1});
  CHECK(torch::equal(loader->next().input, torch::tensor({{0}})));
}

TEST_CASE(
    "sentences and targets end with the end token, and decoder inputs start with the begin token") {
  trainer::Dataset set;
  set.words = set.target_words = 10;
  for (const std::vector<std::int32_t>& text : {std::vector{4, 5}, std::vector{6}}) {
    set.train.text.add(text);
    set.train.translation.add(std::vector(text.rbegin(), text.rend()));
  }
  const auto loader = base::find(trainer::loader_table(), "loader", "text")
                          .make({.dataset = set, .split = set.train});
  loader->start({{0, 1}, 2});
  const auto batch = loader->next();
  CHECK(batch.size() == 2);
  CHECK(torch::equal(batch.input, torch::tensor({{{4, 5, 3}, {2, 5, 4}}, {{6, 3, 0}, {2, 6, 0}}})));
  CHECK(torch::equal(batch.target, torch::tensor({{5, 4, 3}, {6, 3, 0}})));
}
