// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/pack.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <regex>
#include <set>

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;
using contract::JobKind;

namespace {

/// Test bench with runs on a site of 4-GPU nodes. Each run has its own allocation.
struct PackBench {
  Site site{.name = "s", .scheduler = "slurm", .device = "cuda", .walltime_s = 3600};
  LaunchSettings launch;
  StartOrder order = StartOrder::repetitions;
  ResourceSettings requested;
  std::vector<Allocation> allocations;
  std::vector<contract::PlannedRun> runs;

  PackBench() {
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
  Arrangement arrange(const std::vector<contract::PlannedJob>& existing = {}) {
    std::vector<RunNeeds> needs;
    for (const Allocation& allocation : allocations) needs.push_back({&allocation, &requested});
    return arrange_jobs(site, launch, needs, runs, existing, order);
  }
  /// Adds all repetitions of a point, with the ids POINT-r1, POINT-r2, and so on.
  void add_repetitions(const std::string& point, int gpus, int repeats, double predicted_s = 0) {
    for (int repetition = 1; repetition <= repeats; ++repetition) {
      add(gpus, 3600, predicted_s);
      rename_last(point + "-r" + std::to_string(repetition));
      runs.back().repetition = repetition;
    }
  }
  void rename_last(const std::string& id) { runs.back().run_id = id; }
  /// Inserts a run before all others, as a new first value of an axis does.
  void add_in_front(const std::string& id, int gpus, double predicted_s = 0) {
    add(gpus, 3600, predicted_s);
    rename_last(id);
    std::rotate(runs.rbegin(), runs.rbegin() + 1, runs.rend());
    std::rotate(allocations.rbegin(), allocations.rbegin() + 1, allocations.rend());
  }
};

/// Returns whether the name consists of the stem and a digest.
bool is_named(const std::string& name, const std::string& stem) {
  return std::regex_match(name, std::regex(stem + "[0-9a-f]{8}"));
}

/// Returns the job of the given name from another arrangement.
const contract::PlannedJob& job_of(const Arrangement& arranged, const std::string& name) {
  const auto found = std::find_if(arranged.jobs.begin(), arranged.jobs.end(),
                                  [&](const auto& job) { return job.name == name; });
  REQUIRE(found != arranged.jobs.end());
  return *found;
}

}  // namespace

TEST_CASE("by default each run is a job and is charged for its GPUs") {
  PackBench bench;
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

TEST_CASE("exclusive jobs are charged for whole nodes") {
  PackBench bench;
  bench.site.partitions[0].exclusive = true;
  bench.add(1);
  CHECK(bench.arrange().jobs[0].gpu_hours == 4);
  bench.requested.exclusive = false;
  CHECK(bench.arrange().jobs[0].gpu_hours == 1);
}

TEST_CASE("small runs are packed by predicted time with margin and start-up, in whole minutes") {
  PackBench bench;
  bench.launch.pack = true;
  bench.site.partitions[0].exclusive = true;
  bench.add(2, 3600, 600);  // 600 x 1.5 + 120 = 1020 s
  bench.add(8);
  bench.add(2, 3600, 300);  // 300 x 1.5 + 120 = 570 s
  bench.add(1, 3600, 100);  // 100 x 1.5 + 120 = 270 s
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  const auto& packed = arranged.jobs[0];
  CHECK(is_named(packed.name, "packed-"));
  CHECK(packed.kind == JobKind::packed);
  CHECK(packed.run_ids == std::vector<std::string>{"run0", "run2", "run3"});
  CHECK(packed.resources.nodes == 1);
  CHECK(packed.resources.ranks_per_node == 4);
  CHECK(packed.resources.walltime_s == 1020);
  CHECK(packed.gpu_hours == Approx(4 * 1020 / 3600.0));
  const double work = 2 * 1020 + 2 * 570 + 270;
  CHECK(bench.runs[3].gpu_hours == Approx(packed.gpu_hours * 270 / work));
  CHECK(bench.runs[3].job == packed.name);
  CHECK(arranged.jobs[1].name == "run1");
}

TEST_CASE("runs without a prediction are packed by their time limit") {
  PackBench bench;
  bench.launch.pack = true;
  for (int i = 0; i < 8; ++i) bench.add(2);
  CHECK(bench.arrange().jobs.size() == 4);  // two runs of one hour in each job
  bench.site.partitions[0].max_walltime_s = 7200;
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  CHECK(arranged.jobs[0].resources.walltime_s == 7200);
}

TEST_CASE("four runs of one GPU and four of three GPUs share nodes without loss") {
  PackBench bench;
  bench.launch.pack = true;
  bench.site.partitions[0].max_walltime_s = 24 * 3600;
  for (const int gpus : {1, 1, 1, 1, 3, 3, 3, 3}) bench.add(gpus, 4 * 3600);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 1);
  CHECK(arranged.jobs[0].gpu_hours == 64);
  CHECK(arranged.notes.empty());
}

TEST_CASE("runs that would cost more packed stay single, and a note counts them") {
  PackBench bench;
  bench.launch.pack = true;
  bench.add(1, 3600);
  bench.add(1, 1800);
  const auto arranged = bench.arrange();
  CHECK(arranged.jobs.size() == 2);
  CHECK(arranged.notes ==
        std::vector<std::string>{
            "not packed because packed jobs would cost more GPU-hours than separate jobs: 2 runs"});
  bench.site.partitions[0].exclusive = true;
  CHECK(bench.arrange().jobs.size() == 1);
}

TEST_CASE("packing random runs costs at most as much as single jobs") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    PackBench bench;
    bench.site.partitions[0].exclusive = round % 3 == 0;
    if (round % 2 == 0) bench.site.partitions[0].max_walltime_s = 24 * 3600;
    for (unsigned i = 0, most = 2 + random() % 60; i < most; ++i) {
      const double walltime_s = 60.0 * (1 + random() % (round % 5 == 0 ? 2 : 240));
      bench.add(1 + static_cast<int>(random() % 3), walltime_s, random() % 2 * walltime_s / 3);
    }
    const auto cost = [&](bool pack) {
      bench.launch.pack = pack;
      double sum = 0;
      for (const auto& job : bench.arrange().jobs) sum += job.gpu_hours;
      return sum;
    };
    CHECK(cost(true) <= cost(false) * (1 + 1e-9));
  }
}

