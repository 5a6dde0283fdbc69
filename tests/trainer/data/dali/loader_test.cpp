// SPDX-License-Identifier: Apache-2.0
// Tests that compare the loader dali_cpu, using the real DALI, with the loader native.
#include <torch/types.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/dali/real_dali.hpp"
#include "trainer/data/dali/dali_loader.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/data/picture_files.hpp"
#include "trainer/data/picture_loader.hpp"
#include "trainer/data/sampler.hpp"

using namespace dlscale;
using trainer::Batch;
namespace fs = std::filesystem;

namespace {

constexpr int kSamples = 10;

/// Data set of ten JPEG files in two classes. A test can damage single files.
class Photographs {
 public:
  Photographs() {
    for (int i = 0; i < kSamples; ++i) test::write_numbered_jpeg(file(i), {60 + i, 80 - i}, i);
    load();
  }
  /// Returns the path of sample `i`.
  fs::path file(int i) const {
    return dir_ / "train" / (i % 2 == 0 ? "cat" : "dog") / (std::to_string(i) + ".jpg");
  }
  /// Truncates a file to its first 300 bytes.
  void cut(int i) const {
    constexpr std::size_t kBytes = 300;
    base::write_file_atomically(file(i), base::read_file(file(i)).substr(0, kBytes));
  }
  /// Damages a file such that its header is valid but its scan refers to a missing Huffman table.
  void spoil(int i) const {
    std::string bytes = base::read_file(file(i));
    const std::size_t scan = bytes.find("\xff\xda");
    bytes.at(scan + 6) = '\x33';  // table numbers of the first component
    base::write_file_atomically(file(i), bytes);
  }
  trainer::LoaderContext context(bool is_evaluation = false) const {
    trainer::LoaderContext context{.dataset = set_, .split = set_.train};
    context.is_evaluation = is_evaluation;
    context.pictures = {.side = 24,
                        .is_random = !is_evaluation,
                        .random_flip = true,
                        .shorter_side = 28,
                        .seed = 1};
    return context;
  }

 private:
  void load() {
    set_.shape = {3, 24, 24};
    set_.classes = 2;
    set_.mean = {0.485, 0.456, 0.406};
    set_.deviation = {0.229, 0.224, 0.225};
    const fs::path train = dir_ / "train";
    const auto files = images::class_files(train, {"cat", "dog"});
    for (const auto& found : files) set_.train.labels.push_back(found.label);
    set_.train.pictures =
        std::make_shared<trainer::PictureFiles>(train, images::ClassNames{"cat", "dog"}, files);
  }

  test::TempDir dir_;
  trainer::Dataset set_;
};

std::vector<Batch> all_of(trainer::Loader& loader, trainer::Delivery delivery) {
  loader.start(std::move(delivery));
  std::vector<Batch> batches;
  for (Batch batch = loader.next(); batch.size() > 0; batch = loader.next()) {
    batches.push_back(batch);
  }
  return batches;
}

at::Tensor images_of(const std::vector<Batch>& batches) {
  std::vector<at::Tensor> inputs;
  for (const Batch& batch : batches) inputs.push_back(batch.input);
  return torch::cat(inputs);
}

std::vector<Batch> dali_batches(const trainer::LoaderContext& context, trainer::Delivery delivery) {
  return all_of(*trainer::dali::make_dali_loader(context, false), std::move(delivery));
}

const trainer::Delivery kAll{
    .samples = {7, 0, 3, 4, 9, 1, 2, 8, 6, 5}, .batch_size = 4, .epoch = 2};

}  // namespace

TEST_CASE("dali_cpu delivers the requested samples in order, with a smaller last batch") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  const auto batches = dali_batches(photographs.context(), kAll);
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].input.sizes() == at::IntArrayRef{4, 3, 24, 24});
  CHECK(torch::equal(batches[0].target, torch::tensor({1, 0, 1, 0})));
  CHECK(torch::equal(batches[2].target, torch::tensor({0, 1})));
}

TEST_CASE("dali_cpu's images equal native's, except for rounding and crop edges") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  const bool is_evaluation = GENERATE(false, true);
  trainer::LoaderContext context = photographs.context(is_evaluation);
  context.options.hand_over = GENERATE("fp32", "uint8");
  context.pictures.layout = GENERATE(images::Layout::planes, images::Layout::channels_last);
  const auto theirs = dali_batches(context, kAll);
  const auto ours = all_of(*trainer::make_picture_loader(context), kAll);
  REQUIRE(theirs.size() == ours.size());
  const bool is_bytes = context.options.hand_over == "uint8";
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CHECK(theirs[i].input.scalar_type() == (is_bytes ? at::kByte : at::kFloat));
    CHECK(theirs[i].input.strides() == ours[i].input.strides());
    CHECK(torch::equal(theirs[i].target, ours[i].target));
  }
  const auto off = (images_of(theirs).to(at::kFloat) - images_of(ours).to(at::kFloat)).abs();
  const double step = is_bytes ? 1 : 1 / (255 * 0.224);
  CHECK(off.max().item<double>() <= (is_evaluation ? 2.5 : 20) * step);
  CHECK(off.mean().item<double>() <= 0.6 * step);
}

