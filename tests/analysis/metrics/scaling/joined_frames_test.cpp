// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/joined_frames.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/recommendation.hpp"
#include "analysis/metrics/scaling/variant_pair.hpp"
#include "analysis/metrics/scaling/verdict.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/repeated_runs.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::add_repeats;
using test::frame_of;
using test::run_at;

/// Frame with six repeats at 1 and 2 GPUs.
Frame repeated(double samples_per_s) {
  Frame frame = frame_of({});
  for (const int gpus : {1, 2}) add_repeats(frame, gpus, gpus * samples_per_s, 6);
  return frame;
}

void set_condition(Frame& frame, const std::string& name, const std::string& value) {
  for (RunRow& run : frame.runs) run.conditions[name] = value;
}

/// Joins the frames as the sources "juwels" and "nef".
Frame joined(Frame first, Frame second) {
  return join_frames({{"juwels", std::move(first)}, {"nef", std::move(second)}});
}

Verdicts verdicts_of(const Frame& frame, bool allow_mixed = false) {
  return verdicts_between(scaling_curves(frame), allow_mixed);
}

}  // namespace

TEST_CASE("runs with equal ids in two folders stay different runs with different sources") {
  const Frame frame = joined(frame_of({run_at(1, 100)}), frame_of({run_at(1, 200)}));
  REQUIRE(frame.runs.size() == 2);
  CHECK(frame.runs[0].run_id == "juwels/ddp-g1-r1");
  CHECK(frame.runs[1].run_id == "nef/ddp-g1-r1");
  CHECK(run_id_in_folder(frame.runs[1]) == "ddp-g1-r1");
  CHECK(frame.runs[1].point.at("source") == "nef");
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].points[0].repeats.size() == 1);
  CHECK(value_of(curves[0].key, "source") == "juwels");
}

TEST_CASE("a joined frame keeps the study file of each source") {
  Frame first = frame_of({run_at(1, 100)});
  first.origins = {{"", {"/a/study.toml", {}, {}}}};
  Frame second = frame_of({run_at(1, 200)});
  second.ends_repeats_early = true;
  const Frame frame = joined(std::move(first), std::move(second));
  CHECK(frame.origins.size() == 1);
  CHECK(frame.origins.at("juwels").study_file == "/a/study.toml");
  CHECK(frame.ends_repeats_early);
}

TEST_CASE("the axis of sources is the first axis, and other axes have the values of all folders") {
  Frame second = frame_of({run_at(16, 100)});
  second.axes = {{"gpus", {"2", "16"}}, {"framework", {"ddp", "deepspeed"}}};
  const Frame frame = joined(frame_of({run_at(1, 100)}), std::move(second));
  REQUIRE(frame.axes.size() == 3);
  CHECK(frame.axes[0] == contract::Axis{"source", {"juwels", "nef"}});
  CHECK(frame.axes[1].values == std::vector<std::string>{"ddp", "horovod", "deepspeed"});
  CHECK(frame.axes[2].values == std::vector<std::string>{"1", "2", "4", "8", "16"});
  CHECK(frame.study == "made-up");
}

TEST_CASE("a missing value of an axis is taken from the condition with the name of the axis") {
  Frame second = frame_of({run_at(1, 100)});
  second.axes = {{"gpus", {"1"}}};
  second.runs[0].point.erase("framework");
  second.runs[0].conditions["framework"] = "ddp";
  Frame other = second;
  other.runs[0].conditions.erase("framework");
  const Frame first = frame_of({run_at(1, 100)});
  CHECK(joined(first, second).runs[1].point.at("framework") == "ddp");
  CHECK_FALSE(joined(first, other).runs[1].point.contains("framework"));
}

TEST_CASE("a condition that disagrees with an axis of the same name does not replace the axis") {
  Frame first = frame_of({run_at(1, 100)});
  first.runs[0].conditions["framework"] = "a longer description";
  Frame second = frame_of({run_at(1, 100)});
  second.runs[0].point.erase("framework");
  second.runs[0].conditions["framework"] = "another description";
  CHECK_FALSE(joined(first, second).runs[1].point.contains("framework"));
}

TEST_CASE("each folder keeps its own global batch with strong scaling") {
  Frame first = frame_of({run_at(1, 100)}), second = first;
  first.scaling = second.scaling = "strong";
  first.runs[0].global_batch = 256;
  second.runs[0].global_batch = 512;
  const auto curves = scaling_curves(joined(first, second));
  REQUIRE(curves.size() == 2);
  CHECK(value_of(curves[0].key, "global_batch") == "256");
  CHECK(value_of(curves[1].key, "global_batch") == "512");
}

TEST_CASE("studies of weak and of strong scaling cannot be joined") {
  Frame strong = frame_of({run_at(1, 100)});
  strong.scaling = "strong";
  CHECK_THROWS_AS(joined(frame_of({run_at(1, 100)}), strong), base::UsageError);
  CHECK_THROWS_WITH(joined(frame_of({run_at(1, 100)}), strong),
                    Contains("juwels has scaling = \"weak\" with a fixed batch_per_gpu") &&
                        Contains("nef has scaling = \"strong\" with a fixed global_batch"));
}