TEST_CASE("runs of sub-studies share jobs only with equal resource settings") {
  for (const bool pack : {false, true}) {
    PackBench bench;
    bench.launch = {.pack = pack, .array = !pack};
    for (int i = 0; i < 6; ++i) bench.add(2);
    std::array<ResourceSettings, 3> requested;
    const Node here{std::string("here"), {}}, there{std::string("there"), {}};
    for (std::size_t i = 0; i < 3; ++i) requested[i].said["account"] = i == 1 ? there : here;
    requested[2].said["margin"] = Node{2.0, {}};
    std::vector<RunNeeds> needs;
    for (std::size_t i = 0; i < 6; ++i) needs.push_back({&bench.allocations[i], &requested[i % 3]});
    bench.site.partitions[0].max_walltime_s = 24 * 3600;
    const auto jobs = arrange_jobs(bench.site, bench.launch, needs, bench.runs).jobs;
    REQUIRE(jobs.size() == 2);
    CHECK(jobs[0].run_ids == std::vector<std::string>{"run0", "run2", "run3", "run5"});
    CHECK(jobs[1].run_ids == std::vector<std::string>{"run1", "run4"});
    CHECK(arrange_jobs(bench.site, bench.launch, needs, bench.runs, jobs).jobs == jobs);
  }
}

TEST_CASE("a run without another run to pack stays a single job") {
  PackBench bench;
  bench.launch.pack = true;
  bench.add(1);
  CHECK(bench.arrange().jobs[0].kind == JobKind::single);
}

