// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/answer/study_answer.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/answer/answer_parts.hpp"
#include "tests/analysis/support/repeated_runs.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::add_accurate_repeats;
using test::add_repeats;
using test::frame_of;

const std::string kCollect = "dlscale collect    # after the runs have ended";
const std::string kPlan = "dlscale plan study.toml --site site.toml -o . -S ";

/// Returns the answer to the question that contains `words`.
Answer answer_to(const StudyAnswer& answer, const std::string& words) {
  for (const Answer& one : answer.answers) {
    if (one.question.find(words) != std::string::npos) return one;
  }
  FAIL("no answer to " << words);
  return {};
}

TrustCheck check_of(const StudyAnswer& answer, const std::string& name) {
  for (const TrustCheck& check : answer.checks) {
    if (check.name == name) return check;
  }
  FAIL("no check of " << name);
  return {};
}

/// Returns a study in which ddp is faster than horovod, and in which 8 GPUs are not worthwhile.
Frame clear_study(int repeats = 6) {
  Frame frame = frame_of({});
  for (const auto& [framework, factor] : {std::pair{"ddp", 1.2}, std::pair{"horovod", 1.0}}) {
    add_repeats(frame, 1, 100 * factor, repeats, framework);
    add_repeats(frame, 2, 195 * factor, repeats, framework);
    add_repeats(frame, 4, 370 * factor, repeats, framework);
    add_repeats(frame, 8, 500 * factor, repeats, framework);
  }
  return frame;
}

/// Adds planned runs of "ddp" that have not started. The first run is repetition `before` + 1.
void add_open_runs(Frame& frame, int gpus, int count, int before = 0) {
  for (int i = 0; i < count; ++i) {
    RunRow run = test::run_at(gpus, 100, "ddp", before + i + 1);
    run.outcome = kNotStarted;
    run.steps = {};
    frame.runs.push_back(run);
  }
}

void make_strong(Frame& frame) {
  frame.scaling = "strong";
  for (RunRow& run : frame.runs) {
    run.global_batch = 64;
    run.batch_per_gpu = 64 / run.gpus;
  }
}

}  // namespace

TEST_CASE("a clear winner and a worthwhile count are stated with their intervals") {
  const StudyAnswer answer = answer_study(clear_study(), {});
  CHECK(answer.study ==
        "made-up: weak scaling (fixed batch per GPU) of 2 configurations on 1 to 8 "
        "GPUs; 48 of 48 runs used, 6 repetitions per point.");
  const Answer count = answer_to(answer, "How many GPUs?");
  CHECK(count.is_supported);
  CHECK_THAT(count.text,
             Contains("Use up to 4 GPUs, the largest count whose efficiency has a lower "
                      "bound of at least 0.8: efficiency 0.92 [0.92, 0.93] with framework=ddp and "
                      "0.93 [0.92, 0.93] with framework=horovod, speed-up 3.7. At 8 GPUs the "
                      "efficiency is 0.62 [0.62, 0.63] with framework=ddp and 0.63 [0.62, 0.63] "
                      "with framework=horovod."));
  const Answer faster = answer_to(answer, "faster");
  CHECK(faster.is_supported);
  CHECK_THAT(faster.text, Contains("`ddp` is 1.20 [1.19, 1.21] times as fast as `horovod` at 8 "
                                   "GPUs, and faster from 1 GPU on."));
  CHECK(worst_light(answer) == TrustCheck::Light::Green);
  CHECK(answer.next.empty());
}

TEST_CASE("each of a few configurations has its efficiency next to its name") {
  Frame frame = frame_of({});
  for (const auto& [framework, rate] : {std::pair{"ddp", 160.0}, std::pair{"horovod", 156.0}}) {
    add_repeats(frame, 1, 100, 4, framework);
    add_repeats(frame, 2, rate, 4, framework);
  }
  CHECK_THAT(answer_to(answer_study(frame, {.min_efficiency = 0.79}), "GPUs?").text,
             Contains("More than 1 GPU may or may not be worthwhile: at 2 GPUs the efficiency is "
                      "0.80 (range") &&
                 Contains(", n = 4) with framework=ddp and 0.78 (range") &&
                 Contains(", n = 4) with framework=horovod. The repetitions cannot tell"));
}

TEST_CASE("of many configurations, the answer names the one with the highest efficiency") {
  Frame frame = frame_of({});
  for (const char* framework : {"a", "b", "c", "d"}) {
    add_repeats(frame, 1, 100, 6, framework);
    add_repeats(frame, 2, framework[0] == 'c' ? 130 : 120, 6, framework);
  }
  CHECK_THAT(answer_to(answer_study(frame, {}), "GPUs?").text,
             Contains("Use 1 GPU: at 2 GPUs the efficiency is 0.65 [") &&
                 Contains("] with framework=c, the highest of 4 configurations, below 0.8."));
}

