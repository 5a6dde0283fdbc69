// SPDX-License-Identifier: Apache-2.0
// Conformance tests of limits on the number of jobs of a user.
#include <cstdlib>
#include <fstream>

#include "tests/schedulers/conformance/bench.hpp"

using namespace dlscale;
using test::Bench;
using test::Job;

namespace {

/// Makes the controller enforce the limits of the accounting after its next start.
void enforce_limits(Bench& bench) {
  std::ofstream(std::getenv("SLURM_CONF"), std::ios::app) << "AccountingStorageEnforce=limits\n";
  const std::string user = runner::scheduler_setup(*bench.commands, bench.clock).user;
  bench.command({"sacctmgr", "-i", "add", "account", "test", "cluster=test"});
  bench.command({"sacctmgr", "-i", "add", "user", user, "account=test", "cluster=test"});
}

/// Limit on the number of jobs of a user. The destructor removes the limit.
class Limit {
 public:
  Limit(Bench& bench, int most) : bench_(bench) { set(most); }
  ~Limit() { set(-1); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  void set(int most) {
    bench_.command({"sacctmgr", "-i", "modify", "qos", "normal", "set",
                    fmt::format("MaxSubmitJobsPerUser={}", most)});
    // The controller receives changes with a delay, but reads the current limits when it starts.
    bench_.command({"fault", "controller", "stop"});
    bench_.command({"fault", "controller", "start"});
  }

 private:
  Bench& bench_;
};

}  // namespace

TEST_CASE("a job above the submit limit is distinguished from a job that is always rejected",
          "[books]") {
  Bench bench;
  enforce_limits(bench);
  Limit limit(bench, 2);
  CHECK_THROWS_AS(bench.submit(bench.array("all", {0, 1, 2}, "true")), runner::SubmitLimitReached);
  const std::string wait = "until [[ -e go ]]; do sleep 0.1; done";
  const auto a = bench.submit(bench.job("a", wait)), b = bench.submit(bench.job("b", wait));
  const Job c = bench.job("c", "true");
  CHECK_THROWS_AS(bench.submit(c), runner::SubmitLimitReached);
  CHECK_FALSE(bench.scheduler->find(c).has_value());
  bench.touch("go");
  bench.wait_for_end({a.id, b.id});
  CHECK(bench.wait_for_end(bench.submit(c).id).state == test::JobState::Done);
  limit.set(0);
  try {
    bench.submit(bench.job("d", "true"));
    FAIL("it was taken");
  } catch (const runner::SubmitLimitReached&) {
    FAIL("there is nothing to wait for");
  } catch (const base::RunError& refusal) {
    CHECK_THAT(refusal.what(), Catch::Contains("QOSMaxSubmitJobPerUserLimit"));
  }
}
