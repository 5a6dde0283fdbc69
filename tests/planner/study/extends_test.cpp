// SPDX-License-Identifier: Apache-2.0
#include "planner/study/overlay.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/planner/shown_points.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;
using Lines = std::vector<std::string>;

namespace {

using Files = std::map<std::string, std::string>;

const std::string kBase = test::StudyText{}.text();

planner::Study read(const Files& files, const std::vector<std::string>& overrides = {},
                    const std::string& first = "dir/s.toml") {
  return planner::read_study(files.at(first), first, overrides, [&](const std::string& file) {
    const auto found = files.find(file);
    if (found == files.end()) throw base::RunError("cannot read " + file + ": No such file");
    return found->second;
  });
}

std::string extends_error(const Files& files) {
  return test::error_of([&] { planner::expand(read(files)); });
}

}  // namespace

TEST_CASE("a study inherits all settings of its base that it does not set itself") {
  const auto study = read({{"base.toml", kBase},
                           {"dir/s.toml",
                            "extends = \"../base.toml\"\nstudy.name = \"t\"\n"
                            "matrix.gpus = [4]\n[training]\nepochs = 3\n"}});
  CHECK(study.name == "t");
  CHECK(study.matrices[0].recipe.run.epochs == 3);
  CHECK(test::shown(study, {"model", "gpus"}) == Lines{"mlp 4"});
  REQUIRE(study.bases.size() == 1);
  CHECK(study.bases[0].file == "base.toml");
  CHECK(study.bases[0].text == kBase);
}

TEST_CASE("the last of several bases takes precedence, and lists are concatenated") {
  const auto exclude = [](const std::string& when) {
    return "[[exclude]]\nwhen = '" + when + "'\nwhy = 'x'\n";
  };
  const auto study = read(
      {{"dir/a.toml", kBase + exclude("gpus == 4")},
       {"dir/b.toml", "extends = \"a.toml\"\nmatrix.gpus = [1, 4, 8]\n" + exclude("gpus == 8")},
       {"dir/c.toml", "training.epochs = 7\n"},
       {"dir/s.toml", "extends = [\"b.toml\", \"c.toml\"]\n" + exclude("gpus == 2") +
                          "[[include]]\ngpus = 16\n"}});
  CHECK(test::shown(study, {"gpus"}) == Lines{"1", "16"});
  CHECK(study.matrices[0].recipe.run.epochs == 7);
  CHECK(study.matrices[0].exclusions.size() == 3);
}

TEST_CASE("a setting of a study replaces the setting of its base in any section") {
  const std::string base =
      "study.name = \"s\"\n[matrix]\nmodel = \"mlp\"\nbatch_per_gpu = [8, 16]\n"
      "gpus = { from = 1, to = 3, step = 1 }\noptimizer.momentum = [0, 0.9]\n"
      "[training]\nlr = { base_per_gpu = 0.1, scale = \"sqrt\" }\nwarmup_epochs = 1\n";
  const auto study =
      read({{"dir/a.toml", base},
            {"dir/s.toml",
             "extends = \"a.toml\"\nstudy.scaling = \"strong\"\n[training]\n"
             "global_batch = 64\nlr.base = 0.2\noptimizer.momentum = 0.5\n"
             "warmup_steps = 10\n[matrix]\ngpus = { from = 4, to = 8, times = 2 }\n"}});
  CHECK(test::shown(study, {"gpus", "batch_per_gpu", "optimizer.momentum"}) ==
        Lines{"4 - -", "8 - -"});
  const auto run = planner::expand(study).points[0].run;
  CHECK(run.global_batch == 64);
  CHECK(run.lr.peak == Approx(0.4));
  CHECK(run.optimizer.momentum == 0.5);
  CHECK(run.warmup_epochs == Approx(10.0 / 94));
}