TEST_CASE("the demanded efficiency changes the answer") {
  const StudyAnswer answer = answer_study(clear_study(), {.min_efficiency = 0.95});
  CHECK_THAT(answer_to(answer, "GPUs?").text,
             Contains("Use up to 2 GPUs") && Contains("at least 0.95"));
}

TEST_CASE("strong scaling is named, and its answers compare equal global batches") {
  Frame frame = clear_study();
  make_strong(frame);
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_THAT(answer.study, Contains("strong scaling (fixed global batch)"));
  CHECK_THAT(answer_to(answer, "GPUs?").text, Contains("Use up to 4 GPUs"));
}

TEST_CASE("if the tables have another baseline than the answer, the answer says so") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6, "ddp");
  add_repeats(frame, 2, 195, 6, "ddp");
  add_repeats(frame, 4, 370, 6, "ddp");
  add_repeats(frame, 2, 195, 6, "horovod");
  add_repeats(frame, 4, 370, 6, "horovod");
  CHECK_THAT(answer_to(answer_study(frame, {}), "GPUs?").text,
             Contains("Efficiency is relative to 1 GPU (1 node) or 2 GPUs (1 node) here, and to 2 "
                      "GPUs (1 node) in tables and figures."));
  CHECK_THAT(answer_to(answer_study(frame, {.baseline = {.rule = "per-curve"}}), "GPUs?").text,
             Contains("Efficiency is relative to 1 GPU (1 node) or 2 GPUs (1 node)."));
}

TEST_CASE("variants without a difference are not ranked") {
  Frame frame = frame_of({});
  add_repeats(frame, 2, 200, 6, "ddp");
  add_repeats(frame, 2, 200, 6, "horovod");
  const Answer answer = answer_to(answer_study(frame, {}), "faster");
  CHECK_THAT(answer.text,
             Contains("is 1.00 [0.99, 1.01] times as fast as") &&
                 Contains(" at 2 GPUs, but 6 repetitions cannot tell this difference from none."));
}

TEST_CASE("several values without any difference are summarised in one sentence") {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
    add_repeats(frame, 2, 200, 6, framework);
  }
  CHECK_THAT(
      answer_to(answer_study(frame, {}), "faster").text,
      Catch::StartsWith("framework: the repetitions cannot tell the speed of 3 values apart. The "
                        "largest of their differences is that `") &&
          Contains("` is 1.00 [0.99, 1.01] times as fast as `") &&
          Catch::EndsWith(" at 2 GPUs. Each factor is the median over all pairs of repetitions."));
}

TEST_CASE("a value that is faster than all others is named first") {
  Frame frame = clear_study();
  for (const int gpus : {1, 2, 4, 8}) add_repeats(frame, gpus, 50.0 * gpus, 6, "deepspeed");
  const std::string text = answer_to(answer_study(frame, {}), "faster").text;
  CHECK_THAT(text, Contains("framework: `ddp` is faster than the others. `ddp` is"));
}

TEST_CASE("too few repetitions give no recommendation but the runs that are missing") {
  const StudyAnswer answer = answer_study(clear_study(3), {});
  const Answer count = answer_to(answer, "GPUs?");
  CHECK_FALSE(count.is_supported);
  CHECK_THAT(count.text, Contains("Up to 4 GPUs look worthwhile") && Contains("not proven") &&
                             Contains("(range ") && !Contains("Use"));
  const Answer faster = answer_to(answer, "faster");
  CHECK_FALSE(faster.is_supported);
  CHECK_THAT(faster.text, Contains("`ddp` is 1.20 (range") &&
                              Contains("at 8 GPUs, but n = 3 is too small for a test."));
  CHECK(check_of(answer, "repetitions").light == TrustCheck::Light::Amber);
  REQUIRE(answer.next.size() == 1);
  CHECK(answer.next[0].commands ==
        std::vector<std::string>{kPlan + "study.repeats=6", "dlscale submit", kCollect});
}

TEST_CASE("single runs are a problem, and the condition selects only the points without repeats") {
  Frame frame = clear_study();
  std::erase_if(frame.runs, [](const RunRow& run) { return run.gpus >= 4 && run.repetition > 1; });
  const StudyAnswer answer = answer_study(frame, {});
  CHECK(check_of(answer, "repetitions").light == TrustCheck::Light::Amber);
  CHECK(answer.next.at(0).commands == std::vector<std::string>{kPlan + "study.repeats=6",
                                                               "dlscale submit --where 'gpus >= 4'",
                                                               kCollect});
  const StudyAnswer single = answer_study(clear_study(1), {});
  CHECK(check_of(single, "repetitions").light == TrustCheck::Light::Red);
  CHECK_THAT(answer_to(single, "GPUs?").text, Contains("(one run)") && Contains("not proven"));
}

