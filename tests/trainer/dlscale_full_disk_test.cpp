// SPDX-License-Identifier: Apache-2.0
// A test of dlscale-train with a run folder on a disk that is too small for a checkpoint.
#include <signal.h>
#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "tests/support/skip.hpp"
#include "tests/trainer/told_job.hpp"

using namespace dlscale;
using contract::RunOutcome;
using test::all;
using test::description;
using test::Job;
using test::stop_of;
using test::wait_for_windows;
namespace fs = std::filesystem;

namespace {

/// Disk of 2 MB that is mounted at a folder. It has space for records but not for the parameters of
/// the model.
struct SmallDisk {
  explicit SmallDisk(fs::path path)
      : folder(std::move(path)),
        mounted(::mount("none", folder.c_str(), "tmpfs", 0, "size=2m") == 0) {}
  ~SmallDisk() {
    if (mounted) ::umount2(folder.c_str(), MNT_DETACH);
  }
  fs::path folder;
  bool mounted;
};

}  // namespace

TEST_CASE("a run continues on a full disk and reports the missing checkpoint at its time limit") {
  auto spec = description(1, 8);
  spec.checkpoint.every_epochs = 1;
  Job job(spec);
  const SmallDisk disk(job.folder());
  if (!disk.mounted) {
    test::skip("cannot mount a small disk without being root");
    return;
  }
  base::write_file_atomically(job.folder() / "run.json", contract::to_json(spec));
  const auto end = job.run(0);
  CHECK(end.exit_code == 0);
  const std::string warning = "training continues: cannot write ";
  CHECK_THAT(end.err, Catch::Contains(warning) && Catch::Contains("No space left on device"));
  CHECK(end.err.find(warning) == end.err.rfind(warning));
  CHECK(all<contract::CheckpointRecord>(job.results()).empty());
  CHECK(all<contract::EvalRecord>(job.results()).size() == 8);
  spec.epochs = 100000;
  base::write_file_atomically(job.folder() / "run.json", contract::to_json(spec));
  job.start(0);
  wait_for_windows(job, 2, 3);
  ::kill(job.pid(), SIGUSR1);
  CHECK(job.end().exit_code == 1);
  CHECK(stop_of(job.results(2)).outcome == RunOutcome::TimedOut);
  CHECK_THAT(stop_of(job.results(2)).reason, Catch::Contains("no checkpoint could be saved"));
}