TEST_CASE("runs of one shape become an array, and other runs stay single") {
  PackBench bench;
  bench.launch.array = true;
  bench.launch.throttle = 3;
  for (const int gpus : {8, 4, 8, 8}) bench.add(gpus);
  bench.add(8, 7200);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 3);
  CHECK(is_named(arranged.jobs[0].name, "array-g8-"));
  CHECK(arranged.jobs[0].table == arranged.jobs[0].name);
  CHECK(arranged.jobs[0].throttle == 3);
  CHECK(arranged.jobs[0].run_ids == std::vector<std::string>{"run0", "run2", "run3"});
  CHECK(arranged.jobs[0].gpu_hours == 24);
  CHECK(bench.runs[2].gpu_hours == 8);
  CHECK(arranged.runs[0] == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(arranged.jobs[1].kind == JobKind::single);
  CHECK(arranged.jobs[2].name == "run4");
}

TEST_CASE("an array above the site's limit is split into parts that share a table") {
  PackBench bench;
  bench.launch.array = true;
  bench.site.max_array_size = 3;
  for (int i = 0; i < 7; ++i) bench.add(4);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 3);
  for (int part = 0; part < 3; ++part) {
    const auto& job = arranged.jobs[static_cast<std::size_t>(part)];
    CHECK(is_named(job.table, "array-g4-"));
    CHECK(job.name == job.table + "-part" + std::to_string(part + 1));
    CHECK(job.table == arranged.jobs[0].table);
    CHECK(job.offset == 3 * part);
  }
  CHECK(arranged.jobs[2].run_ids == std::vector<std::string>{"run6"});
}

TEST_CASE("arrays with different resources have separate tables") {
  PackBench bench;
  bench.launch.array = true;
  for (const double walltime : {60.0, 60.0, 120.0, 120.0}) bench.add(4, walltime);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 2);
  CHECK(arranged.jobs[1].table != arranged.jobs[0].table);
}

TEST_CASE("the name of a job depends on its runs, their order, resources and partition") {
  for (const bool pack : {false, true}) {
    const auto name = [&](auto change) {
      PackBench bench;
      bench.launch = {.pack = pack, .array = !pack};
      for (int i = 0; i < 3; ++i) bench.add(1);
      change(bench);
      return bench.arrange().jobs.front().name;
    };
    std::set<std::string> names{name([](PackBench&) {})};
    CHECK(names.count(name([](PackBench&) {})) == 1);
    CHECK(names.insert(name([](PackBench& b) { b.runs[1].run_id = "other"; })).second);
    CHECK(names.insert(name([](PackBench& b) { std::swap(b.runs[0], b.runs[1]); })).second);
    CHECK(names.insert(name([](PackBench& b) { b.runs.pop_back(), b.allocations.pop_back(); }))
              .second);
    CHECK(names.insert(name([](PackBench& b) { b.site.partitions[0].name = "q"; })).second);
    CHECK(names
              .insert(name([](PackBench& b) {
                for (auto& a : b.allocations) a.request.cores_per_rank = 5;
              }))
              .second);
    if (!pack) CHECK(names.insert(name([](PackBench& b) { b.site.max_array_size = 2; })).second);
  }
}

TEST_CASE("arrays and packed jobs of an earlier plan are kept, and new runs get new jobs") {
  for (const bool pack : {false, true}) {
    PackBench bench;
    bench.launch = {.pack = pack, .array = !pack};
    bench.site.max_array_size = 3;
    for (int i = 0; i < 5; ++i) bench.add(2);
    const auto before = bench.arrange();
    for (int i = 0; i < 2; ++i) bench.add_in_front("new" + std::to_string(i), 2);
    const auto after = bench.arrange(before.jobs);
    for (const auto& job : before.jobs) {
      if (job.kind == JobKind::single) continue;
      CHECK(job_of(after, job.name) == job);
    }
    std::set<std::string> ids;
    for (const auto& job : after.jobs) ids.insert(job.run_ids.begin(), job.run_ids.end());
    CHECK(ids.size() == 7);
    for (std::size_t i = 0; i < bench.runs.size(); ++i) {
      const auto& own = job_of(after, bench.runs[i].job).run_ids;
      CHECK(std::count(own.begin(), own.end(), bench.runs[i].run_id) == 1);
    }
    CHECK(bench.arrange(after.jobs).jobs == after.jobs);
  }
}

