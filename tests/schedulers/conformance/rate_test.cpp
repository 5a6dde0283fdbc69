// SPDX-License-Identifier: Apache-2.0
// Benchmark of submitting and polling jobs in comparison with the bare commands, run only with the
// tag [rate].
#include <fmt/format.h>

#include <iostream>

#include "tests/schedulers/conformance/bench.hpp"

using namespace dlscale;
using test::Bench;
using test::Job;
using test::JobId;

namespace {

int count_of_jobs() {
  const char* count = std::getenv("DLSCALE_RATE_JOBS");
  return count == nullptr ? 300 : std::stoi(count);
}

double seconds_of(const base::Clock& clock, const std::function<void()>& work) {
  const double before_s = clock.steady_s();
  work();
  return clock.steady_s() - before_s;
}

}  // namespace

TEST_CASE("submitting jobs has at least 0.8 of the rate of a bare loop", "[.][rate]") {
  Bench bench;
  const bool is_slurm = bench.is("slurm");
  const int count = count_of_jobs();
  Job job = bench.job("a", "true", is_slurm ? "#SBATCH --hold" : "#OAR --hold");
  const std::string command = is_slurm ? "sbatch --parsable --comment=x" : "oarsub -S -n plan-a.x";
  std::vector<JobId> ids;
  double bare_s = 0, ours_s = 0;
  // The bare loop and dlscale alternate, so that other load on the machine affects both.
  for (int part = 0; part < 3; ++part) {
    bare_s += seconds_of(bench.clock, [&] {
      bench.command({"bash", "-c",
                     fmt::format("for i in $(seq {}); do {} {}; done", count / 3, command,
                                 job.script.string())});
    });
    ours_s += seconds_of(bench.clock, [&] {
      for (int i = 0; i < count / 3; ++i) {
        job.launch = fmt::format("rate{}x{}", part, i);
        ids.push_back(bench.submit(job).id);
      }
    });
  }
  std::vector<test::JobStatus> answers;
  const double status_s = seconds_of(bench.clock, [&] { answers = bench.scheduler->status(ids); });
  std::cout << fmt::format(
      "{} jobs: bare loop {:.2f} s ({:.0f}/s), ours {:.2f} s ({:.0f}/s): {:.2f} of its rate; "
      "state of all: {:.2f} s\n",
      count, bare_s, count / bare_s, ours_s, count / ours_s, bare_s / ours_s, status_s);
  for (const auto& answer : answers) CHECK(answer.state == test::JobState::Queued);
  CHECK(ours_s <= bare_s / 0.8);
}
