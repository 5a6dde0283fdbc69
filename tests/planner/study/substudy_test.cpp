// SPDX-License-Identifier: Apache-2.0
// Tests of [[substudy]] in studies.
#include <catch2/catch.hpp>

#include "tests/planner/shown_points.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using test::StudyText;
using Lines = std::vector<std::string>;

namespace {

planner::Study with(const std::string& rest, const std::vector<std::string>& overrides = {}) {
  return test::read({.rest = rest}, overrides);
}

std::string substudy_error(const std::string& rest) {
  return test::error_of([&] { planner::expand(with(rest)); });
}

}  // namespace

TEST_CASE("sub-studies replace axes and settings of a study without other points") {
  const auto study = with(
      "[[substudy]]\nname = \"wide\"\n[substudy.matrix]\ngpus = [8, 16]\n"
      "[[substudy]]\nname = \"long\"\n[substudy.training]\nepochs = 9\n"
      "[substudy.resources]\nwalltime = \"01:00:00\"\n");
  REQUIRE(study.matrices.size() == 2);
  CHECK(test::shown(study, {"gpus"}) == Lines{"8", "16", "1", "2"});
  CHECK(study.matrices[0].recipe.run.epochs == 1);
  CHECK(study.matrices[1].recipe.run.epochs == 9);
  CHECK(study.matrices[1].resources.walltime_s == 3600);
  CHECK(study.matrices[0].resources.walltime_s == 0);
}

TEST_CASE("a sub-study can use another scaling and replaces the batch of the study") {
  const auto study = with(
      "[[substudy]]\nname = \"strong\"\nscaling = \"strong\"\n[substudy.matrix]\n"
      "global_batch = 64\n[[substudy]]\nname = \"weak\"\n");
  CHECK(test::shown(study, {"gpus", "batch_per_gpu", "global_batch"}) ==
        Lines{"1 - 64", "2 - 64", "1 32 -"});
  CHECK(study.matrices[0].scaling == "strong");
  CHECK(study.matrices[1].scaling == "weak");
}

TEST_CASE("a setting of a sub-study replaces an axis of the study") {
  const auto study = test::read({.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 8\n"
                                           "epochs = [1, 2]",
                                 .rest = "[[substudy]]\nname = \"a\"\n[substudy.training]\n"
                                         "epochs = 5"});
  CHECK(test::shown(study, {"epochs"}) == Lines{"-"});
  CHECK(study.matrices[0].recipe.run.epochs == 5);
}

TEST_CASE("exclusions and overrides of the study apply before those of its sub-studies") {
  const auto study = with(
      "[[exclude]]\nwhen = 'gpus == 2 && substudy == \"b\"'\nwhy = 'study'\n"
      "[[substudy]]\nname = \"a\"\n[[substudy.include]]\ngpus = 4\n"
      "[[substudy.override]]\nwhen = 'gpus == 4'\nepochs = 3\n"
      "[[substudy]]\nname = \"b\"\n[substudy.training]\nepochs = 2\n"
      "[[substudy.exclude]]\nwhen = 'gpus > 0'\nwhy = 'own'\n");
  const auto expansion = planner::expand(study);
  CHECK(test::shown(expansion, {"gpus"}) == Lines{"1", "2", "4"});
  CHECK(expansion.points[2].run.epochs == 3);
  REQUIRE(expansion.skipped.size() == 2);
  CHECK(expansion.skipped[0].why == "own");
  CHECK(expansion.skipped[1].why == "study");
}

TEST_CASE("the same run in two sub-studies is one run that belongs to both") {
  const auto study = with(
      "[[substudy]]\nname = \"a\"\n[[substudy]]\nname = \"b\"\n[substudy.matrix]\ngpus = [2, 4]");
  const auto points = planner::expand(study).points;
  REQUIRE(points.size() == 3);
  CHECK(points[0].also.empty());
  CHECK(points[1].also == std::vector<std::uint32_t>{1});
  CHECK(points[2].matrix == 1);
}

