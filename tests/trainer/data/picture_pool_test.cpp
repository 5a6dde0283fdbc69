// SPDX-License-Identifier: Apache-2.0
// Tests of the threads that decode images, with generated images.
#include "trainer/data/picture_pool.hpp"

#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "contract/run_outcome.hpp"
#include "tests/support/no_threads.hpp"

using namespace dlscale;
using namespace dlscale::trainer;

namespace {

constexpr int kSamples = 40;
constexpr images::Size kSize{30, 50};

/// Gate at which threads wait before they open an image, as long as the gate is closed.
class Gate {
 public:
  void close() { set(false); }
  void open() { set(true); }
  void pass() {
    std::unique_lock lock(mutex_);
    ++came_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
  }
  void wait_for(int threads) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return came_ >= threads; });
  }
  int came() const {
    const std::lock_guard lock(mutex_);
    return came_;
  }

 private:
  void set(bool is_open) {
    const std::lock_guard lock(mutex_);
    is_open_ = is_open;
    changed_.notify_all();
  }
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  int came_ = 0;
};

/// Source whose sample s is an image of 30 x 50 pixels that differs from all other samples. Samples
/// in `broken` cannot be opened.
struct MadeUp : PictureSource {
  struct Reader : PictureReader {
    explicit Reader(const MadeUp& source) : source(source) {}
    images::Size open(std::int64_t sample) override {
      source.gate.pass();
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
  std::string remedy() const override { return "mend it"; }
  std::set<std::int64_t> broken;
  mutable Gate gate;
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

/// Requests all samples in batches of 8, with at most three pending batches.
Made made_by(int threads, const MadeUp& source, BrokenPictures broken = {}, int epoch = 0) {
  const base::SystemClock clock;
  const PictureRecipe how = recipe();
  Made made;  // must outlive the threads that write to it
  PicturePool pool({source, how, clock, threads, broken});
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

/// Returns whether a thread of this process sleeps.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != line.npos && line.substr(name_end, 3) == ") S";
}

}  // namespace

TEST_CASE("images are the same with 1, 2 and 8 threads, in the requested order") {
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

TEST_CASE("crops and mirroring change with epoch and seed") {
  const MadeUp source;
  CHECK_FALSE((made_by(1, source, {}, 0).pixels == made_by(1, source, {}, 1).pixels));
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

TEST_CASE("a broken image fails its batch with an error that names the image") {
  MadeUp source;
  source.broken = {16, 30};  // the second batch contains sample 16 before sample 30
  for (const int threads : {1, 4}) {
    try {
      made_by(threads, source);
      FAIL("no error");
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitData);
      CHECK(std::string(error.what()) ==
            "cannot read s16: torn in two; mend it, or train with loader_options.on_broken = "
            "\"skip\"");
    }
  }
}

TEST_CASE("the error for a broken test image does not suggest on_broken") {
  MadeUp source;
  source.broken = {16};
  CHECK_THROWS_WITH(
      made_by(2, source, {.of_test_set = true}),
      "cannot read s16: torn in two; mend it; on_broken does not apply to the test set");
}

TEST_CASE("a lack of threads is an error that names the setting and the remedy") {
  const MadeUp source;
  const base::SystemClock clock;
  PicturePool pool({source, recipe(), clock, 3});
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(recipe().bytes()));
  try {
    const test::NoThreads full;
    pool.ask({{5}, 0, memory.data()});
    FAIL("no error");
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    CHECK_THAT(error.what(), Catch::StartsWith("loader_options.threads: only 0 of 3 decoding "
                                               "threads can be started: Resource temp") &&
                                 Catch::EndsWith("(ulimit -u)"));
  }
}

TEST_CASE("a skipped broken image is replaced by the next intact image and counted") {
  MadeUp source;
  source.broken = {16, 17, 39};
  for (const int threads : {1, 4}) {
    const Made made = made_by(threads, source, {kSamples});
    CHECK(made.work.skipped == 3);
    for (int i = 0; i < kSamples; ++i) {
      const int asked = i * 7 % kSamples;
      CHECK(made.taken[i] == (asked == 16 || asked == 17 ? 18 : asked == 39 ? 0 : asked));
    }
  }
  for (int i = 0; i < kSamples; ++i) source.broken.insert(i);
  CHECK_THROWS_WITH(
      made_by(2, source, {kSamples}),
      Catch::EndsWith("torn in two; no other image of the training set can be read either"));
}

TEST_CASE("forget() cancels pending batches, and their memory is not written afterwards") {
  const MadeUp source;
  source.gate.close();
  const base::SystemClock clock;
  const PictureRecipe how = recipe();
  PicturePool pool({source, how, clock, 3});
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(8 * how.bytes()));
  pool.ask({{0, 1, 2, 3, 4, 5, 6, 7}, 0, memory.data()});
  source.gate.wait_for(3);
  std::atomic<bool> has_forgotten = false;
  std::atomic<pid_t> id = 0;
  std::thread forgetting([&] {
    id = ::gettid();
    pool.forget();
    has_forgotten = true;
  });
  while (!has_forgotten && !sleeps(id)) std::this_thread::yield();
  CHECK_FALSE(has_forgotten.load());  // three threads still write to the memory
  source.gate.open();
  forgetting.join();
  CHECK(source.gate.came() == 3);  // the other five images were not started
  const std::vector<std::uint8_t> mark(memory.size(), 0xab);
  memory = mark;
  std::vector<std::uint8_t> other(static_cast<std::size_t>(how.bytes()));
  pool.ask({{5}, 0, other.data()});
  CHECK(pool.wait().taken == std::vector<std::int64_t>{5});
  CHECK((memory == mark));
}
