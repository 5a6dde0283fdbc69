// SPDX-License-Identifier: Apache-2.0
// Tests of a data set with 100,000 tiny files.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/picture_pool.hpp"
#include "trainer/data/sampler.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kFiles = 100'000, kClasses = 10, kRanks = 4;

/// Writes one image per class and links it under all other names, so that creating the files takes
/// only seconds.
void write_names(const fs::path& root) {
  for (std::int64_t label = 0; label < kClasses; ++label) {
    const fs::path folder = root / "train" / fmt::format("class{}", label);
    const fs::path first = folder / "000000.png";
    test::write_png(first, 3, 5, static_cast<unsigned char>(20 * label));
    for (std::int64_t i = 1; i < kFiles / kClasses; ++i) {
      const fs::path name = folder / fmt::format("{:06}.png", i);
      if (::link(first.c_str(), name.c_str()) != 0) FAIL("no link " << name);
    }
    test::write_png(root / "val" / folder.filename() / "0.png", 3, 5, 1);
  }
}

trainer::Dataset load_many(const fs::path& root) {
  const contract::DatasetSpec spec{.kind = "image_folder", .path = root, .image_size = 8};
  return base::find(trainer::dataset_table(), "dataset", spec.kind).load(spec);
}

/// Returns the bytes that this process has allocated with malloc and not freed, or 0 if a sanitizer
/// replaces malloc.
std::size_t bytes_in_use() {
  const struct mallinfo2 facts = ::mallinfo2();
  return facts.uordblks + facts.hblkhd;
}

/// Returns the samples of an epoch, one rank after another.
std::vector<std::int64_t> order_of_ranks(int epoch) {
  std::vector<std::int64_t> all;
  for (int rank = 0; rank < kRanks; ++rank) {
    const trainer::DistributedSampler sampler(
        {.samples = kFiles, .global_batch = 400, .rank = rank, .world_size = kRanks, .seed = 5});
    const auto mine = sampler.samples_of(epoch);
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

/// Checks the first byte of each image in a batch of single-colour images.
void check_batch(const trainer::Dataset& set, const trainer::PictureBatch& batch,
                 std::int64_t image_bytes) {
  for (std::size_t i = 0; i < batch.taken.size(); ++i) {
    const auto label = set.train.labels[static_cast<std::size_t>(batch.taken[i])];
    REQUIRE(batch.out[static_cast<std::int64_t>(i) * image_bytes] == 20 * label);
  }
}

}  // namespace

TEST_CASE(
    "a data set of 100,000 files keeps little more than names and uses each file once per epoch") {
  const test::TempDir folder;
  write_names(folder.path());
  const std::size_t before = bytes_in_use();
  const trainer::Dataset set = load_many(folder.path());
  CHECK(bytes_in_use() < before + 48 * kFiles);
  REQUIRE(set.train.size() == kFiles);
  std::vector<std::int64_t> order = order_of_ranks(3);
  std::vector<std::int64_t> sorted = order, each(kFiles);
  std::iota(each.begin(), each.end(), 0);
  std::ranges::sort(sorted);
  CHECK((sorted == each));
  CHECK_FALSE((order == order_of_ranks(4)));

  const base::SystemClock clock;
  const trainer::PictureRecipe recipe{.side = 8, .shorter_side = 8};
  trainer::PicturePool pool({*set.train.pictures, recipe, clock, /*threads=*/4});
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(100 * recipe.bytes()));
  std::size_t settled = 0;
  for (int step = 0; step < 50; ++step) {
    const auto first = order.begin() + 100 * step;
    pool.ask({{first, first + 100}, 3, memory.data()});
    check_batch(set, pool.wait(), recipe.bytes());
    if (step == 9) settled = bytes_in_use();
  }
  CHECK(bytes_in_use() < settled + (std::size_t{1} << 16));
  CHECK(pool.work().bytes >= 50 * 100 * 60);  // files were opened on demand
}