TEST_CASE("imported runs get no plan command") {
  Frame frame = clear_study(3);
  frame.is_imported = true;
  const NextStep step = answer_study(frame, {}).next.at(0);
  CHECK(step.commands.empty());
  CHECK_THAT(step.reason, Contains("run each point 6 times and collect the logs"));
}

TEST_CASE("with one GPU count the number of GPUs is unknown, and other counts are proposed") {
  Frame frame = frame_of({});
  add_repeats(frame, 4, 400, 6);
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_FALSE(answer_to(answer, "GPUs?").is_supported);
  CHECK_THAT(answer_to(answer, "GPUs?").text, Contains("Unknown: all runs have 4 GPUs"));
  CHECK(answer.next.at(0).commands ==
        std::vector<std::string>{kPlan + "'matrix.gpus=[4, 8, 16]'", "dlscale submit", kCollect});
}

TEST_CASE("proposed counts do not exceed the machine of a local site") {
  const auto commands = [](int gpus, int most) {
    Frame frame = frame_of({});
    add_repeats(frame, gpus, 400, 6);
    const auto next = answer_study(frame, {.most_gpus = most}).next;
    return next.empty() ? "" : next.at(0).commands.at(0);
  };
  CHECK(commands(4, 8) == kPlan + "'matrix.gpus=[4, 8]'");
  CHECK(commands(4, 6) == kPlan + "'matrix.gpus=[1, 2, 4]'");
  CHECK(commands(2, 2) == kPlan + "'matrix.gpus=[1, 2]'");
  CHECK(commands(4, 2) == kPlan + "'matrix.gpus=[1, 2, 4]'");  // 4 was measured already
  CHECK(commands(1, 1).empty());
}

TEST_CASE("the plan command names the original study and repeats its changes") {
  Frame frame = clear_study(3);
  frame.origins = {{"", {"/my work/study.toml", {"training.epochs=2", "study.repeats=3"}, {}}}};
  CHECK(answer_study(frame, {}).next.at(0).commands.at(0) ==
        "dlscale plan '/my work/study.toml' --site site.toml -o . -S training.epochs=2 "
        "-S study.repeats=6");
  frame.origins[""].overrides = {"training.dataset.path='a b'"};
  CHECK_THAT(answer_study(frame, {}).next.at(0).commands.at(0),
             Contains(" -S 'training.dataset.path='\\''a b'\\''' -S study.repeats=6"));
}

TEST_CASE("sources of different studies get a plan command each, and other sources share one") {
  Frame frame = clear_study(3);
  for (RunRow& run : frame.runs) run.source = run.point["source"] = run.point["framework"];
  CHECK(answer_study(frame, {}).next.size() == 1);
  CHECK_THAT(answer_study(frame, {}).next.at(0).reason,
             Contains("in the plan folder of each source"));
  frame.origins = {{"ddp", {"/a/study.toml", {}, {}}}, {"horovod", {"/b/study.toml", {}, {}}}};
  const std::vector<NextStep> next = answer_study(frame, {}).next;
  REQUIRE(next.size() == 2);
  CHECK_THAT(next[0].reason, Contains("in the plan folder of ddp"));
  CHECK_THAT(next[0].commands.at(0), Contains("dlscale plan /a/study.toml "));
  CHECK_THAT(next[1].commands.at(0), Contains("dlscale plan /b/study.toml "));
}

TEST_CASE("planned runs on other counts that have not ended are completed before new ones") {
  Frame frame = frame_of({});
  add_repeats(frame, 4, 400, 6);
  add_open_runs(frame, 8, 2);
  const std::vector<NextStep> next = answer_study(frame, {}).next;
  REQUIRE(next.size() == 1);
  CHECK(next[0].reason ==
        "to compare counts, complete 2 planned runs on other numbers of GPUs (dlscale status shows "
        "the states), then run dlscale collect");
  CHECK(next[0].commands.empty());
}

TEST_CASE("planned runs with other axis values are no repetitions of a point") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 195, 2);
  add_open_runs(frame, 2, 4, 2);
  for (RunRow& run : frame.runs) {
    if (run.outcome == kNotStarted) run.point["framework"] = "horovod";
  }
  const std::vector<NextStep> next = answer_study(frame, {}).next;
  REQUIRE(next.size() == 1);
  CHECK_THAT(next[0].reason, Contains("for 95 % intervals, repeat more often"));
}

