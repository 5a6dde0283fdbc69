// SPDX-License-Identifier: Apache-2.0
// Tests of the loader native, from files to batches and training.
#include "trainer/data/picture_loader.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "base/error.hpp"
#include "images/packing.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/thread_launch.hpp"
#include "trainer/data/device_copy.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

/// Writes single-colour images of many sizes. Sample i has class i % 2 and grey value 10 i.
void write_pictures(const std::filesystem::path& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const auto name = std::string(i % 2 == 0 ? "ant/" : "bee/") + std::to_string(100 + i);
    test::write_png(folder / "train" / (name + ".png"), 9 + i, 30 - i,
                    static_cast<unsigned char>(10 * i));
    test::write_jpeg(folder / "val" / (name + ".jpg"), 20, 12 + i,
                     static_cast<unsigned char>(10 * i));
  }
}

struct Pictures {
  test::TempDir folder;
  trainer::Dataset set;
  Pictures() {
    write_pictures(folder.path(), 8);
    set = base::find(trainer::dataset_table(), "dataset", "image_folder")
              .load({.kind = "image_folder", .path = folder.path(), .image_size = 8});
  }
  trainer::LoaderContext context() const {
    trainer::LoaderContext context{.dataset = set, .split = set.train};
    context.pictures.side = 8;
    context.pictures.is_random = true;
    context.cores = 2;
    return context;
  }
};

double seen_as(const trainer::Dataset& set, int grey, int channel) {
  return (grey / 255.0 - set.mean[channel]) / set.deviation[channel];
}

}  // namespace

TEST_CASE("native delivers normalised samples in order, with a smaller last batch") {
  const Pictures pictures;
  for (const bool channels_last : {false, true}) {
    auto context = pictures.context();
    if (channels_last) context.pictures.layout = images::Layout::channels_last;
    const auto loader = trainer::make_picture_loader(context);
    for (int epoch = 0; epoch < 3; ++epoch) {
      loader->start({{4, 0, 7, 2, 1}, 2, epoch});
      for (const std::vector<int>& batch : {std::vector{4, 0}, {7, 2}, {1}}) {
        const auto images = loader->next();
        REQUIRE(images.input.sizes() == at::IntArrayRef{static_cast<int>(batch.size()), 3, 8, 8});
        for (std::size_t i = 0; i < batch.size(); ++i) {
          const auto pixel = images.input[static_cast<int>(i)][1][7][3].item<double>();
          CHECK(pixel == Approx(seen_as(pictures.set, 10 * batch[i], 1)).margin(1e-5));
          CHECK(images.target[static_cast<int>(i)].item<std::int64_t>() == batch[i] % 2);
        }
      }
      CHECK(loader->next().size() == 0);
    }
  }
}

TEST_CASE("bytes that are normalised on the device equal values that are normalised by threads") {
  const Pictures pictures;
  auto context = pictures.context();
  const auto numbers = trainer::make_picture_loader(context);
  context.options.hand_over = "uint8";
  const auto bytes = trainer::make_picture_loader(context);
  numbers->start({{3, 5, 6}, 3, 1});
  bytes->start({{3, 5, 6}, 3, 1});
  const auto raw = bytes->next();
  CHECK(raw.input.scalar_type() == at::kByte);
  const auto made = trainer::DeviceCopy(at::kCPU, pictures.set, Precision::fp32)(raw);
  const auto ready = numbers->next();
  CHECK(torch::allclose(made.input, ready.input, 1e-5, 1e-5));
  const auto as_is = trainer::DeviceCopy(at::kCPU, pictures.set, Precision::fp32)(ready);
  CHECK(as_is.input.data_ptr() == ready.input.data_ptr());  // nothing is copied
  CHECK(trainer::DeviceCopy(at::kCPU, pictures.set, Precision::fp64)(raw).input.scalar_type() ==
        at::kDouble);
}

TEST_CASE("a batch that is still in use is not overwritten") {
  const Pictures pictures;
  const auto loader = trainer::make_picture_loader(pictures.context());
  loader->start({{1, 2, 3, 4, 5, 6, 7}, 1});
  const auto kept = loader->next();
  const at::Tensor before = kept.input.clone();
  const void* first = loader->next().input.data_ptr();
  int used_again = 0;
  for (int i = 0; i < 5; ++i) used_again += loader->next().input.data_ptr() == first ? 1 : 0;
  CHECK(torch::equal(kept.input, before));
  CHECK(used_again > 0);
}