TEST_CASE("the same training from weak and strong scaling is one run") {
  const auto study = with(
      "[[substudy]]\nname = \"strong\"\nscaling = \"strong\"\n[substudy.matrix]\n"
      "global_batch = 64\n[[substudy]]\nname = \"weak\"\n");
  const auto points = planner::expand(study).points;
  REQUIRE(points.size() == 3);
  CHECK(points[0].also.empty());
  CHECK(points[1].also == std::vector<std::uint32_t>{1});
  CHECK(points[2].also.empty());
}

TEST_CASE("conflicting resources for a run that sub-studies share are rejected") {
  const std::string two =
      "[[substudy]]\nname = \"a\"\n[substudy.resources]\npartition = \"p\"\n"
      "[[substudy]]\nname = \"b\"\n";
  CHECK(substudy_error(two) ==
        "s.toml:15:1: substudy[1].resources.partition: sub-studies a and b share a run, but "
        "request p and nothing (point batch_per_gpu=32 gpus=1 model=mlp); set the same value in "
        "both, or exclude the point from one of them");
  CHECK(substudy_error(two + "[substudy.resources]\npartition = \"p\"\nqos = \"q\"")
            .rfind("s.toml:19:7: substudy[1].resources.qos: sub-studies a and b share", 0) == 0);
  CHECK(substudy_error(two + "[substudy.resources]\npartition = \"p\"\nwalltime = \"01:00:00\"") ==
        "");
  CHECK(substudy_error(two + "[substudy.matrix]\ngpus = 4") == "");
}

TEST_CASE("the command line can change a sub-study by its name") {
  const auto study = with("[[substudy]]\nname = \"a\"\n[substudy.matrix]\ngpus = [8, 16]",
                          {"substudy.a.matrix.gpus=[1]"});
  CHECK(test::shown(study, {"gpus"}) == Lines{"1"});
  CHECK(test::error_of([] {
          with("[[substudy]]\nname = \"a\"", {"substudy.b.matrix.gpus=[1]"});
        }) == "-S substudy.b.matrix.gpus=[1]: substudy: is a list, not a table");
}

TEST_CASE("a malformed sub-study is rejected with location and key") {
  CHECK(substudy_error("[[substudy]]\n") == "s.toml:11:1: substudy[0]: name is missing");
  CHECK(substudy_error("[[substudy]]\nname = \"a b\"")
            .rfind("s.toml:12:8: substudy[0].name: may contain", 0) == 0);
  CHECK(substudy_error("[[substudy]]\nname = \"a\"\n[[substudy]]\nname = \"a\"") ==
        "s.toml:14:8: substudy[1].name: another sub-study is also named a; use a different name");
  CHECK(substudy_error("[[substudy]]\nname = \"a\"\n[substudy.matrix]\ngpus = 0") ==
        "s.toml:14:8: substudy[0].matrix.gpus: must be at least 1 (got 0)");
  CHECK(substudy_error("[[substudy]]\nname = \"a\"\n[substudy.matrx]\ngpus = 1") ==
        "s.toml:13:11: substudy[0].matrx: unknown key; did you mean \"matrix\"? (known: name, "
        "scaling, matrix, zip, include, exclude, override, training, resources)");
  CHECK(substudy_error(
            "[[substudy]]\nname = \"a\"\n[[substudy.exclude]]\nwhen = 'gpsu > 1'\nwhy = 'x'")
            .rfind("s.toml:14:8: substudy[0].exclude[0].when: character 1 of 'gpsu > 1'", 0) == 0);
  CHECK(substudy_error("[[include]]\ngpus = 8\n[[substudy]]\nname = \"a\"") ==
        "s.toml:11:1: include[0]: a study with sub-studies has no other points; move this "
        "[[include]] into one of the sub-studies");
  CHECK(substudy_error("[[substudy]]\nname = \"a\"\nscaling = \"strong\"") ==
        "s.toml:6:17: substudy[0].matrix.batch_per_gpu: strong scaling keeps the global batch "
        "fixed; give global_batch, or set scaling = \"weak\"");
  CHECK(test::error_of([] {
          test::read({.training = "epochs = 0", .rest = "[[substudy]]\nname = \"a\""});
        }) == "s.toml:8:10: training.epochs: must be at least 1 (got 0)");
}