TEST_CASE("planned repetitions that have not ended count as repetitions") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 195, 2);
  add_open_runs(frame, 2, 4, 2);
  const std::vector<NextStep> next = answer_study(frame, {}).next;
  REQUIRE(next.size() == 1);
  CHECK_THAT(next[0].reason, Contains("for 95 % intervals, complete 4 planned runs ("));
  frame.ends_repeats_early = true;
  CHECK(answer_study(frame, {}).next.empty());
  frame.runs.pop_back();
  CHECK(answer_study(frame, {}).next.at(0).commands ==
        std::vector<std::string>{kPlan + "study.repeats=6", "dlscale submit --where 'gpus == 2'",
                                 kCollect});
}

TEST_CASE("failed runs are repeated before further repetitions are planned") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 195, 4);
  add_open_runs(frame, 2, 2, 4);
  for (RunRow& run : frame.runs) {
    if (run.outcome == kNotStarted) run.outcome = "Failed";
  }
  const std::vector<NextStep> next = answer_study(frame, {}).next;
  REQUIRE(next.size() == 1);
  CHECK(next[0].reason ==
        "to complete 2 failed runs, remove the cause (dlscale status states it) and repeat them, "
        "in the plan folder");
  CHECK(next[0].commands == std::vector<std::string>{"dlscale retry", kCollect});
  for (RunRow& run : frame.runs) {
    if (run.outcome == "Failed") run.outcome = "OutOfMemory";  // a repetition cannot help
  }
  CHECK_THAT(answer_study(frame, {}).next.at(0).reason,
             Contains("for 95 % intervals, repeat more often"));
}

TEST_CASE("counts beyond the machine of a local site are reported") {
  const Frame frame = clear_study();
  CHECK(check_of(answer_study(frame, {.most_gpus = 8}), "conditions").light ==
        TrustCheck::Light::Green);
  const TrustCheck check = check_of(answer_study(frame, {.most_gpus = 2}), "conditions");
  CHECK(check.light == TrustCheck::Light::Amber);
  CHECK(check.text ==
        "4, 8 GPUs share the cores of this machine, which has enough for 2, so the efficiency "
        "measures the sharing");
}

TEST_CASE("repetitions that learn exactly alike are reported") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 6);
  add_accurate_repeats(frame, 2, 0.95, 6);
  CHECK(check_of(answer_study(frame, {}), "repetitions").light == TrustCheck::Light::Green);
  for (RunRow& run : frame.runs) {
    if (run.gpus == 1)
      run.evals = {{.epoch = 0, .accuracy = 0.4, .loss = 1.5},
                   {.epoch = 1, .accuracy = 0.5, .loss = 1.2}};
  }
  const TrustCheck check = check_of(answer_study(frame, {}), "repetitions");
  CHECK(check.light == TrustCheck::Light::Amber);
  CHECK_THAT(check.text, Contains("the repetitions of 1 point have equal losses and accuracies"));
}

TEST_CASE("logs without an end are not planned runs that the user can complete") {
  Frame frame = frame_of({});
  frame.is_imported = true;
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 195, 2);
  add_open_runs(frame, 2, 4, 2);
  for (RunRow& run : frame.runs) {
    if (run.outcome == kNotStarted) run.outcome = kUnfinished;
  }
  const std::vector<NextStep> next = answer_study(frame, {}).next;
  REQUIRE(next.size() == 1);
  CHECK_THAT(next[0].reason, Contains("run each point 6 times") && !Contains("planned"));
}

TEST_CASE("failed runs are not taken for runs that have not ended") {
  Frame frame = frame_of({});
  add_repeats(frame, 4, 400, 6);
  add_open_runs(frame, 8, 1);
  frame.runs.back().outcome = "OutOfMemory";
  const std::vector<std::string> commands = answer_study(frame, {}).next.at(0).commands;
  REQUIRE(commands.size() == 3);  // plan, submit, collect
  CHECK_THAT(commands[0], Contains("dlscale plan"));
}

TEST_CASE("an efficiency that the repetitions cannot decide asks for more of them") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 160, 6);
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_FALSE(answer_to(answer, "GPUs?").is_supported);
  CHECK_THAT(answer_to(answer, "GPUs?").text,
             Contains("cannot tell whether the efficiency is at least 0.8"));
  CHECK(answer.next.at(0).commands == std::vector<std::string>{kPlan + "study.repeats=12",
                                                               "dlscale submit --where 'gpus == 2'",
                                                               kCollect});
}

