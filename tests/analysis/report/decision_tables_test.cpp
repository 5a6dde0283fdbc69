// SPDX-License-Identifier: Apache-2.0
// Tests of the tables verdicts, cost, fit, knee and recommend.
#include <catch2/catch.hpp>

#include "analysis/report/tables/metrics.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::column;
using test::frame_of;
using test::notes;
using test::number;
using test::run_at;
using test::text;

/// Returns runs of two frameworks on 1 to 8 GPUs with six repeats per point. horovod scales worse
/// than ddp.
Frame measured() {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod"}) {
    const double loss = framework[0] == 'd' ? 0.03 : 0.15;
    for (const int gpus : {1, 2, 4, 8}) {
      for (int r = 1; r <= 6; ++r) {
        const double rate = 1000.0 * gpus / (1 + loss * std::log2(gpus)) * (1 + 0.001 * r);
        frame.runs.push_back(run_at(gpus, rate, framework, r));
        frame.runs.back().spent = {1, 90, 10};
        frame.runs.back().size.train_samples = 3600000;
      }
    }
  }
  return frame;
}

}  // namespace

TEST_CASE("the verdict table names the faster configuration, the effect and its basis") {
  const Table table = verdicts_table(measured(), {});
  REQUIRE(table.rows.size() == 4);
  CHECK(text(table, 0, "verdict") == "not distinguishable");
  CHECK(text(table, 3, "at") == "gpus=8");
  CHECK(text(table, 3, "a") == "framework=ddp");
  CHECK(text(table, 3, "b") == "framework=horovod");
  CHECK(text(table, 3, "verdict") == "A is faster");
  CHECK(number(table, 3, "time_ratio") == Approx(1.45 / 1.09).epsilon(0.001));
  CHECK(number(table, 3, "adjusted_p") == Approx(4 * 2 / 924.0));
  CHECK_THAT(notes(table), Contains("Holm") && Contains("does not prove equality"));
}

TEST_CASE("the verdict table lists rejected pairs") {
  Frame frame = measured();
  for (RunRow& run : frame.runs) run.conditions["gpu"] = run.point["framework"];
  const Table table = verdicts_table(frame, {});
  CHECK(table.rows.empty());
  CHECK_THAT(notes(table), Contains("not compared: framework=ddp") && Contains("1 more pairs"));
}

TEST_CASE("the cost table counts GPU-hours") {
  const Table table = cost_table(measured(), {});
  REQUIRE(table.rows.size() == 8);
  CHECK(number(table, 1, "gpus") == 2);
  const double rate = 1000 / 1.03 * 1.0035;  // rate per GPU
  CHECK(number(table, 1, "samples_per_gpu_hour") == Approx(3600 * rate).epsilon(1e-3));
  CHECK(number(table, 1, "gpu_hours_per_epoch") == Approx(1000 / rate).epsilon(1e-3));
  CHECK(number(table, 1, "gpu_hours_spent") == Approx(6 * 2 * 100 / 3600.0));
  CHECK(number(table, 1, "gpu_hours_lost") == Approx(6 * 2 * 10 / 3600.0));
}

TEST_CASE("the fit table finds the law of the times and its prediction for more GPUs") {
  const Table table = fit_table(measured(), {});
  const std::size_t laws = table.rows.size() / 2;
  CHECK(text(table, laws - 1, "law") == "average");
  CHECK(text(table, laws - 1, "formula") == "best: log2");
  const double step_s = 64.0 / 1000 / 1.0035;
  CHECK(number(table, laws - 1, "step_time_at_8x_s") == Approx(step_s * 1.18).epsilon(0.001));
  CHECK(number(table, laws, "gpus") == 8);
  Frame few = measured();
  std::erase_if(few.runs, [](const RunRow& run) { return run.gpus > 2; });
  CHECK(fit_table(few, {}).rows.empty());
  CHECK_THAT(notes(fit_table(few, {})),
             Contains("framework=ddp: no law, the curve only has 2 points"));
}

TEST_CASE("the knee table recommends a number of GPUs") {
  const Table table = knee_table(measured(), {});
  REQUIRE(table.rows.size() == 2);
  CHECK(text(table, 0, "advice") == "use at most 8 GPUs (the largest count measured)");
  CHECK(text(table, 1, "advice") == "use at most 2 GPUs");
  CHECK(text(table, 1, "demand") == "efficiency >= 0.8");
  CHECK(number(table, 1, "support") == 1);
  CHECK_THAT(notes(table), Contains("baseline: the smallest number of GPUs of each curve"));
  CHECK(text(table, 1, "against") == "1 GPU (1 node)");
}

TEST_CASE("the knee of mixed runs is rejected, or has a warning when allowed") {
  Frame mixed = measured();
  mixed.runs.back().conditions["gpu"] = "K80";
  CHECK(knee_table(mixed, {}).rows.size() == 1);
  const Table allowed = knee_table(mixed, {{}, true});
  CHECK(allowed.rows.size() == 2);
  CHECK_THAT(notes(allowed), Contains("warning: framework=horovod mixes conditions: gpu is"));
}

