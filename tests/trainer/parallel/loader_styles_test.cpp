// SPDX-License-Identifier: Apache-2.0
// Pictures of any size in every style, from files and from record files.
#include <catch2/catch.hpp>

#include "images/packing.hpp"
#include "images/record_file.hpp"
#include "tests/images/sample_tree.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;

namespace {

/// Files and, beside them, record files of them as they are.
struct Pictures {
  test::TempDir folder;

  Pictures() {
    test::write_tree(folder.path());
    const auto classes = images::class_names_of_tree(folder.path());
    for (const std::string split : {"train", "val"}) {
      images::pack_split(folder / split, classes, images::record_file_of(folder.path(), split), {},
                         {.progress = [](std::int64_t, std::int64_t) {}});
    }
  }

  /// Two epochs of them, cut at random and mirrored, by two threads.
  contract::RunSpec train(contract::RunSpec spec, const std::string& loader) const {
    spec.loader = loader;
    spec.loader_options = {.threads = 2, .shuffle_window = 3};
    spec.dataset = {.kind = "image_folder", .path = folder.path()};
    spec.dataset.image_size = 12;
    spec.dataset.random_flip = true;
    spec.epochs = 2;
    return spec;
  }
};

}  // namespace

TEST_CASE(
    "two ranks of every style learn of pictures what one learns, from files as from records") {
  const Pictures pictures;
  const auto alone = test::run(pictures.train(test::style_spec("synchronous", 1), "native"));
  REQUIRE(!all<contract::EvalRecord>(alone.records).empty());
  for (const std::string loader : {"native", "packed"}) {
    for (const auto& style : test::style_specs(2)) {
      INFO(loader << " in " << style.framework << ", stage " << style.framework_options.zero_stage);
      const auto found = test::run(pictures.train(style, loader));
      CHECK(test::largest_difference(found.parameters, alone.parameters) < 1e-10);
      CHECK(all<contract::EvalRecord>(found.records).back().loss ==
            Approx(all<contract::EvalRecord>(alone.records).back().loss).epsilon(1e-10));
    }
  }
}

TEST_CASE("a run on record files that is stopped and goes on ends where it would have ended") {
  const Pictures pictures;
  auto spec = pictures.train(test::style_spec("ddp", 2), "packed");
  spec.epochs = 5;
  CHECK(test::run_with_stop(spec).parameters == test::run(spec).parameters);
}
