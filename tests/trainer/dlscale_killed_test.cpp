// SPDX-License-Identifier: Apache-2.0
// A test of a rank that is killed during training.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/trainer/told_job.hpp"

using namespace dlscale;
using contract::RunOutcome;
using test::description;
using test::Job;
using test::stop_of;

namespace {

/// Returns whether a process has ended. An ended process that was not waited for is still listed as
/// a zombie (state Z).
bool is_gone(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  return !std::getline(file, text) || text.substr(text.rfind(')')).starts_with(") Z");
}

}  // namespace

TEST_CASE("a killed rank ends the job within 10 s and leaves complete records, in every style") {
  const auto [framework, victim] = GENERATE(table<std::string, int>({{"synchronous", 1},
                                                                     {"ddp", 0},
                                                                     {"ddp", 1},
                                                                     {"horovod", 0},
                                                                     {"deepspeed", 1},
                                                                     {"vanilla_data_parallel", 1},
                                                                     {"layerwise", 1},
                                                                     {"pipeline", 0},
                                                                     {"hybrid", 1}}));
  CAPTURE(framework, victim);
  auto spec = description(2, 10000);
  spec.framework = framework;
  if (framework == "hybrid") spec.framework_options.model_parallel_size = 2;
  Job job(spec);
  job.start(2);
  job.wait_for_training();
  const pid_t ranks[] = {job.pid_of_rank(0), job.pid_of_rank(1)};
  ::kill(ranks[victim], SIGKILL);
  const auto end = job.end();
  for (int looks = 0; looks < 100 && !(is_gone(ranks[0]) && is_gone(ranks[1])); ++looks) {
    ::usleep(10'000);  // a rank may still be freeing its memory
  }
  for (const pid_t rank : ranks) CHECK(is_gone(rank));
  CHECK(end.exit_code != 0);
  CHECK(end.wall_s < 10);
  CHECK(job.results_text().ends_with("}\n"));
  const auto results = job.results();
  CHECK(results.skipped.empty());
  // Rank 0 writes the records. If rank 0 was killed, the other rank completes them.
  CHECK(stop_of(results).outcome == RunOutcome::Failed);
  CHECK(stop_of(results).reason ==
        fmt::format("rank {} has left while others wait for it", victim));
}