TEST_CASE("a sub-study with the name of a sub-study of the base changes that sub-study") {
  const std::string base = kBase +
                           "[[substudy]]\nname = \"a\"\nmatrix = { gpus = [2] }\n"
                           "training = { epochs = 3 }\n"
                           "[[substudy]]\nname = \"b\"\nmatrix = { gpus = [4] }\n";
  const auto study = read({{"dir/a.toml", base},
                           {"dir/s.toml",
                            "extends = \"a.toml\"\n[[substudy]]\nname = \"a\"\n"
                            "training = { epochs = 5 }\n"
                            "[[substudy]]\nname = \"c\"\nmatrix = { gpus = [8] }\n"}});
  REQUIRE(study.matrices.size() == 3);
  CHECK(study.matrices[0].recipe.run.epochs == 5);
  CHECK(test::shown(study, {"gpus"}) == Lines{"2", "4", "8"});
}

TEST_CASE("two sub-studies of one file cannot have the same name") {
  const std::string two = "[[substudy]]\nname = \"a\"\n[[substudy]]\nname = \"a\"\n";
  CHECK_THAT(extends_error({{"dir/a.toml", kBase}, {"dir/s.toml", "extends = \"a.toml\"\n" + two}}),
             Catch::StartsWith("dir/s.toml:5:8: substudy[1].name: "));
}

TEST_CASE("an axis of a study replaces the axis in a zip of its base") {
  const std::string base =
      kBase + "[[zip]]\noptimizer.momentum = [0, 0.9]\nlabel_smoothing = [0, 0.1]\n";
  const auto study = read({{"dir/a.toml", base},
                           {"dir/s.toml",
                            "extends = \"a.toml\"\n[matrix]\noptimizer.momentum = [0.5]\n"
                            "label_smoothing = [0.2]\n"}});
  CHECK(test::shown(study, {"optimizer.momentum", "label_smoothing"}) ==
        Lines{"0.5 0.2", "0.5 0.2"});  // one line for each GPU count
}

TEST_CASE("errors name the file that contains the value") {
  CHECK(extends_error({{"dir/a.toml", "[training]\nepochs = 0\n"},
                       {"dir/s.toml", "extends = \"a.toml\"\n" + kBase}}) ==
        "dir/a.toml:2:10: training.epochs: must be at least 1 (got 0)");
  CHECK(extends_error({{"dir/a.toml", "[training\n"}, {"dir/s.toml", "extends = \"a.toml\"\n"}})
            .rfind("dir/a.toml:1:10: Error while parsing", 0) == 0);
  CHECK(extends_error({{"dir/s.toml", "study.name = \"s\"\nextends = [\"a.toml\"]\n"}}) ==
        "dir/s.toml:2:12: extends[0]: cannot read dir/a.toml: No such file");
  CHECK(extends_error({{"dir/s.toml", "extends = \"\"\n"}}) ==
        "dir/s.toml:1:11: extends: must not be empty");
  CHECK(extends_error({{"dir/s.toml", "extends = []\n"}}) ==
        "dir/s.toml:1:11: extends: the list is empty; name a file, or leave the key out");
  CHECK(extends_error({{"dir/s.toml", "extends = 3\n"}}) ==
        "dir/s.toml:1:11: extends: expected a string, found a whole number");
}

TEST_CASE("a study that extends itself indirectly is rejected with the chain") {
  CHECK(extends_error({{"dir/s.toml", "extends = \"a.toml\"\n"},
                       {"dir/a.toml", "extends = \"sub/../b.toml\"\n"},
                       {"dir/b.toml", "extends = \"../dir/a.toml\"\n"}}) ==
        "dir/b.toml:1:11: extends: the file extends itself: dir/s.toml -> dir/a.toml -> dir/b.toml "
        "-> dir/a.toml");
  CHECK(extends_error({{"dir/s.toml", "extends = \"s.toml\"\n"}}) ==
        "dir/s.toml:1:11: extends: the file extends itself: dir/s.toml -> dir/s.toml");
}

TEST_CASE("the command line can change an extended study but not its bases") {
  const Files files{{"dir/a.toml", kBase}, {"dir/s.toml", "extends = \"a.toml\"\n"}};
  CHECK(test::shown(read(files, {"matrix.gpus=[8]"}), {"gpus"}) == Lines{"8"});
  CHECK(test::error_of([&] { read(files, {"extends=b.toml"}); }) ==
        "-S extends=b.toml: extends: must be set in the study file, not on the command line");
}