TEST_CASE("dali_cpu's images do not depend on threads, prefetch or batch size") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  const auto one = images_of(dali_batches(photographs.context(), kAll));
  trainer::LoaderContext context = photographs.context();
  context.options.threads = 3;
  context.options.prefetch = 4;
  trainer::Delivery all = kAll;
  all.batch_size = 3;
  CHECK(torch::equal(images_of(dali_batches(context, all)), one));
}

TEST_CASE("dali_cpu resumes in the middle of an epoch with the same images") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  const auto whole = images_of(dali_batches(photographs.context(), kAll));
  const auto loader = trainer::dali::make_dali_loader(photographs.context(), false);
  loader->start(kAll);
  loader->next();
  trainer::Delivery rest = kAll;  // pending samples are discarded
  rest.samples.erase(rest.samples.begin(), rest.samples.begin() + 4);
  CHECK(torch::equal(images_of(all_of(*loader, rest)), whole.narrow(0, 4, 6)));
  CHECK(torch::equal(images_of(all_of(*loader, kAll)), whole));
}

TEST_CASE("two ranks of dali_cpu see the samples of one rank, each sample once") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  std::vector<at::Tensor> of_two;
  std::vector<std::int64_t> seen;
  for (int rank = 0; rank < 2; ++rank) {
    const trainer::DistributedSampler sampler(
        {.samples = kSamples, .global_batch = kSamples, .rank = rank, .world_size = 2, .seed = 4});
    trainer::Delivery mine{.samples = sampler.samples_of(1), .batch_size = 5, .epoch = 1};
    seen.insert(seen.end(), mine.samples.begin(), mine.samples.end());
    of_two.push_back(images_of(dali_batches(photographs.context(), mine)));
  }
  const auto together = torch::cat(of_two);
  CHECK(torch::equal(images_of(dali_batches(photographs.context(), {seen, 10, 1})), together));
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

TEST_CASE("dali_cpu reports a truncated file when its batch is due") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  photographs.cut(1);  // sample 1 belongs to the second batch
  const auto loader = trainer::dali::make_dali_loader(photographs.context(), false);
  loader->start(kAll);
  CHECK(loader->next().size() == 4);
  try {
    loader->next();
    FAIL("nothing was thrown");
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    CHECK_THAT(error.what(), Catch::StartsWith("cannot read " + photographs.file(1).string()) &&
                                 Catch::Contains("loader_options.on_broken"));
  }
}

TEST_CASE("dali_cpu names the image that DALI rejected") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  photographs.spoil(1);
  const auto loader = trainer::dali::make_dali_loader(photographs.context(), false);
  loader->start(kAll);
  CHECK(loader->next().size() == 4);
  CHECK_THROWS_WITH(loader->next(), Catch::Contains(photographs.file(1).string()));
}

TEST_CASE("with on_broken skip, dali_cpu replaces a broken image by the next one and counts it") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  trainer::LoaderContext context = photographs.context();
  context.options.on_broken = "skip";
  GENERATE(false, true) ? photographs.cut(1) : photographs.spoil(1);
  const auto loader = trainer::dali::make_dali_loader(context, false);
  const auto batches = all_of(*loader, kAll);
  REQUIRE(batches.size() == 3);
  CHECK(torch::equal(batches[1].target, torch::tensor({1, 0, 0, 0})));
  // Sample 2 replaces sample 1 and appears twice.
  CHECK(torch::equal(batches[1].input[1], batches[1].input[2]));
  const trainer::LoaderWork work = loader->take_work();
  CHECK(work.skipped_samples == 1);
  CHECK(work.bytes > 0);
  CHECK(loader->take_work().bytes == 0);
}

TEST_CASE("work of dali_cpu for an evaluation does not count as training work") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  const auto training = trainer::dali::make_dali_loader(photographs.context(), false);
  const auto evaluation = trainer::dali::make_dali_loader(photographs.context(true), false);
  all_of(*training, kAll);
  CHECK(training->take_work().busy_s > 0);
  all_of(*evaluation, kAll);
  CHECK(training->take_work().busy_s == 0);
  CHECK(evaluation->take_work().busy_s > 0);
  training->start({});
  CHECK(training->take_work().busy_s == 0);
}

TEST_CASE("a broken image in a test set is an error even with on_broken skip") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  photographs.cut(4);
  trainer::LoaderContext context = photographs.context(/*is_evaluation=*/true);
  context.options.on_broken = "skip";
  CHECK_THROWS_WITH(dali_batches(context, kAll),
                    Catch::Contains(photographs.file(4).string()) &&
                        Catch::EndsWith("on_broken does not apply to the test set"));
}

TEST_CASE("a batch of dali_cpu stays valid after its loader is destroyed") {
  if (!test::real_dali()) return;
  const Photographs photographs;
  const auto batches = dali_batches(photographs.context(), kAll);
  const auto again = dali_batches(photographs.context(), kAll);
  CHECK(torch::equal(images_of(batches), images_of(again)));
}

TEST_CASE("dali_cpu rejects a data set in memory") {
  if (!test::real_dali()) return;
  const trainer::Dataset set{.mean = {0, 0, 0}, .deviation = {1, 1, 1}};
  CHECK_THROWS_WITH(trainer::dali::make_dali_loader({.dataset = set, .split = set.train}, false),
                    Catch::Contains("the data set is in memory; use \"memory\""));
}
