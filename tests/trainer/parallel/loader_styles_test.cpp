// SPDX-License-Identifier: Apache-2.0
// Tests of every loader in every style: the run trains, or reports why it cannot train.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/error.hpp"
#include "images/packing.hpp"
#include "images/record_file.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/data/loader.hpp"

using namespace dlscale;
using test::all;

namespace {

/// A kind of data with a suitable model.
struct Kind {
  std::string_view samples;  ///< value of LoaderEntry::samples
  bool any_size = false;     ///< value of LoaderEntry::any_size
  contract::DatasetSpec dataset;
  std::string model;
  bool is_one_block = false;  ///< whether the model cannot be cut into stages
};

/// Files of every kind of data, including record files of the images.
class Data {
 public:
  Data() {
    test::write_tree(folder_.path());
    const auto classes = images::class_names_of_tree(folder_.path());
    for (const std::string split : {"train", "val"}) {
      images::pack_split(folder_ / split, classes, images::record_file_of(folder_.path(), split),
                         {}, {.progress = [](std::int64_t, std::int64_t) {}});
    }
    for (const char* texts : {"text_sst", "text_multi30k"}) {
      test::write_samples(texts, folder_.path());
    }
  }
  Kind pictures() const {
    const contract::DatasetSpec set{
        .kind = "image_folder", .path = folder_.path(), .random_flip = true, .image_size = 8};
    return {"images", true, set, "cnn"};
  }
  std::vector<Kind> kinds() const {
    const std::string path = folder_.path();
    return {{"images", false, {"synthetic", "", 60, 30, "1x6x6", 5}, "cnn"},
            pictures(),
            {"text", false, {"text_sst", path, 60, 30}, "nbow"},
            {"text", false, {"text_multi30k", path, 60, 30}, "seq2seq", /*is_one_block=*/true}};
  }

