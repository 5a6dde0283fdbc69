// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/baseline.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

Frame two_curves() {
  return frame_of({run_at(1, 100), run_at(2, 190), run_at(4, 350), run_at(2, 200, "horovod"),
                   run_at(4, 380, "horovod")});
}

/// Returns runs on one GPU without a framework, a curve of ddp that begins at 1 GPU, and a curve of
/// horovod that begins at 2 GPUs.
Frame with_plain_runs() {
  Frame frame = two_curves();
  frame.runs.push_back(run_at(1, 120, "single", 1));
  frame.runs.push_back(run_at(1, 130, "single", 2));
  return frame;
}

}  // namespace

TEST_CASE("the smallest common count is the smallest count that all curves have") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"smallest-common", 0}, false);
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].baseline->gpus() == 2);
  CHECK(choices[1].baseline->gpus() == 2);
}

TEST_CASE("a per-curve baseline is the smallest count of each curve") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"per-curve", 0}, false);
  CHECK(choices[0].baseline->gpus() == 1);
  CHECK(choices[1].baseline->gpus() == 2);
}

TEST_CASE("a curve without the chosen baseline is reported with its own counts") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"gpus", 1}, false);
  CHECK(choices[0].baseline.has_value());
  CHECK_FALSE(choices[1].baseline.has_value());
  CHECK_THAT(choices[1].problem, Contains("gpus=1") && Contains("framework=horovod") &&
                                     Contains("(this curve has gpus=2, 4)"));
  CHECK_NOTHROW(require_baseline(choices));
}

TEST_CASE("a baseline that no curve has is a usage error that names the point") {
  const Frame frame = two_curves();
  const auto choices = choose_baselines(scaling_curves(frame), {"gpus", 16}, false);
  CHECK_THROWS_AS(require_baseline(choices), base::UsageError);
  CHECK_THROWS_WITH(require_baseline(choices), Contains("baseline gpus=16"));
}

TEST_CASE("curves without a shared count have no common baseline") {
  const Frame frame = frame_of({run_at(1, 100), run_at(2, 200, "horovod")});
  const auto choices = choose_baselines(scaling_curves(frame), {"smallest-common", 0}, false);
  CHECK_THAT(choices[0].problem, Contains("no common GPU count") && Contains("per-curve"));
}

TEST_CASE("runs on different devices have no baseline unless mixing is allowed") {
  RunRow other = run_at(2, 400);
  other.conditions["gpu"] = "P100";
  const Frame frame = frame_of({run_at(1, 100), other});
  const auto curves = scaling_curves(frame);
  const auto refused = choose_baselines(curves, {"smallest-common", 0}, false);
  CHECK_FALSE(refused[0].baseline.has_value());
  CHECK_THAT(refused[0].problem,
             Contains("gpu is \"A100\" at gpus=1 but \"P100\" at gpus=2") && Contains("--mixed"));
  CHECK(choose_baselines(curves, {"smallest-common", 0}, true)[0].baseline.has_value());
}

TEST_CASE("a curve names the condition that differs, and only other code names dlscale status") {
  for (const auto& [name, is_code] : {std::pair("code", true), std::pair("gpu", false)}) {
    INFO(name);
    RunRow other = run_at(2, 400);
    RunRow first = run_at(1, 100);
    first.conditions[name] = "code is 1";
    other.conditions[name] = "code is 2";
    const auto curves = scaling_curves(frame_of({first, other}));
    CHECK(curves.at(0).mixed_condition == name);
    const auto choices = choose_baselines(curves, {"smallest-common", 0}, false);
    CHECK((choices.at(0).problem.find("dlscale status") != std::string::npos) == is_code);
  }
  const auto alike = scaling_curves(frame_of({run_at(1, 100), run_at(2, 200)}));
  CHECK(alike.at(0).mixed_condition.empty());
}

TEST_CASE("curves of different devices have no common baseline, with the device as the reason") {
  Frame frame = frame_of({run_at(1, 100), run_at(2, 400)});
  frame.runs[0].point["gpu"] = frame.runs[0].conditions["gpu"] = "K80";
  frame.runs[1].point["gpu"] = frame.runs[1].conditions["gpu"] = "P100";
  const auto curves = scaling_curves(frame);
  const auto refused = choose_baselines(curves, {"smallest-common", 0}, false);
  CHECK(refused[0].baseline.has_value());
  CHECK_FALSE(refused[1].baseline.has_value());
  CHECK_THAT(refused[1].problem,
             Contains("is on another device, because gpu is \"K80\" at gpus=1 but \"P100\" "
                      "at gpus=2 (use --mixed"));
  const auto allowed = choose_baselines(curves, {"smallest-common", 0}, true);
  REQUIRE(allowed[1].baseline.has_value());
  CHECK(allowed[1].baseline->label("GPU") == "1 GPU (1 node) with gpu=K80");
  CHECK_FALSE(allowed[1].baseline->is_own());
  CHECK_THAT(allowed[1].mixed, Contains("gpu is \"K80\" at gpus=1"));
  CHECK(choose_baselines(curves, {"gpus", 1}, true)[1].baseline.has_value());
  CHECK_THAT(choose_baselines(curves, {"gpus", 1}, false)[1].problem, Contains("another device"));
}

TEST_CASE("other work on another device is not a baseline, even if mixing is allowed") {
  Frame frame = frame_of({run_at(1, 100), run_at(2, 400)});
  frame.runs[0].point["gpu"] = "K80";
  frame.runs[1].point["gpu"] = "P100";
  frame.runs[1].point["model"] = "vgg16";
  const auto choices = choose_baselines(scaling_curves(frame), {"smallest-common", 0}, true);
  for (const BaselineChoice& choice : choices) {
    CHECK_THAT(choice.problem, Contains("no common GPU count"));
  }
}