TEST_CASE("mixed conditions and failed runs are problems that the checks name") {
  Frame frame = clear_study();
  frame.runs[8].conditions["gpu"] = "V100";
  frame.runs.back().outcome = "OutOfMemory";
  const StudyAnswer answer = answer_study(frame, {});
  CHECK(check_of(answer, "conditions").light == TrustCheck::Light::Red);
  CHECK_THAT(check_of(answer, "conditions").text, Contains("V100"));
  CHECK(check_of(answer, "runs").light == TrustCheck::Light::Amber);
  CHECK_THAT(check_of(answer, "runs").text, Contains("OutOfMemory 1"));
}

TEST_CASE("unsteady steps, outliers and efficiencies above 1 are reported") {
  Frame frame = clear_study();
  frame.runs[3].warmup.unsteady = 1;
  CHECK_THAT(check_of(answer_study(frame, {}), "steps").text, Contains("1 of 48 runs never"));
  frame = clear_study();
  frame.runs[8].steps.wall_s *= 5;
  CHECK_THAT(check_of(answer_study(frame, {}), "values").text, Contains("1 repetition is far"));
  Frame above = frame_of({});
  add_repeats(above, 1, 100, 6);
  add_repeats(above, 2, 300, 6);
  CHECK_THAT(check_of(answer_study(above, {}), "values").text, Contains("better than ideal"));
}

TEST_CASE("a wide spread of the repetitions is a caution, and an extreme one a problem") {
  Frame frame = clear_study();
  CHECK(check_of(answer_study(frame, {}), "spread").light == TrustCheck::Light::Green);
  frame.runs[12].steps.wall_s *= 1.5;  // one of six repetitions of ddp on 4 GPUs
  const TrustCheck wide = check_of(answer_study(frame, {}), "spread");
  CHECK(wide.light == TrustCheck::Light::Amber);
  CHECK_THAT(wide.text,
             Contains("(at framework=ddp, gpus=4)") && Contains("more than 10 % at 1 of 8 points"));
  frame.runs[12].steps.wall_s *= 2;
  CHECK(check_of(answer_study(frame, {}), "spread").light == TrustCheck::Light::Red);
  for (const TrustCheck& check : answer_study(clear_study(1), {}).checks) {
    CHECK(check.name != "spread");
  }
}

TEST_CASE("batches are compared by samples/s, in an answer of their own") {
  Frame frame = frame_of({});
  add_repeats(frame, 2, 200, 6);
  add_repeats(frame, 2, 240, 6);
  for (std::size_t i = 6; i < frame.runs.size(); ++i) frame.runs[i].batch_per_gpu = 128;
  const StudyAnswer answer = answer_study(frame, {});
  const Answer batch = answer_to(answer, "Which batch is faster?");
  CHECK(batch.is_supported);
  CHECK_THAT(batch.text, Contains("batch_per_gpu: `128` is 1.20 [1.19, 1.21] times as fast as "
                                  "`64` at 2 GPUs. The factors compare samples/s, as medians "));
  std::erase_if(frame.runs, [](const RunRow& run) { return run.repetition > 3; });
  CHECK(answer_to(answer_study(frame, {}), "Which batch is faster?").text ==
        "batch_per_gpu: `128` is 1.20 (range 1.19 to 1.21, n = 3) times as fast as `64` at 2 GPUs, "
        "but n = 3 is too small for a test.");
  for (const Answer& one : answer.answers) CHECK(one.question != "Which variant is faster?");
}

TEST_CASE("an axis whose values were not compared has the reason") {
  Frame frame = frame_of({});
  add_repeats(frame, 2, 200, 6, "ddp");
  add_repeats(frame, 2, 240, 6, "horovod");
  for (std::size_t i = 6; i < frame.runs.size(); ++i) frame.runs[i].conditions["gpu"] = "K80";
  const Answer faster = answer_to(answer_study(frame, {}), "Which variant is faster?");
  CHECK_FALSE(faster.is_supported);
  CHECK(faster.text ==
        "framework: not compared, because a condition differs (gpu is \"A100\" and \"K80\"; use "
        "--mixed to compare anyway).");
  CHECK_THAT(answer_to(answer_study(frame, {.allow_mixed = true}), "faster").text,
             Contains("times as fast as"));
  CHECK(check_of(answer_study(frame, {}), "conditions").table == "verdicts");
}

TEST_CASE("batches that were not compared have the reason, and no table of verdicts") {
  Frame frame = frame_of({});
  add_repeats(frame, 2, 200, 6);
  add_repeats(frame, 2, 240, 6);
  for (std::size_t i = 6; i < frame.runs.size(); ++i) {
    frame.runs[i].batch_per_gpu = 128;
    frame.runs[i].conditions["gpu"] = "K80";
  }
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_THAT(answer_to(answer, "Which batch is faster?").text,
             Contains("batch_per_gpu: not compared, because a condition differs (gpu is"));
  const TrustCheck check = check_of(answer, "conditions");
  CHECK(check.light == TrustCheck::Light::Amber);
  CHECK(check.table.empty());
}

