// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/pack.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace dlscale;
using namespace dlscale::planner;
using contract::JobKind;

namespace {

/// Runs on a site of 4-GPU nodes, each with its own allocation.
struct Bench {
  Site site{.name = "s", .scheduler = "slurm", .device = "cuda", .walltime_s = 3600};
  LaunchWishes launch;
  ResourceWishes wishes;
  std::vector<Allocation> allocations;
  std::vector<contract::PlannedRun> runs;

  Bench() {
    site.partitions = {{.name = "p", .gpus_per_node = 4, .cores_per_node = 48}};
    allocations.reserve(1000);
  }
  void add(int gpus, double walltime_s = 3600, double predicted_s = 0) {
    Allocation a;
    a.partition = 0;
    a.request.device = "cuda";
    a.request.nodes = (gpus + 3) / 4;
    a.request.ranks_per_node = gpus / a.request.nodes;
    a.request.walltime_s = walltime_s;
    allocations.push_back(a);
    contract::PlannedRun run;
    run.run_id = "run" + std::to_string(runs.size());
    run.gpus = gpus;
    run.predicted_s = predicted_s;
    runs.push_back(run);
  }
  Arrangement arrange() {
    std::vector<RunNeeds> needs;
    for (const Allocation& allocation : allocations) needs.push_back({&allocation, &wishes});
    return arrange_jobs(site, launch, needs, runs);
  }
};

}  // namespace

TEST_CASE("without wishes each run is a job, charged for the GPUs it asks for") {
  Bench bench;
  bench.add(2);
  bench.add(8, 7200);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  CHECK(arranged.jobs[0].name == "run0");
  CHECK(arranged.jobs[0].partition == "p");
  CHECK(arranged.jobs[0].gpu_hours == 2);
  CHECK(arranged.jobs[1].gpu_hours == 16);
  CHECK(bench.runs[1].gpu_hours == 16);
  CHECK(bench.runs[1].job == "run1");
}

TEST_CASE("where jobs get whole nodes, whole nodes are charged") {
  Bench bench;
  bench.site.partitions[0].exclusive = true;
  bench.add(1);
  CHECK(bench.arrange().jobs[0].gpu_hours == 4);
  bench.wishes.exclusive = false;
  CHECK(bench.arrange().jobs[0].gpu_hours == 1);
}

TEST_CASE("small runs are packed by predicted time with margin and start-up, in whole minutes") {
  Bench bench;
  bench.launch.pack = true;
  bench.site.partitions[0].exclusive = true;
  bench.add(2, 3600, 600);  // 600 x 1.5 + 120 = 1020 s
  bench.add(8);
  bench.add(2, 3600, 300);  // 570 s
  bench.add(1, 3600, 100);  // 270 s
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  const auto& packed = arranged.jobs[0];
  CHECK(packed.name == "packed-1");
  CHECK(packed.kind == JobKind::packed);
  CHECK(packed.run_ids == std::vector<std::string>{"run0", "run2", "run3"});
  CHECK(packed.resources.nodes == 1);
  CHECK(packed.resources.ranks_per_node == 4);
  CHECK(packed.resources.walltime_s == 1020);
  CHECK(packed.gpu_hours == Approx(4 * 1020 / 3600.0));
  const double work = 2 * 1020 + 2 * 570 + 270;
  CHECK(bench.runs[3].gpu_hours == Approx(packed.gpu_hours * 270 / work));
  CHECK(bench.runs[3].job == "packed-1");
  CHECK(arranged.jobs[1].name == "run1");
}

TEST_CASE("without prediction runs are packed by their time limit, and the partition's holds") {
  Bench bench;
  bench.launch.pack = true;
  for (int i = 0; i < 8; ++i) bench.add(2);
  CHECK(bench.arrange().jobs.size() == 4);  // the site's usual hour: two side by side
  bench.site.partitions[0].max_walltime_s = 7200;
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  CHECK(arranged.jobs[0].resources.walltime_s == 7200);
}

TEST_CASE("a run with nobody to share with stays a single job") {
  Bench bench;
  bench.launch.pack = true;
  bench.add(1);
  CHECK(bench.arrange().jobs[0].kind == JobKind::single);
}

TEST_CASE("runs of one shape become an array, others stay single") {
  Bench bench;
  bench.launch.array = true;
  bench.launch.throttle = 3;
  for (const int gpus : {8, 4, 8, 8}) bench.add(gpus);
  bench.add(8, 7200);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 3);
  CHECK(arranged.jobs[0].name == "array-g8");
  CHECK(arranged.jobs[0].table == "array-g8");
  CHECK(arranged.jobs[0].throttle == 3);
  CHECK(arranged.jobs[0].run_ids == std::vector<std::string>{"run0", "run2", "run3"});
  CHECK(arranged.jobs[0].gpu_hours == 24);
  CHECK(bench.runs[2].gpu_hours == 8);
  CHECK(arranged.runs[0] == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(arranged.jobs[1].kind == JobKind::single);
  CHECK(arranged.jobs[2].name == "run4");
}

TEST_CASE("an array above the site's size is split; the parts share a table") {
  Bench bench;
  bench.launch.array = true;
  bench.site.max_array_size = 3;
  for (int i = 0; i < 7; ++i) bench.add(4);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 3);
  for (int part = 0; part < 3; ++part) {
    const auto& job = arranged.jobs[static_cast<std::size_t>(part)];
    CHECK(job.name == "array-g4-part" + std::to_string(part + 1));
    CHECK(job.table == "array-g4");
    CHECK(job.offset == 3 * part);
  }
  CHECK(arranged.jobs[2].run_ids == std::vector<std::string>{"run6"});
}

TEST_CASE("arrays of different needs have tables of their own") {
  Bench bench;
  bench.launch.array = true;
  for (const double walltime : {60.0, 60.0, 120.0, 120.0}) bench.add(4, walltime);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  CHECK(arranged.jobs[1].table == "array-g4-2");
}

TEST_CASE("chained jobs wait for the one before them in their chain") {
  Bench bench;
  bench.launch.chain = 2;
  for (int i = 0; i < 5; ++i) bench.add(4);
  const auto arranged = bench.arrange();
  CHECK(arranged.jobs[1].after.empty());
  CHECK(arranged.jobs[2].after == std::vector<std::string>{"run0"});
  CHECK(arranged.jobs[4].after == std::vector<std::string>{"run2"});
}

TEST_CASE("a single machine has neither packed jobs nor arrays nor chains") {
  Bench bench;
  bench.site.scheduler = "local";
  bench.launch = {.pack = true, .array = true, .chain = 1};
  for (int i = 0; i < 4; ++i) bench.add(1);
  for (const auto& job : bench.arrange().jobs) {
    CHECK(job.kind == JobKind::single);
    CHECK(job.after.empty());
  }
}

TEST_CASE("more jobs than the site takes at a time are noted, tasks counted") {
  Bench bench;
  bench.site.max_jobs = 4;
  for (int i = 0; i < 5; ++i) bench.add(4);
  CHECK(bench.arrange().notes.front().find("5 jobs, of which s takes 4 of one user") == 0);
  bench.launch.array = true;
  CHECK(bench.arrange().notes.size() == 1);
  bench.launch = {.pack = true};
  for (Allocation& allocation : bench.allocations) allocation.request.ranks_per_node = 1;
  for (auto& run : bench.runs) run.gpus = 1;
  CHECK(bench.arrange().notes.empty());
}
