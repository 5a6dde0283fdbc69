// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/parallel/learns_alike.hpp"

#include <catch2/catch.hpp>

#include "contract/run_spec/process_count.hpp"
#include "tests/trainer/parallel/style_specs.hpp"

namespace dlscale::test {
namespace {

/// Returns the size of a group of consecutive ranks whose members all do different work. Returns 0
/// if all ranks do the same work.
int unlike_ranks(const contract::RunSpec& spec) {
  if (!spec.uneven_batch.empty()) return spec.gpus;
  if (spec.framework == "hybrid") {
    const int stages = spec.framework_options.model_parallel_size;
    return stages > 1 ? stages : 0;
  }
  const bool unlike = spec.framework == "pipeline" || spec.framework == "layerwise" ||
                      spec.framework == "vanilla_data_parallel";  // rank 0 leads the other ranks
  return unlike ? spec.gpus : 0;
}

/// Checks the recorded times of each process, if there are several processes.
void check_rank_times(const contract::RunSpec& spec, const ThreadLaunch& found) {
  const auto times = all<contract::RankTimes>(found.records);
  const auto processes = static_cast<std::size_t>(contract::process_count(spec));
  REQUIRE(times.size() == (processes > 1 ? 1 : 0));
  if (times.empty()) return;
  REQUIRE(times[0].work_s.size() == processes);
  for (const double work_s : times[0].work_s) CHECK(work_s > 0);
  CHECK(times[0].stages == unlike_ranks(spec));
}

/// Checks that the times of the parts of a step add up to at most the wall time. The times of the
/// parts are means over the ranks. The wall time is the wall time of the slowest rank.
void check_parts(const ThreadLaunch& found) {
  for (const auto& window : all<contract::StepWindow>(found.records)) {
    double sum = 0;
    for (const auto& part : window.parts) {
      CHECK(part.mean >= -1e-9);
      sum += part.mean;
    }
    CHECK(sum > 0);
    CHECK(sum <= window.wall_s * (1 + 1e-6));
  }
}

}  // namespace

void check_alike(const contract::RunSpec& spec, const ThreadLaunch& found,
                 const ThreadLaunch& alone) {
  INFO(title_of(spec));
  REQUIRE_FALSE(alone.parameters.empty());
  CHECK(largest_difference(found.parameters, alone.parameters) < 1e-10);
  const auto expected = all<contract::EvalRecord>(alone.records).back();
  const auto eval = all<contract::EvalRecord>(found.records).back();
  check_rank_times(spec, found);
  check_parts(found);
  CHECK(eval.samples == spec.dataset.test_samples);
  CHECK(eval.correct == expected.correct);
  CHECK(eval.loss == Approx(expected.loss).epsilon(1e-10));
  const auto epoch = all<contract::EpochRecord>(found.records)[0];
  const auto expected_epoch = all<contract::EpochRecord>(alone.records)[0];
  CHECK(epoch.train_loss == Approx(expected_epoch.train_loss).epsilon(1e-10));
  REQUIRE(expected_epoch.correct.has_value());
  CHECK(epoch.correct == expected_epoch.correct);
}

void check_learns_alike(const contract::RunSpec& spec, const ThreadLaunch& alone) {
  check_alike(spec, run(spec), alone);
}

}  // namespace dlscale::test