TEST_CASE("a knee of fewer than six repeats has no interval, which is noted") {
  Frame few = measured();
  std::erase_if(few.runs, [](const RunRow& run) { return run.repetition > 5; });
  const Table table = knee_table(few, {});
  CHECK(text(table, 1, "advice") == "use at most 2 GPUs; no interval for n < 6");
  CHECK(std::holds_alternative<std::monostate>(table.rows[1][column(table, "support")]));
}

TEST_CASE("energy of jobs is shown next to GPU-hours if the accounting has it, and is never 0") {
  Frame frame = measured();
  CHECK(cost_table(frame, {}).columns.back().id == "gpu_hours_lost");
  frame.runs[0].job = JobRow{.elapsed_s = 100, .energy_j = 0};  // 0 J: no sensor
  CHECK(cost_table(frame, {}).columns.back().id == "gpu_hours_lost");
  for (int i = 0; i < 3; ++i) {
    frame.runs[std::size_t(i)].job = JobRow{.elapsed_s = 100, .energy_j = 30000.0 + 1000 * i};
  }
  const Table table = cost_table(frame, {});
  CHECK(number(table, 0, "n_energy") == 3);
  CHECK(number(table, 0, "mean_power_w") == 310);
  CHECK(number(table, 0, "energy_j") == 31000);
  const double each = 310 / (1000 * 1.002);  // energy per sample in the second repeat
  CHECK(number(table, 0, "energy_j_per_sample") == Approx(each).epsilon(1e-6));
  CHECK(number(table, 0, "energy_j_per_epoch") == Approx(3600000 * each).epsilon(1e-6));
  CHECK(number(table, 1, "n_energy") == 0);
  CHECK(std::holds_alternative<std::monostate>(table.rows[1].back()));
  CHECK_THAT(notes(table), Contains("energy of whole jobs as recorded by the batch system"));
}

TEST_CASE("the recommendation names the fastest configuration for each budget and its equals") {
  const Table table = recommend_table(measured(), {});
  REQUIRE(table.rows.size() == 4);
  CHECK(text(table, 0, "as_fast") == "framework=horovod, gpus=1");
  CHECK(text(table, 2, "fastest") == "framework=ddp, gpus=4");
  CHECK(text(table, 2, "as_fast").empty());
  CHECK(text(table, 0, "untested").empty());
  CHECK(number(table, 3, "throughput_samples_per_s") == Approx(8000 / 1.09 * 1.0035).epsilon(1e-3));
  Frame single = measured();
  std::erase_if(single.runs, [](const RunRow& run) { return run.repetition > 1; });
  const Table unsure = recommend_table(single, {});
  CHECK(text(unsure, 0, "as_fast").empty());
  CHECK(text(unsure, 0, "untested") == "framework=horovod, gpus=1");
  Frame mixed = measured();
  mixed.runs.back().conditions["gpu"] = "K80";
  CHECK_THAT(notes(recommend_table(mixed, {})), Contains("framework=horovod: omitted"));
}

TEST_CASE("the recommendation names the best count by the median and by the mean") {
  Frame frame = frame_of({});
  for (int i = 1; i <= 3; ++i) {
    frame.runs.push_back(run_at(2, 1000, "ddp", i));
    frame.runs.push_back(run_at(4, i == 1 ? 100 : 1100, "ddp", i));
  }
  const Table table = recommend_table(frame, {});
  REQUIRE(table.rows.size() == 2);
  for (const std::size_t row : {0, 1}) {
    CHECK(number(table, row, "best_gpus") == 4);
    CHECK(number(table, row, "best_gpus_by_mean") == 2);
  }
}

TEST_CASE("runs on CPUs are not recommended within a budget of GPUs") {
  Frame frame = frame_of({run_at(1, 1000), run_at(2, 1900)});
  for (const auto& [ranks, rate] : {std::pair(1, 10.0), std::pair(8, 40.0)}) {
    RunRow run = run_at(ranks, rate, "horovod");
    run.conditions = {{"device", "cpu"}};
    frame.runs.push_back(run);
  }
  const Table table = recommend_table(frame, {});
  REQUIRE(table.rows.size() == 4);
  CHECK(text(table, 0, "device") == "gpu");
  CHECK(number(table, 1, "best_gpus") == 2);
  CHECK(text(table, 2, "device") == "cpu");
  CHECK(text(table, 3, "fastest") == "framework=horovod, gpus=8");
  CHECK(number(table, 3, "best_gpus") == 8);
}

TEST_CASE("a recommendation for runs on one kind of device has no column of the device") {
  CHECK_THROWS_AS(column(recommend_table(measured(), {}), "device"), base::RunError);
}

TEST_CASE("outliers that were left out are noted under every table, including divided tables") {
  Frame frame = measured();
  frame.outliers = "outliers (mad): 1 run left out: x";
  CHECK_THAT(notes(cost_table(frame, {})), Contains(frame.outliers));
  const Report divided = make_report(find_metric("knee"), frame, {}, {"batch_per_gpu"});
  REQUIRE(divided.tables.size() == 2);
  CHECK_THAT(notes(divided.tables[1]), Contains(frame.outliers));
}

}  // namespace dlscale::analysis