TEST_CASE("the loss of accuracy by batch is stated up to and beyond one point") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 6);
  add_accurate_repeats(frame, 2, 0.946, 6);
  add_accurate_repeats(frame, 4, 0.92, 6);
  const std::string text = answer_to(answer_study(frame, {}), "batch").text;
  CHECK_THAT(text, Contains("Accuracy falls from 95.00 % at batch 64 by 0.40 points [") &&
                       Contains("up to batch 128, and by 3.00 points [") &&
                       Contains("at batch 256."));
}

TEST_CASE("accuracies of runs under different conditions are not compared") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 6);
  add_accurate_repeats(frame, 2, 0.9, 6);
  for (RunRow& run : frame.runs)
    run.conditions["code"] = run.gpus == 1 ? "train.py 1" : "train.py 2";
  const Answer answer = answer_to(answer_study(frame, {}), "larger batch");
  CHECK_FALSE(answer.is_supported);
  CHECK_THAT(answer.text,
             Catch::StartsWith("Unknown, because the accuracies are not comparable: code is") &&
                 Contains("--mixed"));
  CHECK_THAT(answer_to(answer_study(frame, {.allow_mixed = true}), "larger batch").text,
             Contains("Accuracy falls from 95.00 % at batch 64 by 5.00 points ["));
}

TEST_CASE("diverged runs are counted with their smallest batch") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 6);
  add_accurate_repeats(frame, 2, 0.95, 6);
  for (int i = 0; i < 2; ++i) {
    RunRow run = test::run_at(4, 400, "ddp", i + 1);
    run.outcome = "Diverged";
    run.task = "classification";
    run.evals.push_back({.epoch = 0, .accuracy = 0.1});
    frame.runs.push_back(run);
  }
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_THAT(answer_to(answer, "batch").text,
             Contains("The accuracy is 95.00 % at batch 64 and at batch 128: 0.00 points [") &&
                 Contains("2 runs diverged, from batch 256 on."));
}

TEST_CASE("a difference that the repetitions cannot tell from none is stated with its size") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 4);
  add_accurate_repeats(frame, 2, 0.949, 4);
  for (const char* other : {"a", "b", "c"}) {
    add_accurate_repeats(frame, 1, 0.95, 4, other);
    add_accurate_repeats(frame, 2, 0.95, 4, other);
  }
  const std::string text = answer_to(answer_study(frame, {}), "batch").text;
  CHECK_THAT(text, Catch::StartsWith("The accuracy at batch 128 is 0.10 points (range ") &&
                       Contains(", n = 4) lower than the 95.00 % at batch 64, but 4 repetitions "
                                "cannot tell this difference from none."));
  CHECK_THAT(answer_to(answer_study(frame, {}), "accurate").text,
             Contains("The largest of their differences is that `") &&
                 Contains("` has an accuracy 0.10 points (range ") && Contains(" higher than `"));
}

TEST_CASE("equal accuracies are not called different") {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod"}) {
    for (const int gpus : {1, 2}) add_accurate_repeats(frame, gpus, 0.95, 6, framework);
  }
  CHECK_THAT(answer_to(answer_study(frame, {}), "accurate").text,
             Contains("No difference in accuracy between `") &&
                 Contains("` was found at 2 GPUs: 0.00 points ["));
}

TEST_CASE("configurations that were measured at a single count are counted") {
  Frame frame = clear_study();
  CHECK_THAT(answer_to(answer_study(frame, {}), "GPUs?").text, !Contains("at a single count"));
  add_repeats(frame, 1, 100, 6, "deepspeed");
  CHECK_THAT(answer_to(answer_study(frame, {}), "GPUs?").text,
             Contains(" 1 further configuration was measured at a single count."));
}

TEST_CASE("the smallest rise of the accuracy is not called a fall") {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod"}) {
    add_accurate_repeats(frame, 1, 0.80, 6, framework);
    add_accurate_repeats(frame, 2, framework[0] == 'd' ? 0.85 : 0.95, 6, framework);
  }
  CHECK_THAT(answer_to(answer_study(frame, {}), "larger batch").text,
             Contains("Accuracy rises from 80.00 % at batch 64 by 5.00 points [") &&
                 Contains("This is the smallest rise of 2 configurations (framework=ddp)."));
}

TEST_CASE("four repetitions suffice for a test of one pair, but not of all pairs together") {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
    add_repeats(frame, 2, 200, 4, framework);
  }
  CHECK_THAT(answer_to(answer_study(frame, {}), "faster").text,
             Contains("because n = 4 is too small to test all pairs together."));
}