 private:
  test::TempDir folder_;
};

/// Batch size and number of steps for the seven images of Data.
constexpr int kPictureBatch = 2, kPictureSteps = 4;

/// Returns a run of a few steps in two epochs. For image files, two threads crop the images at
/// random and mirror them.
contract::RunSpec with(contract::RunSpec spec, const trainer::LoaderEntry& loader,
                       const Kind& kind) {
  spec.loader = loader.name;
  spec.loader_options = {.threads = kind.any_size ? 2 : 0, .shuffle_window = 3};
  spec.dataset = kind.dataset;
  spec.model = kind.model;
  if (kind.samples == "text") spec.model_options = {.embedding = 6, .hidden = 5};
  if (kind.any_size) {
    spec.global_batch = kPictureBatch;
    spec.batch_per_gpu = kPictureBatch / spec.gpus;
  }
  spec.epochs = 2;
  return spec;
}

/// Returns the expected rejection of a run, or an empty string if the run must train.
std::string why_not(const contract::RunSpec& spec, const trainer::LoaderEntry& loader,
                    const Kind& kind) {
  const std::string_view delivers = loader.samples;
  if (loader.needs_gpu) return spec.loader;
  if (kind.is_one_block && test::cuts_models(spec.framework)) {
    return "model: seq2seq is a single block and cannot be divided into the 2 stages of " +
           spec.framework;
  }
  if (delivers != "any" && delivers != kind.samples) {
    return fmt::format("loader: {} delivers {}, but the data set {} contains {}; use ", loader.name,
                       delivers, kind.dataset.kind, kind.samples);
  }
  if (delivers != "any" && loader.any_size && !kind.any_size) {
    return fmt::format("dataset.image_size: is missing; the loader {} scales images of any size",
                       loader.name);
  }
  if (!loader.any_size && kind.any_size) {
    return fmt::format(
        "dataset.image_size: requires a loader that decodes images; {} does not scale images",
        loader.name);
  }
  return loader.why_missing ? loader.why_missing() : "";
}

std::string refusal_of(const contract::RunSpec& spec) {
  try {
    trainer::require_available(spec, "run.json");
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "";
}

/// Reports a loader that cannot be tried on this machine. Fails if DLSCALE_TEST_DALI=1.
void tell_of_missing(const trainer::LoaderEntry& loader) {
  const std::string why = loader.why_missing ? loader.why_missing() : "";
  if (why.empty() || loader.needs_gpu) return;
  const char* required = std::getenv("DLSCALE_TEST_DALI");
  if (required != nullptr && required == std::string_view("1")) FAIL(why);
  std::cout << "only the refusal of " << loader.name << " was tried: " << why << "\n";
}

std::int64_t steps_in_all(const test::ThreadLaunch& launch) {
  const auto last = all<contract::StepWindow>(launch.records).back();
  return last.first_step + last.steps;
}

double last_loss(const test::ThreadLaunch& launch) {
  return all<contract::EvalRecord>(launch.records).back().loss;
}

/// Checks that a run that stops within its first epoch resumes with the next sample.
void check_going_on(const contract::RunSpec& spec, const test::ThreadLaunch& whole) {
  const auto resumed = test::run_with_stop(spec);
  const auto first = all<contract::StepWindow>(resumed.records).front();
  CHECK(first.first_step > 0);
  CHECK(first.first_step < kPictureSteps);
  CHECK(steps_in_all(resumed) == steps_in_all(whole));
  // In the resumed run, the synthetic loader makes its only batch from the next samples instead of
  // the first samples. The parameters therefore differ.
  if (spec.loader == "synthetic") return;
  CHECK(test::largest_difference(resumed.parameters, whole.parameters) < 1e-10);
}

/// Tries a loader and a kind of data in all styles. Returns the number of styles that trained.
int try_all_styles(const trainer::LoaderEntry& loader, const Kind& kind) {
  int trained = 0;
  test::ThreadLaunch alone;
  for (const auto& style : test::style_specs(2)) {
    const auto spec = with(style, loader, kind);
    INFO(loader.name << " of " << kind.dataset.kind << " in " << style.framework << ", stage "
                     << style.framework_options.zero_stage);
    if (const std::string why = why_not(spec, loader, kind); !why.empty()) {
      CHECK_THAT(refusal_of(spec), Catch::StartsWith("run.json: ") && Catch::Contains(why));
      continue;
    }
    CHECK(refusal_of(spec) == "");
    if (trained++ == 0) alone = test::run(with(test::style_spec("synchronous", 1), loader, kind));
    REQUIRE_FALSE(alone.parameters.empty());
    const auto found = test::run(spec);
    CHECK(test::largest_difference(found.parameters, alone.parameters) < 1e-10);
    if (kind.any_size) check_going_on(spec, found);
    // For loaders that accept any data, one batch stands for the whole test set and its loss is not
    // comparable.
    if (loader.samples == std::string_view("any")) continue;
    CHECK(last_loss(found) == Approx(last_loss(alone)).epsilon(1e-10));
  }
  return trained;
}

const trainer::LoaderEntry& loader_called(const char* name) {
  return base::find(trainer::loader_table(), "loader", name);
}

}  // namespace

TEST_CASE("every style on two ranks trains with every loader like one rank, or is rejected") {
  const Data data;
  for (const trainer::LoaderEntry* loader : trainer::loader_table()) {
    tell_of_missing(*loader);
    int trained = 0;
    for (const Kind& kind : data.kinds()) trained += try_all_styles(*loader, kind);
    INFO(loader->name);
    const bool is_here =
        !loader->needs_gpu && !(loader->why_missing && loader->why_missing() != "");
    CHECK((trained >= static_cast<int>(test::frameworks().size())) == is_here);
  }
}

TEST_CASE("images in record files train like the files that they were made from") {
  const Data data;
  const auto learnt = [&](const char* loader) {
    const auto style = test::style_spec("synchronous", 1);
    return test::run(with(style, loader_called(loader), data.pictures())).parameters;
  };
  CHECK(test::largest_difference(learnt("native"), learnt("packed")) < 1e-10);
}