TEST_CASE("a study with its own axis called source cannot be joined") {
  Frame own = frame_of({run_at(1, 100)});
  own.runs[0].point["source"] = "camera";
  CHECK_THROWS_WITH(joined(frame_of({run_at(1, 100)}), own),
                    Contains("nef: the study has its own axis \"source\""));
}

TEST_CASE("sources with different machines and software are compared") {
  Frame slow = repeated(100), fast = repeated(150);
  set_condition(slow, "gpu", "K80");
  set_condition(slow, "torch", "2.1");
  set_condition(fast, "torch", "2.4");
  const Verdicts verdicts = verdicts_of(joined(slow, fast));
  CHECK(verdicts.refused.empty());
  REQUIRE(verdicts.pairs.size() == 2);
  CHECK(verdicts.pairs[0].axis == "source");
  CHECK(verdicts.pairs[0].finding == Finding::Faster);
  CHECK(value_of(verdicts.pairs[0].a.key, "source") == "nef");
}

TEST_CASE("sources with different numbers of GPUs per node are compared") {
  Frame first = repeated(100), second = repeated(150);
  for (RunRow& run : second.runs) run.nodes = run.gpus;
  CHECK(verdicts_of(joined(first, second)).pairs.size() == 2);
}

TEST_CASE("sources that did different work are compared only if the user allows this") {
  for (const char* condition : {"model", "dataset", "stop_rule", "precision", "code", "device"}) {
    Frame first = repeated(100), second = repeated(150);
    set_condition(first, condition, "one");
    set_condition(second, condition, "another");
    const Frame frame = joined(first, second);
    INFO(condition);
    const Verdicts verdicts = verdicts_of(frame);
    CHECK(verdicts.pairs.empty());
    REQUIRE(verdicts.refused.size() == 2);
    CHECK_THAT(verdicts.refused[0],
               Contains(std::string(condition) + " is \"one\" and \"another\""));
    CHECK(verdicts_of(frame, true).pairs.size() == 2);
  }
}

TEST_CASE("accuracies of two sources are compared unless the runs did different work") {
  Frame first = frame_of({}), second = frame_of({});
  test::add_accurate_repeats(first, 2, 0.90, 6);
  test::add_accurate_repeats(second, 2, 0.95, 6);
  const auto pairs = [&] { return accuracy_pairs(accuracy_points(joined(first, second))); };
  REQUIRE(pairs().size() == 1);
  CHECK(pairs()[0].axis == "source");
  set_condition(first, "model", "resnet18");
  set_condition(second, "model", "resnet50");
  CHECK(pairs().empty());
}

TEST_CASE("values of a study's own axis called source are not compared on different machines") {
  Frame frame = frame_of({run_at(1, 100), run_at(1, 200)});
  frame.runs[0].point["source"] = "disk";
  frame.runs[1].point["source"] = "network";
  frame.runs[1].conditions["gpu"] = "K80";
  CHECK(verdicts_of(frame).refused.size() == 1);
}

TEST_CASE("a baseline of another source may have other software but not another device") {
  const contract::BaselineRule rule = parse_baseline("source=juwels,gpus=1");
  Frame first = repeated(100), second = repeated(150);
  set_condition(second, "torch", "2.4");
  set_condition(first, "torch", "2.1");
  const auto same_device = choose_baselines(scaling_curves(joined(first, second)), rule, false);
  REQUIRE(same_device.size() == 2);
  CHECK(same_device[1].baseline.has_value());
  set_condition(second, "gpu", "K80");
  const Frame frame = joined(first, second);
  CHECK_THAT(choose_baselines(scaling_curves(frame), rule, false)[1].problem,
             Contains("gpu is \"A100\" in the baseline but \"K80\"") && Contains("--mixed"));
  CHECK(choose_baselines(scaling_curves(frame), rule, true)[1].baseline.has_value());
}

TEST_CASE("each source has its own recommendations") {
  const auto list = recommendations(scaling_curves(joined(repeated(100), repeated(150))));
  REQUIRE(list.size() == 4);
  CHECK(value_of(list[0].work, "source") == "juwels");
  CHECK(value_of(list[0].fastest.key, "source") == "juwels");
  CHECK(value_of(list[3].work, "source") == "nef");
}

TEST_CASE("the conditions in which sources differ are stated once for each source") {
  Frame first = repeated(100), second = repeated(150);
  set_condition(second, "gpu", "K80");
  const Frame frame = joined(first, second);
  CHECK(describe_sources(frame) == "source juwels: gpu A100; source nef: gpu K80");
  CHECK_THAT(describe_constants(frame), Contains("device cuda") && !Contains("A100"));
  CHECK(describe_sources(first).empty());
  CHECK(describe_sources(joined(first, first)).empty());
}

TEST_CASE("saved predictions belong to the runs of their own folder") {
  Frame first = frame_of({run_at(1, 100)});
  KeptPrediction kept;
  kept.run_ids = {"ddp-g1-r1"};
  first.predictions = {kept};
  const Frame frame = joined(frame_of({run_at(1, 200)}), first);
  REQUIRE(frame.predictions.size() == 1);
  CHECK(frame.predictions[0].run_ids == std::vector<std::string>{"nef/ddp-g1-r1"});
}

}  // namespace dlscale::analysis