TEST_CASE("a difference of accuracies names the variant with the higher accuracy and the points") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 2, 0.94, 6, "ddp");
  add_accurate_repeats(frame, 2, 0.95, 6, "horovod");
  CHECK_THAT(answer_to(answer_study(frame, {}), "accurate").text,
             Catch::StartsWith("framework: `horovod` has an accuracy 1.00 points [") &&
                 Catch::EndsWith("] higher than `ddp` at 2 GPUs."));
}

TEST_CASE("no sentence of the first screen has two colons") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 3, "ddp");
  add_repeats(frame, 2, 90, 3, "ddp");
  add_repeats(frame, 1, 100, 3, "horovod");
  add_repeats(frame, 2, 190, 3, "horovod");
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_THAT(answer_to(answer, "GPUs?").text,
             Contains("With framework=ddp, only 1 GPU looks worthwhile: at 2 GPUs the efficiency"));
  for (const Answer& one : answer.answers) {
    for (std::size_t at = 0; at < one.text.size();) {
      const std::size_t end = std::min(one.text.find(". ", at), one.text.size());
      const std::string sentence = one.text.substr(at, end - at);
      INFO(sentence);
      CHECK(std::ranges::count(sentence, ':') < 2);
      at = end + 2;
    }
  }
}

TEST_CASE("an unknown number of GPUs has its reason without a second colon") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 190, 6);
  for (RunRow& run : frame.runs) run.conditions["code"] = std::to_string(run.gpus);
  const std::string text = answer_to(answer_study(frame, {}), "GPUs?").text;
  CHECK_THAT(text, Catch::StartsWith("Unknown: framework=ddp, batch_per_gpu=64 is not comparable, "
                                     "because code is \"1\" at gpus=1 but \"2\" at gpus=2 ("));
  CHECK(std::ranges::count(text, ':') == 1);
}

TEST_CASE("one line names the devices and the data sets, or their number") {
  Frame frame = clear_study();
  CHECK(answer_study(frame, {}).setup == "Measured on A100 with an unrecorded data set.");
  for (RunRow& run : frame.runs) run.conditions["dataset"] = "imagenet";
  const StudyAnswer same = answer_study(frame, {});
  CHECK(same.setup == "Measured on A100 with the data set imagenet.");
  CHECK_FALSE(same.has_several_setups);
  CHECK_THAT(answer_text(same), Contains("per point.\n" + same.setup + "\n- How many"));
  frame.runs[0].conditions = {{"device", "cpu"}, {"cpu", "Xeon"}, {"dataset", "cifar10"}};
  const StudyAnswer several = answer_study(frame, {});
  CHECK(several.setup ==
        "Measured on A100 and Xeon (CPU) with the data sets cifar10 and imagenet.");
  CHECK(several.has_several_setups);
  frame.runs[1].conditions = {{"device", "cpu"}, {"cpu", "EPYC"}, {"dataset", "mnist"}};
  CHECK(answer_study(frame, {}).setup == "Measured on 3 device models with 3 data sets.");
  for (RunRow& run : frame.runs) run.conditions.clear();
  CHECK(answer_study(frame, {}).setup == "The runs do not record their device and data set.");
  CHECK(answer_study(frame_of({}), {}).setup.empty());
}

TEST_CASE("a study without results has a sentence and no answers") {
  const StudyAnswer answer = answer_study(frame_of({}), {});
  CHECK(answer.answers.empty());
  CHECK(answer.next.empty());
  CHECK_THAT(answer_text(answer),
             Contains("made-up: weak scaling") && Contains("0 of 0 runs used"));
}

TEST_CASE("completed runs without records are not used, and the checks say so") {
  Frame frame = clear_study(3);
  for (RunRow& run : frame.runs) run.has_records = false;
  const StudyAnswer answer = answer_study(frame, {});
  CHECK(check_of(answer, "runs").light == TrustCheck::Light::Red);
  CHECK_THAT(answer.study, Contains("; 0 of "));
}

TEST_CASE("the text for terminals has short lines and keeps commands whole") {
  const std::string text = answer_text(answer_study(clear_study(3), {}));
  CHECK_THAT(text,
             Contains("- How many GPUs?") && Contains("- Can I trust it? repetitions (caution)"));
  CHECK_THAT(text, Contains("\n    " + kPlan + "study.repeats=6\n    dlscale submit\n    " +
                            kCollect + "\n"));
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  CHECK(longest <= 98);
}