TEST_CASE("the loader uses at most two batch buffers more than it prefetches") {
  const Pictures pictures;
  auto context = pictures.context();
  context.options.prefetch = 3;
  const auto loader = trainer::make_picture_loader(context);
  std::set<const void*> places;
  for (int epoch = 0; epoch < 4; ++epoch) {
    loader->start({{0, 1, 2, 3, 4, 5, 6, 7}, 1, epoch});
    for (int batch = 0; batch < 8; ++batch) places.insert(loader->next().input.data_ptr());
  }
  CHECK(places.size() <= 3 + 2);
}

TEST_CASE("a broken image ends training with its name, or is replaced by the next image") {
  const Pictures pictures;
  const auto broken = pictures.folder / "train/bee/103.png";
  test::write_text(broken, "no picture");
  auto context = pictures.context();
  auto loader = trainer::make_picture_loader(context);
  loader->start({{0, 3, 5}, 1});
  CHECK(loader->next().size() == 1);
  CHECK_THROWS_WITH(loader->next(), Catch::StartsWith("cannot read " + broken.string() +
                                                      ": neither a JPEG nor a PNG file"));
  context.options.on_broken = "skip";
  loader = trainer::make_picture_loader(context);
  loader->start({{0, 3, 5}, 3});
  // Sample 4 replaces sample 3.
  CHECK(torch::equal(loader->next().target, torch::tensor({0, 0, 1})));
  CHECK(loader->take_work().skipped_samples == 1);
  CHECK(loader->take_work().skipped_samples == 0);
  context.is_evaluation = true;
  loader = trainer::make_picture_loader(context);
  loader->start({{3}, 1});
  CHECK_THROWS_AS(loader->next(), base::RunError);
}

namespace {

contract::RunSpec picture_run(const std::filesystem::path& folder, const std::string& framework,
                              int ranks) {
  contract::RunSpec spec;
  spec.run_id = "run";
  spec.framework = framework;
  spec.loader = "native";
  spec.precision = "fp64";
  spec.dataset = {.kind = "image_folder", .path = folder, .random_flip = true, .image_size = 8};
  spec.gpus = ranks;
  spec.batch_per_gpu = 4 / ranks;
  spec.global_batch = 4;
  spec.epochs = 2;
  spec.lr = {.base = 0.1, .peak = 0.1};
  spec.window_steps = 2;
  return spec;
}

}  // namespace

TEST_CASE("every style on two ranks trains from image files like one rank, with any threads") {
  test::TempDir folder;
  write_pictures(folder.path(), 8);
  auto alone = picture_run(folder.path(), "synchronous", 1);
  const std::string learnt = test::run(alone).parameters;
  REQUIRE_FALSE(learnt.empty());
  alone.loader_options.threads = 3;
  CHECK(test::run(alone).parameters == learnt);
  for (const char* framework : {"synchronous", "ddp", "horovod", "deepspeed",
                                "vanilla_data_parallel", "layerwise", "pipeline"}) {
    INFO(framework);
    const auto end = test::run(picture_run(folder.path(), framework, 2));
    CHECK(end.outcome == contract::RunOutcome::Completed);
    CHECK(test::largest_difference(end.parameters, learnt) < 1e-9);
  }
}

TEST_CASE("training from TFRecord files gives the same parameters as from image files") {
  test::TempDir folder;
  write_pictures(folder.path(), 8);
  auto spec = picture_run(folder.path(), "synchronous", 2);
  const std::string learnt = test::run(spec).parameters;
  const auto classes = images::class_names_of_tree(folder.path());
  for (const std::string split : {"train", "val"}) {
    images::pack_tfrecords(folder / split, classes, folder.path(), images::tfrecord_split(split),
                           /*shards=*/3, {}, {.progress = [](std::int64_t, std::int64_t) {}});
  }
  spec.dataset.kind = "tfrecord";
  CHECK(test::run(spec).parameters == learnt);
}

TEST_CASE("a run with native that stops within an epoch resumes with the next sample") {
  test::TempDir folder;
  write_pictures(folder.path(), 16);
  const auto spec = picture_run(folder.path(), "synchronous", 2);
  CHECK(test::run_with_stop(spec).parameters == test::run(spec).parameters);
}

TEST_CASE("window records contain the work of the loader's threads") {
  test::TempDir folder;
  write_pictures(folder.path(), 8);
  int windows = 0;
  for (const auto& record : test::run(picture_run(folder.path(), "synchronous", 1)).records) {
    const auto* window = std::get_if<contract::StepWindow>(&record);
    if (window == nullptr) continue;
    ++windows;
    CHECK_THAT(window->extra, Catch::Contains("\"loader_busy_s\":"));
    CHECK_THAT(window->extra, Catch::Contains("\"loader_bytes\":"));
  }
  CHECK(windows > 0);
}
