// SPDX-License-Identifier: Apache-2.0
// Tests of [matrix], [[zip]] and [[include]] in studies.
#include "planner/study/axes_reader.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/shown_points.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using test::shown;
using test::StudyText;
using Lines = std::vector<std::string>;

namespace {

const std::string kTwo = "model = [\"mlp\", \"cnn\"]\n";
const std::string kZip = "[[zip]]\ngpus = [1, 2, 4]\nbatch_per_gpu = [64, 32, 16]\n";

std::string axes_error(const StudyText& study) {
  return test::error_of([&] { test::read(study); });
}

}  // namespace

TEST_CASE("an axis can mix ranges and values in order") {
  const auto study = test::read({.matrix = "model = \"mlp\"\nbatch_per_gpu = 8\n"
                                           "gpus = [1, { from = 4, to = 16, times = 2 }, 3]"});
  CHECK(shown(study, {"gpus"}) == Lines{"1", "4", "8", "16", "3"});
  CHECK(axes_error({.matrix = "model = \"mlp\"\nbatch_per_gpu = 8\n"
                              "gpus = [8, { from = 4, to = 16, times = 2 }]"}) ==
        "s.toml:6:12: matrix.gpus[1]: 8 is listed twice");
  CHECK(axes_error({.matrix = "model = \"mlp\"\nbatch_per_gpu = 8\n"
                              "gpus = { from = 1, to = 2, step = 0.5 }"}) ==
        "s.toml:6:8: matrix.gpus: expected a whole number, found 1.5");
}

TEST_CASE("the error for a range that is not whole contains the fractional value") {
  CHECK(axes_error({.matrix = "model = \"mlp\"\nbatch_per_gpu = 8\n"
                              "gpus = { from = 1, to = 10, count = 3 }"}) ==
        "s.toml:6:8: matrix.gpus: expected a whole number, found 5.5");
}

TEST_CASE("zipped axes vary together and faster than the axes of the matrix") {
  const auto study = test::read({.matrix = kTwo, .rest = kZip});
  CHECK(shown(study, {"model", "gpus", "batch_per_gpu"}) ==
        Lines{"mlp 1 64", "mlp 2 32", "mlp 4 16", "cnn 1 64", "cnn 2 32", "cnn 4 16"});
  const auto twice = test::read(
      {.matrix = "model = \"mlp\"",
       .rest = kZip + "[[zip]]\nepochs = [1, 2]\nlr_schedule = [\"constant\", \"constant\"]"});
  CHECK(shown(twice, {"gpus", "epochs", "lr_schedule"}) == Lines{"1 1 constant", "1 2 constant",
                                                                 "2 1 constant", "2 2 constant",
                                                                 "4 1 constant", "4 2 constant"});
}

TEST_CASE("a zip of unequal lengths, of one axis or of an existing axis is rejected") {
  CHECK(axes_error({.matrix = kTwo, .rest = "[[zip]]\ngpus = [1, 2]\nbatch_per_gpu = [1, 2, 3]"}) ==
        "s.toml:12:17: zip[0].batch_per_gpu: gpus and batch_per_gpu vary together, but have 2 and "
        "3 values");
  CHECK(axes_error({.rest = "[[zip]]\nepochs = [1, 2]"}) ==
        "s.toml:11:1: zip[0]: needs at least two axes");
  CHECK(axes_error({.rest = "[[zip]]\nepochs = [1, 2]\ngpus = [1, 2]"}) ==
        "s.toml:13:8: zip[0].gpus: is already an axis (matrix.gpus)");
  CHECK(axes_error({.matrix = kTwo, .rest = kZip + "[[zip]]\nepochs = [1]\ngpus = [1]"})
            .rfind("s.toml:15:8: zip[1].gpus: is already an axis (zip[0].gpus)", 0) == 0);
  CHECK(axes_error({.matrix = kTwo, .rest = "[[zip]]\ngpus = [1, 2]\nbatch = [1, 2]"})
            .rfind("s.toml:12:1: zip[0].batch: unknown key", 0) == 0);
}

TEST_CASE("a key that begins like a known key is reported with the known key") {
  CHECK(axes_error({.matrix = "model = \"mlp\"\ngpus = 1\nbatch_size = 32"})
            .rfind("s.toml:6:1: matrix.batch_size: unknown key; did you mean \"batch_per_gpu\"? "
                   "(known: ",
                   0) == 0);
}

TEST_CASE("a duplicate row is rejected at its location") {
  CHECK(axes_error(
            {.matrix = kTwo, .rest = "[[zip]]\ngpus = [1, 2, 1]\nbatch_per_gpu = [8, 8, 8]"}) ==
        "s.toml:10:1: zip[0]: rows 1 and 3 are the same");
  CHECK(axes_error({.matrix = kTwo,
                    .rest = kZip + "[[include]]\ngpus = [8, 8]\nbatch_per_gpu = [8, 8]"}) ==
        "s.toml:13:1: include[0]: rows 1 and 2 are the same");
}

TEST_CASE("an include adds new rows to a zip or selects existing rows") {
  const std::string excluded = "[[exclude]]\nwhen = 'model == \"cnn\" && gpus < 4'\nwhy = 'x'\n";
  const auto row = test::read(
      {.matrix = "model = \"mlp\"", .rest = kZip + "[[include]]\ngpus = 8\nbatch_per_gpu = 8"});
  CHECK(shown(row, {"gpus", "batch_per_gpu"}) == Lines{"1 64", "2 32", "4 16", "8 8"});
  const auto picked = test::read(
      {.matrix = "model = \"mlp\"", .rest = kZip + "[[include]]\nmodel = \"cnn\"\ngpus = [4, 1]"});
  CHECK(shown(picked, {"model", "gpus", "batch_per_gpu"}) ==
        Lines{"mlp 1 64", "mlp 2 32", "mlp 4 16", "cnn 1 64", "cnn 4 16"});
  CHECK(axes_error({.matrix = "model = \"mlp\"", .rest = kZip + "[[include]]\ngpus = 3"}) ==
        "s.toml:12:1: include[0]: no row of the [[zip]] has these values; to add a row, give "
        "values for all of its axes");
  CHECK(axes_error({.matrix = "model = \"mlp\"",
                    .rest = kZip + "[[include]]\ngpus = 3\nbatch_per_gpu = [1, 2]"}) ==
        "s.toml:12:1: include[0]: gpus and batch_per_gpu vary together, but have 1 and 2 values");
}

TEST_CASE("adding repetitions keeps the ids of points") {
  const auto one = test::read({}), three = test::read({}, {"study.repeats=3"});
  const auto before = planner::expand(one).points, after = planner::expand(three).points;
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i].id == after[i].id);
}