TEST_CASE("a long packed job is kept after the run that made it long is removed") {
  PackBench bench;
  bench.launch.pack = true;
  bench.add(1, 36000, 18000);
  for (int i = 0; i < 30; ++i) bench.add(1, 36000, 9000 + i);
  const auto before = bench.arrange();
  REQUIRE(before.jobs.size() > 1);
  const auto kept = before.jobs[1];
  bench.allocations.erase(bench.allocations.begin());
  bench.runs.erase(bench.runs.begin());
  CHECK(job_of(bench.arrange(before.jobs), kept.name).run_ids == kept.run_ids);
}

TEST_CASE("a job of an earlier plan is dropped if its runs, resources or mode change") {
  for (const bool pack : {false, true}) {
    const auto stays = [&](auto change) {
      PackBench bench;
      bench.launch = {.pack = pack, .array = !pack};
      for (int i = 0; i < 3; ++i) bench.add(1, 3600, 600);
      const auto before = bench.arrange();
      change(bench);
      const auto after = bench.arrange(before.jobs);
      return std::any_of(after.jobs.begin(), after.jobs.end(),
                         [&](const auto& job) { return job.name == before.jobs[0].name; });
    };
    CHECK(stays([](PackBench&) {}));
    CHECK(stays([](PackBench& b) { b.launch.throttle = 2; }));
    CHECK_FALSE(stays([](PackBench& b) { b.runs.pop_back(), b.allocations.pop_back(); }));
    CHECK_FALSE(stays([](PackBench& b) { b.site.partitions[0].name = "q"; }));
    CHECK_FALSE(stays([](PackBench& b) { b.launch = {}; }));
    CHECK_FALSE(stays([](PackBench& b) { b.allocations[2].request.cores_per_rank = 5; }));
    CHECK_FALSE(stays([](PackBench& b) {
      for (auto& run : b.runs) run.predicted_s = 1200;
      for (auto& a : b.allocations) a.request.walltime_s = 7200;
    }));
  }
}

TEST_CASE("single jobs of an earlier plan stay single if arrays or packing are requested") {
  for (const bool pack : {false, true}) {
    PackBench bench;
    for (int i = 0; i < 5; ++i) bench.add(1, 3600, 600);
    const auto before = bench.arrange();
    bench.launch = {.pack = pack, .array = !pack};
    const auto after = bench.arrange({before.jobs[1], before.jobs[3]});
    REQUIRE(after.jobs.size() == 3);
    CHECK(after.jobs[0].run_ids == std::vector<std::string>{"run0", "run2", "run4"});
    CHECK(after.jobs[1] == before.jobs[1]);
    CHECK(after.jobs[2] == before.jobs[3]);
  }
}

TEST_CASE("all points run once before any point runs again, in jobs, arrays and packed jobs") {
  using Ids = std::vector<std::string>;
  const auto starts = [](const LaunchSettings& launch, StartOrder order) {
    PackBench bench;
    bench.launch = launch;
    bench.order = order;
    bench.site.partitions[0].max_walltime_s = 24 * 3600;
    bench.add_repetitions("p", 2, 3);
    bench.add_repetitions("q", 2, 3);
    Ids ids;
    for (const auto& job : bench.arrange().jobs) {
      ids.insert(ids.end(), job.run_ids.begin(), job.run_ids.end());
    }
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(bench.runs[i].run_id == (i < 3 ? "p-r" : "q-r") + std::to_string(i % 3 + 1));
    }
    return ids;
  };
  for (const LaunchSettings& launch :
       {LaunchSettings{}, LaunchSettings{.array = true}, LaunchSettings{.pack = true}}) {
    CHECK(starts(launch, StartOrder::repetitions) ==
          Ids{"p-r1", "q-r1", "p-r2", "q-r2", "p-r3", "q-r3"});
    CHECK(starts(launch, StartOrder::points) ==
          Ids{"p-r1", "p-r2", "p-r3", "q-r1", "q-r2", "q-r3"});
  }
}

