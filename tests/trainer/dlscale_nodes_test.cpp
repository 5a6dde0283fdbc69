// SPDX-License-Identifier: Apache-2.0
// Tests of a run on several nodes that stops or does not start. The nodes are ranks on this machine
// that see the identity of another machine. Gradients between these nodes go through MPI, as
// between real nodes.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "base/file.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/told_job.hpp"

using namespace dlscale;
using contract::RunOutcome;
using test::description;
using test::Job;
using test::stop_of;

namespace {

/// Shell command whose first argument is a file, and whose other arguments are a command line. It
/// runs that command line with the content of the file as the identity of this machine.
const std::string kElsewhere = std::string("unshare --mount ") +
                               (::geteuid() == 0 ? "" : "--map-root-user ") +
                               "sh -c 'mount --bind \"$0\" /proc/sys/kernel/random/boot_id && "
                               "exec \"$@\"' ";

contract::RunSpec endless(int ranks) {
  auto spec = description(ranks, 100000);
  spec.all_reduce = "tuned";
  return spec;
}

/// Starts a job with ranks 0 and 1 on one node and the other ranks on another node, and waits until
/// it trains. Returns false if the user is not allowed to mount.
bool start_on_two_nodes(Job& job, int ranks) {
  const std::string identity = job.folder() / "boot_id";
  base::write_file_atomically(identity, "another machine\n");
  const std::string elsewhere = kElsewhere + "'" + identity + "' ";
  if (std::system((elsewhere + "true 2>/dev/null").c_str()) != 0) {
    test::skip("this user may not mount");
    return false;
  }
  job.begin_ranks_with("[ $OMPI_COMM_WORLD_RANK -lt 2 ] || exec " + elsewhere + "\"$@\"");
  job.start(ranks);
  job.wait_for_training();
  return true;
}

}  // namespace

TEST_CASE("a rank killed on another node is recorded as the reason of the failure") {
  const int victim = GENERATE(2, 3);
  Job job(endless(4));
  if (!start_on_two_nodes(job, 4)) return;
  ::kill(job.pid_of_rank(victim), SIGKILL);
  const auto end = job.end();
  CHECK(end.wall_s < 10);
  const auto results = job.results();
  CHECK(stop_of(results).outcome == RunOutcome::Failed);
  CHECK(stop_of(results).reason == "rank " + std::to_string(5 - victim) + ": rank " +
                                       std::to_string(victim) +
                                       " has left while others wait for it");
}

TEST_CASE("a signal to all ranks of several nodes cancels the run") {
  Job job(endless(4));
  if (!start_on_two_nodes(job, 4)) return;
  ::kill(job.pid(), SIGTERM);
  job.end();
  const auto results = job.results();
  CHECK(stop_of(results).outcome == RunOutcome::Cancelled);
  CHECK(stop_of(results).reason == "received SIGTERM");
}

TEST_CASE(
    "the record of a cancelled run mentions a rank alone on its node that may have ended before") {
  Job job(endless(3));
  if (!start_on_two_nodes(job, 3)) return;
  ::kill(job.pid_of_rank(2), SIGKILL);
  job.end();
  const auto results = job.results();
  CHECK(stop_of(results).outcome == RunOutcome::Cancelled);
  CHECK(stop_of(results).reason ==
        "received SIGTERM; it is unknown whether rank 2, alone on its node, ended earlier");
}

TEST_CASE("ranks with other data than rank 0 end before training, with the reason") {
  const test::TempDir data;
  for (const char* rank : {"0", "1"}) {
    std::filesystem::create_directory(data / rank);
    test::write_samples("text_sst", data / rank);
  }
  // Changes the text of rank 1 but not the number of samples, as if rank 1 had an older copy of the
  // file.
  const auto training_file = data / "1" / "stsa.binary.train";
  const std::string text = base::read_file(training_file);
  base::write_file_atomically(training_file, "1 other words" + text.substr(text.find('\n')));
  auto spec = description(2);
  spec.framework = "ddp";
  spec.model = "nbow";
  spec.loader = "text";
  spec.dataset = {.kind = "text_sst", .path = "$DATA"};
  spec.batch_per_gpu = 4;
  spec.global_batch = 8;
  Job job(spec);
  job.begin_ranks_with("export DATA='" + data.path().string() + "'/$OMPI_COMM_WORLD_RANK");
  const auto end = job.run(2);
  INFO(end.err);
  CHECK(end.exit_code == contract::kExitData);
  const std::string reason = stop_of(job.results()).reason;
  CHECK_THAT(reason, Catch::Contains("rank 1: its data set has ") &&
                         Catch::Contains(" training and 40 test samples of 2 classes, SHA-256 ") &&
                         Catch::Contains(", but that of rank 0 has ") &&
                         Catch::EndsWith("; give every node the same files"));
}
