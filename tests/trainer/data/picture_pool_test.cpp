// SPDX-License-Identifier: Apache-2.0
// Threads that make images, of pictures that are made up here.
#include "trainer/data/picture_pool.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "contract/run_outcome.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

constexpr int kSamples = 40;
constexpr images::Size kSize{30, 50};

/// Sample s is 30 x 50 pixels that differ from those of every other sample; some are broken.
struct MadeUp : PictureSource {
  struct Reader : PictureReader {
    explicit Reader(const MadeUp& source) : source(source) {}
    images::Size open(std::int64_t sample) override {
      if (source.broken.contains(sample)) throw images::BrokenPicture("torn in two");
      picture.reshape(kSize);
      for (int y = 0; y < kSize.height; ++y) {
        for (int x = 0; x < 3 * kSize.width; ++x) {
          picture.row(y)[x] = static_cast<std::uint8_t>(sample * 31 + y * 7 + x);
        }
      }
      read += 10;
      return kSize;
    }
    images::PictureView decode(const images::Box& part) override {
      return picture.view().part(part);
    }
    std::span<const std::uint8_t> encoded() const override { return {}; }
    std::int64_t bytes_read() const override { return read; }
    const MadeUp& source;
    images::Picture picture;
    std::int64_t read = 0;
  };
  std::unique_ptr<PictureReader> make_reader() const override {
    return std::make_unique<Reader>(*this);
  }
  std::string name(std::int64_t sample) const override { return "s" + std::to_string(sample); }
  std::set<std::int64_t> broken;
};

PictureRecipe recipe() {
  PictureRecipe recipe;
  recipe.side = 16;
  recipe.is_random = recipe.random_flip = true;
  recipe.seed = 9;
  return recipe;
}

struct Made {
  std::vector<std::int64_t> taken;
  std::vector<std::uint8_t> pixels;
  PoolWork work;
};

/// Batches of 8 of the samples, three under way at a time.
Made made_by(int threads, const MadeUp& source, std::int64_t replacements = 0, int epoch = 0) {
  const base::SystemClock clock;
  const PictureRecipe how = recipe();
  PicturePool pool({source, how, clock, threads, replacements});
  Made made;
  made.pixels.resize(static_cast<std::size_t>(kSamples * how.bytes()));
  int asked = 0, waited = 0;
  while (waited < kSamples / 8) {
    for (; asked < kSamples / 8 && asked < waited + 3; ++asked) {
      PictureBatch batch{.epoch = epoch, .out = &made.pixels[asked * 8 * how.bytes()]};
      for (int i = 0; i < 8; ++i) batch.taken.push_back((asked * 8 + i) * 7 % kSamples);
      pool.ask(std::move(batch));
    }
    const PictureBatch done = pool.wait();
    made.taken.insert(made.taken.end(), done.taken.begin(), done.taken.end());
    ++waited;
  }
  made.work = pool.work();
  return made;
}

}  // namespace

TEST_CASE("images are the same by 1, 2 and 8 threads, in the order asked for") {
  const MadeUp source;
  const Made alone = made_by(1, source);
  REQUIRE(alone.taken.size() == kSamples);
  for (int i = 0; i < kSamples; ++i) CHECK(alone.taken[i] == i * 7 % kSamples);
  for (const int threads : {2, 8}) {
    const Made together = made_by(threads, source);
    CHECK(together.taken == alone.taken);
    CHECK((together.pixels == alone.pixels));
  }
  CHECK(alone.work.bytes == 10 * kSamples);
  CHECK(alone.work.busy_s > 0);
}

TEST_CASE("images are cut and mirrored anew in each epoch, and by seed") {
  const MadeUp source;
  CHECK_FALSE((made_by(1, source, 0, 0).pixels == made_by(1, source, 0, 1).pixels));
  PictureRecipe how = recipe();
  int mirrored = 0;
  std::set<int> tops;
  for (int sample = 0; sample < 1000; ++sample) {
    const Cut cut = draw_cut(how, kSize, 3, sample);
    mirrored += cut.mirrored ? 1 : 0;
    tops.insert(cut.part.top);
    CHECK(draw_cut(how, kSize, 3, sample).part == cut.part);
  }
  CHECK(mirrored > 420);
  CHECK(mirrored < 580);
  CHECK(tops.size() > 10);
  const images::Box before = draw_cut(how, kSize, 3, 1).part;
  how.seed = 10;
  CHECK_FALSE(draw_cut(how, kSize, 3, 1).part == before);
}

TEST_CASE("a broken picture is the error of its batch, with its name") {
  MadeUp source;
  source.broken = {16, 30};  // of the second and of the third batch
  for (const int threads : {1, 4}) {
    try {
      made_by(threads, source);
      FAIL("no error");
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitData);
      CHECK(std::string(error.what()) ==
            "cannot read s16: torn in two; replace or remove it, or train with "
            "loader_options.on_broken = \"skip\"");
    }
  }
}

TEST_CASE("where broken pictures are skipped the next whole one takes their place, and it counts") {
  MadeUp source;
  source.broken = {16, 17, 39};
  for (const int threads : {1, 4}) {
    const Made made = made_by(threads, source, kSamples);
    CHECK(made.work.skipped == 3);
    for (int i = 0; i < kSamples; ++i) {
      const int asked = i * 7 % kSamples;
      CHECK(made.taken[i] == (asked == 16 || asked == 17 ? 18 : asked == 39 ? 0 : asked));
    }
  }
  for (int i = 0; i < kSamples; ++i) source.broken.insert(i);
  CHECK_THROWS_WITH(made_by(2, source, kSamples),
                    Catch::EndsWith("torn in two; nor any other picture of the training set"));
}

TEST_CASE("what is forgotten is not waited for, and its memory is left alone") {
  const MadeUp source;
  const base::SystemClock clock;
  const PictureRecipe how = recipe();
  PicturePool pool({source, how, clock, 3});
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint8_t> memory(static_cast<std::size_t>(8 * how.bytes()));
    pool.ask({{0, 1, 2, 3, 4, 5, 6, 7}, 0, memory.data()});
    pool.forget();
  }
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(how.bytes()));
  pool.ask({{5}, 0, memory.data()});
  CHECK(pool.wait().taken == std::vector<std::int64_t>{5});
}