TEST_CASE("jobs of a single machine start all points once before any point runs again") {
  PackBench bench;
  bench.site.scheduler = "local";
  bench.add_repetitions("p", 1, 2);
  bench.add_repetitions("q", 2, 2);
  const auto arranged = bench.arrange();
  std::vector<std::string> names;
  for (const auto& job : arranged.jobs) names.push_back(job.name);
  CHECK(names == std::vector<std::string>{"p-r1", "q-r1", "p-r2", "q-r2"});
  CHECK(arranged.runs == std::vector<std::vector<std::uint32_t>>{{0}, {2}, {1}, {3}});
}

TEST_CASE("arrays and packed jobs of an earlier plan keep their order of runs") {
  for (const bool pack : {false, true}) {
    PackBench bench;
    bench.launch = {.pack = pack, .array = !pack};
    bench.site.partitions[0].max_walltime_s = 24 * 3600;
    bench.order = StartOrder::points;
    bench.add_repetitions("p", 2, 2);
    bench.add_repetitions("q", 2, 2);
    const auto before = bench.arrange();
    REQUIRE(before.jobs.size() == 1);
    bench.order = StartOrder::repetitions;
    CHECK(bench.arrange(before.jobs).jobs == before.jobs);
    CHECK(bench.arrange().jobs != before.jobs);
  }
}

TEST_CASE("longer runs of a packed job start before first repetitions of shorter runs") {
  PackBench bench;
  bench.launch.pack = true;
  bench.site.partitions[0].exclusive = true;
  bench.site.partitions[0].max_walltime_s = 24 * 3600;
  bench.add_repetitions("short", 2, 2, 600);
  bench.add_repetitions("long", 2, 2, 3000);
  const auto arranged = bench.arrange();
  REQUIRE(arranged.jobs.size() == 1);
  CHECK(arranged.jobs[0].run_ids ==
        std::vector<std::string>{"long-r1", "long-r2", "short-r1", "short-r2"});
}

TEST_CASE("chained jobs wait for the previous job of their chain") {
  PackBench bench;
  bench.launch.chain = 2;
  for (int i = 0; i < 5; ++i) bench.add(4);
  const auto arranged = bench.arrange();
  CHECK(arranged.jobs[1].after.empty());
  CHECK(arranged.jobs[2].after == std::vector<std::string>{"run0"});
  CHECK(arranged.jobs[4].after == std::vector<std::string>{"run2"});
  CHECK(arranged.jobs[3].chain == 2);
  CHECK(arranged.jobs[4].chain == 1);
}

TEST_CASE("a single machine has neither packed jobs nor arrays nor chains") {
  PackBench bench;
  bench.site.scheduler = "local";
  bench.launch = {.pack = true, .array = true, .chain = 1};
  for (int i = 0; i < 4; ++i) bench.add(1);
  for (const auto& job : bench.arrange().jobs) {
    CHECK(job.kind == JobKind::single);
    CHECK(job.after.empty());
  }
}

TEST_CASE("a note reports more jobs or tasks than the site accepts at a time") {
  PackBench bench;
  bench.site.max_jobs = 4;
  for (int i = 0; i < 5; ++i) bench.add(4);
  CHECK(bench.arrange().notes.front().find(
            "the plan has 5 jobs, but s accepts at most 4 per user") == 0);
  bench.launch.array = true;
  CHECK(bench.arrange().notes.size() == 1);
  bench.launch = {.pack = true};
  for (Allocation& allocation : bench.allocations) allocation.request.ranks_per_node = 1;
  for (auto& run : bench.runs) run.gpus = 1;
  CHECK(bench.arrange().notes.empty());
}