TEST_CASE("estimates are shown with the kind of their interval") {
  CHECK(with_interval({0.844, {Interval::Kind::Confidence95, 0.81, 0.87}, 6}, 2) ==
        "0.84 [0.81, 0.87]");
  CHECK(with_interval({0.844, {Interval::Kind::Range, 0.81, 0.87}, 3}, 2) ==
        "0.84 (range 0.81 to 0.87, n = 3)");
  CHECK(with_interval({0.004, {}, 1}, 1, 100, " points") == "0.4 points (one run)");
  CHECK(with_interval({-0.0001, {Interval::Kind::Confidence95, -0.5, 1}, 6}, 2) ==
        "0.00 [-0.50, 1.00]");
  CHECK(quoted_value("a`b") == "`a'b`");
}

TEST_CASE("conditions select GPU counts in the shortest way") {
  const std::set<int> all{1, 2, 4, 8};
  CHECK(count_condition(all, all).empty());
  CHECK(count_condition({4}, all) == "gpus == 4");
  CHECK(count_condition({4, 8}, all) == "gpus >= 4");
  CHECK(count_condition({1, 2}, all) == "gpus <= 2");
  CHECK(count_condition({1, 4}, all) == "gpus in [1, 4]");
}

TEST_CASE("groups of curves are named by the values that only they share") {
  const std::vector<CurveKey> keys{{{"framework", "ddp"}, {"lr", "step"}},
                                   {{"framework", "ddp"}, {"lr", "cosine"}},
                                   {{"framework", "horovod"}, {"lr", "step"}},
                                   {{"framework", "horovod"}, {"lr", "cosine"}}};
  CHECK(group_name(keys, {0, 1, 2, 3}).empty());
  CHECK(group_name(keys, {0, 1}) == "framework=ddp");
  CHECK(group_name(keys, {1}) == "framework=ddp, lr=cosine");
  CHECK(group_name(keys, {0, 3}) == "framework=ddp, lr=step and framework=horovod, lr=cosine");
  CHECK(group_name(keys, {0, 1, 3}) == "3 of 4 configurations");
}

TEST_CASE("pairs with too few repetitions are summarised in one sentence for each axis") {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
    add_repeats(frame, 2, 200, 3, framework);
  }
  CHECK_THAT(answer_to(answer_study(frame, {}), "faster").text,
             Catch::StartsWith("framework: the values cannot be compared, because n = 3 is too "
                               "small for a test. The largest of their differences is that `") &&
                 Contains("` is 1.00 (range"));
  std::erase_if(frame.runs, [](const RunRow& run) { return run.point.at("framework") == "ddp"; });
  CHECK_THAT(answer_to(answer_study(frame, {}), "faster").text,
             Contains("times as fast as") && Contains("but n = 3 is too small for a test."));
}

TEST_CASE("next to pairs that can be compared, the other pairs are counted") {
  Frame frame = frame_of({});
  add_repeats(frame, 2, 200, 12, "ddp");
  add_repeats(frame, 2, 100, 12, "horovod");
  add_repeats(frame, 2, 150, 2, "deepspeed");
  CHECK_THAT(answer_to(answer_study(frame, {}), "faster").text,
             Contains("`ddp` is 2.00 [") &&
                 Contains(" 2 other pairs cannot be compared, because n = 2 is too small for a "
                          "test. The largest of their differences is that `"));
}

TEST_CASE("answers name axes by their last part, and omit axes that a run does not have") {
  Frame frame = frame_of({});
  for (const char* backbone : {"vgg16", "alexnet"}) {
    for (const int gpus : {1, 2}) {
      add_repeats(frame, gpus, backbone[0] == 'v' ? 100 : 60 + 40 * gpus, 6, backbone);
    }
  }
  for (RunRow& run : frame.runs) {
    run.point["models.frozen_backbone.backbone"] = run.point["framework"];
    run.point["framework"] = "ddp";
    if (run.point["models.frozen_backbone.backbone"] == "vgg16") run.point["weights"] = "";
  }
  frame.axes.push_back({"models.frozen_backbone.backbone", {"vgg16", "alexnet"}});
  const StudyAnswer answer = answer_study(frame, {});
  CHECK_THAT(answer_text(answer), !Contains("models.") && !Contains("weights unknown"));
  CHECK_THAT(answer_to(answer, "How many").text, Contains("backbone=alexnet"));
  frame.runs[6].steps.wall_s *= 1.5;  // vgg16 on 2 GPUs
  CHECK_THAT(check_of(answer_study(frame, {}), "spread").text,
             Contains("(at backbone=vgg16, no weights, gpus=2)"));
  frame.runs[18].steps.wall_s *= 2;  // alexnet on 2 GPUs
  CHECK_THAT(check_of(answer_study(frame, {}), "spread").text,
             Contains("(at backbone=alexnet, gpus=2)"));
}

}  // namespace dlscale::analysis