TEST_CASE("baseline rules are read from text") {
  CHECK(parse_baseline("gpus=4") == contract::BaselineRule{"gpus", 4});
  CHECK(parse_baseline("per-curve") == contract::BaselineRule{"per-curve", 0});
  CHECK(parse_baseline("smallest-common") == contract::BaselineRule{"smallest-common", 0});
}

TEST_CASE("axis values are a baseline rule at one GPU unless a count is given") {
  CHECK(parse_baseline("framework=single") == contract::BaselineRule{"framework=single", 1});
  CHECK(parse_baseline("framework=single,loader=memory,gpus=4") ==
        contract::BaselineRule{"framework=single,loader=memory", 4});
  CHECK(chosen_values({"a=1,b=2", 1}) == CurveKey{{"a", "1"}, {"b", "2"}});
  CHECK(chosen_values({"per-curve", 0}).empty());
}

TEST_CASE("impossible baseline values are usage errors") {
  for (const char* text : {"framework=", "=single", "framework=single,", "framework=single,gpus=0",
                           "gpus=4,framework"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_baseline(text), base::UsageError);
  }
  CHECK_THROWS_WITH(parse_baseline("framework=a,framework=b"),
                    Contains("framework is given twice"));
  CHECK_THROWS_WITH(parse_baseline("model=resnet18"), Contains("runs with another model"));
  CHECK_THROWS_WITH(parse_baseline("global_batch=64"), Contains("do different work"));
}

TEST_CASE("an absolute baseline is the plain run for each curve that differs in the named axis") {
  const Frame frame = with_plain_runs();
  const auto choices = choose_baselines(scaling_curves(frame), {"framework=single", 1}, false);
  REQUIRE(choices.size() == 3);
  for (const BaselineChoice& choice : choices) {
    REQUIRE(choice.baseline.has_value());
    CHECK(choice.baseline->seconds_per_sample().size() == 2);
    CHECK(choice.baseline->label("GPU") == "1 GPU (1 node) with framework=single");
  }
  CHECK_FALSE(choices[0].baseline->is_own());
  CHECK(choices[2].baseline->is_own());
}

TEST_CASE("an absolute baseline must match in all other conditions") {
  Frame frame = with_plain_runs();
  for (RunRow& run : frame.runs) run.conditions["framework"] = run.point["framework"];
  const contract::BaselineRule rule{"framework=single", 1};
  CHECK(choose_baselines(scaling_curves(frame), rule, false)[0].baseline.has_value());
  for (RunRow& run : frame.runs) {
    if (run.point["framework"] == "single") run.conditions["gpu"] = "P100";
  }
  const auto refused = choose_baselines(scaling_curves(frame), rule, false);
  CHECK_FALSE(refused[0].baseline.has_value());
  CHECK_THAT(refused[0].problem,
             Contains("gpu is \"P100\" in the baseline but \"A100\" at gpus=1") &&
                 Contains("use --mixed to compare anyway"));
  const auto allowed = choose_baselines(scaling_curves(frame), rule, true);
  CHECK(allowed[0].baseline.has_value());
  CHECK_THAT(allowed[0].mixed, Contains("gpu is \"P100\""));
  CHECK(allowed[2].mixed.empty());
}

TEST_CASE("a condition that must match is not an axis for a baseline") {
  Frame frame = frame_of({run_at(1, 100, "fp32"), run_at(2, 300, "fp16")});
  frame.axes = {{"precision", {"fp32", "fp16"}}};
  for (RunRow& run : frame.runs) {
    const std::string value = run.point["framework"];
    run.point = {{"precision", value}};
    run.conditions["precision"] = value;
  }
  const auto choices = choose_baselines(scaling_curves(frame), {"precision=fp32", 1}, false);
  CHECK(choices[0].baseline.has_value());
  CHECK_THAT(choices[1].problem, Contains("precision is \"fp32\" in the baseline"));
}

TEST_CASE("an unmeasured absolute baseline is reported with the alternatives") {
  Frame frame = with_plain_runs();
  const auto problem = [&](const contract::BaselineRule& rule) {
    return choose_baselines(scaling_curves(frame), rule, false)[0].problem;
  };
  CHECK_THAT(problem({"framework=plain", 1}), Contains("with the baseline's framework=plain"));
  CHECK_THAT(problem({"framework=single", 4}),
             Contains("gpus=4 for framework=single") && Contains("(this curve has gpus=1)"));
  CHECK_THAT(problem({"framwork=single", 1}), Contains("did you mean \"framework\""));
  for (RunRow& run : frame.runs) {
    run.point["loader"] = run.point["framework"] == "single" ? "native" : "packed";
  }
  CHECK_THAT(problem({"framework=single", 1}),
             Contains("framework=single, loader=native") && Contains("may differ"));
  CHECK(problem({"framework=single,loader=native", 1}).empty());
  for (RunRow& run : frame.runs) run.batch_per_gpu = run.point["framework"] == "single" ? 32 : 64;
  CHECK_THAT(problem({"framework=single", 1}),
             Contains("with the baseline's framework=single does the same work as framework=ddp"));
}

TEST_CASE("an unknown baseline rule is a usage error") {
  CHECK_THROWS_WITH(parse_baseline("percurve"), Contains("did you mean \"per-curve\""));
  CHECK_THROWS_AS(parse_baseline("gpus=0"), base::UsageError);
  CHECK_THROWS_AS(parse_baseline("gpus=4x"), base::UsageError);
  CHECK_THROWS_AS(parse_baseline(""), base::UsageError);
}

}  // namespace dlscale::analysis
