// SPDX-License-Identifier: Apache-2.0
#include "contract/records/checkpoint.hpp"

#include <catch2/catch.hpp>

#include "contract/run_spec/run_id.hpp"
#include "tests/support/any_value.hpp"

using namespace dlscale;
using namespace dlscale::contract;

namespace {

CheckpointHeader any_header(unsigned seed) {
  test::AnyValue any(seed);
  CheckpointHeader h;
  h.run_id = any.text();
  h.description_hash = any.text();
  h.world_size = static_cast<int>(any.whole(1, 4096));
  h.trainer_version = any.text();
  h.time = any.number();
  h.progress = {static_cast<int>(any.whole(0, 99)),
                any.whole(0, 1LL << 40),
                any.flag(),
                {any.whole(0, 99), any.whole(0, 99), any.number(), any.number(), any.number()},
                any.number(),
                static_cast<int>(any.whole(0, 9)),
                any.flag(),
                any.flag(),
                any.flag(),
                any.flag()};
  if (any.flag()) h.progress.so_far.correct = any.whole(0, 99);
  h.files = any.list([&] {
    return SavedFile{any.text(), any.whole(0, 1LL << 40),
                     static_cast<std::uint32_t>(any.whole(0, UINT32_MAX))};
  });
  return h;
}

}  // namespace

TEST_CASE("every header survives being written and read, with exact sums") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const CheckpointHeader header = any_header(seed);
    REQUIRE(checkpoint_header_from_json(to_json(header), "") == header);
  }
}

TEST_CASE("a header without a count of correct samples or a target is read, and has no such keys") {
  const std::string text = to_json(CheckpointHeader{.run_id = "r", .description_hash = "h"});
  CHECK(text.find("correct") == std::string::npos);
  CHECK(text.find("train_loss_reached") == std::string::npos);
  const Progress progress = checkpoint_header_from_json(text, "").progress;
  CHECK_FALSE(progress.so_far.correct.has_value());
  CHECK_FALSE(progress.train_loss_reached);
}

TEST_CASE("newer, malformed and incomplete headers are rejected") {
  CheckpointHeader newer;
  newer.schema_version = kCheckpointVersion + 1;
  CHECK_THROWS_WITH(
      checkpoint_header_from_json(to_json(newer), "h"),
      "h: schema_version: is 2, but this build supports at most 1; use a newer dlscale-train");
  CHECK_THROWS_WITH(checkpoint_header_from_json("{", "h"),
                    "h:1:2: not valid JSON: the text ends too early");
  CHECK_THROWS_WITH(checkpoint_header_from_json("{\"schema_version\": 1}", "h"),
                    "h: run_id: missing");
}

TEST_CASE("progress is compared by position and not by the sums of its epoch") {
  const Progress one{.epoch = 1, .step = 7, .so_far = {.loss_sum = 1}};
  CHECK(one.same_place({.epoch = 1, .step = 7}));
  CHECK_FALSE(one.same_place({.epoch = 1, .step = 8}));
  CHECK_FALSE(one.same_place({.epoch = 2, .step = 7}));
  CHECK_FALSE(one.same_place({.epoch = 1, .step = 7, .epoch_recorded = true}));
}

TEST_CASE("the description hash ignores data paths, nodes and checkpoint intervals") {
  const RunSpec spec{.run_id = "r"};
  const auto changed = [&](auto change) {
    RunSpec other = spec;
    change(other);
    return description_hash(other) != description_hash(spec);
  };
  CHECK(changed([](RunSpec& s) { s.epochs = 9; }));
  CHECK(changed([](RunSpec& s) { s.repetition = 2; }));
  CHECK(changed([](RunSpec& s) { s.run_id = "q"; }));
  CHECK(changed([](RunSpec& s) { s.gpus = 2; }));
  CHECK_FALSE(changed([](RunSpec& s) { s.checkpoint.every_epochs = 3; }));
  CHECK_FALSE(changed([](RunSpec& s) { s.resources.nodes = 3; }));
  CHECK_FALSE(changed([](RunSpec& s) { s.dataset.path = "/elsewhere"; }));
}
