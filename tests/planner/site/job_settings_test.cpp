// SPDX-License-Identifier: Apache-2.0
#include "planner/site/job_settings.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

ResourceSettings resources(const std::string& text) {
  const Node root = parse_document(text, "s.toml");
  return read_resources({root, "resources"});
}
LaunchSettings launch(const std::string& text) {
  const Node root = parse_document(text, "s.toml");
  return read_launch({root, "launch"});
}
std::string resources_error(const std::string& text) {
  return test::error_of([&] { resources(text); });
}

Site site_of(const std::string& scheduler) {
  return {.name = "x", .scheduler = scheduler};
}

}  // namespace

TEST_CASE("every resource setting is read with its location") {
  const auto requested = resources(
      "walltime = '02:00:00'\nmargin = 2\ncalibration = 't.toml'\ncores_per_rank = 4\n"
      "account = 'a'\nqos = 'q'\nconstraint = 'c&d'\ngpu_type = 'A100'\nexclusive = true\n"
      "memory_gb = 64\nmail = { user = 'a@b.c', on = ['begin'] }\nmax_gpu_hours = 5");
  CHECK(requested.walltime_s == 7200);
  CHECK(requested.margin == 2);
  CHECK(requested.exclusive == true);
  CHECK(requested.memory_gb == 64);
  CHECK(requested.mail->on == std::vector<std::string>{"begin"});
  CHECK(requested.said.at("memory_gb").where.line == 10);
  CHECK(resources("mail = { user = 'a@b.c' }").mail->on == std::vector<std::string>{"end", "fail"});
  const auto jobs = launch("pack = true\narray = true\nthrottle = 5\nchain = 2");
  CHECK(jobs.pack);
  CHECK(jobs.array);
  CHECK(jobs.throttle == 5);
  CHECK(jobs.chain == 2);
}

TEST_CASE("malformed resource settings are rejected with location and key") {
  CHECK(resources_error("wall_time = 1")
            .find("s.toml:1:1: resources.wall_time: unknown key; did you mean \"walltime\"?") == 0);
  CHECK(resources_error("margin = 0.5") ==
        "s.toml:1:10: resources.margin: must be between 1 and 100 (got 0.5)");
  CHECK(resources_error("exclusive = 1") ==
        "s.toml:1:13: resources.exclusive: expected true or false, found a whole number");
  CHECK(resources_error("gpu_type = \"a'b\"") ==
        "s.toml:1:12: resources.gpu_type: must not contain quotes");
  CHECK(resources_error("mail = { on = ['end'] }") ==
        "s.toml:1:8: resources.mail: user is missing");
  CHECK(resources_error("mail = { user = 'a', on = ['abort'] }").find("unknown event \"abort\"") !=
        std::string::npos);
  CHECK(resources_error("memory_gb = 0").find("s.toml:1:13: resources.memory_gb: must be") == 0);
  CHECK(test::error_of([] { launch("throttle = 3"); }) ==
        "s.toml:1:12: launch.throttle: needs array = true because throttle limits the tasks of an "
        "array");
  CHECK(test::error_of([] { launch("chain = 0"); }) ==
        "s.toml:1:9: launch.chain: must be at least 1 (got 0)");
}

TEST_CASE("settings without effect on a batch system are reported once each") {
  const auto requested = resources("qos = 'q'\nexclusive = true\npartition = 'p'");
  CHECK(unsupported_settings(site_of("slurm"), requested, {}).empty());
  CHECK(unsupported_settings(site_of("oar"), requested, {}) ==
        std::vector<std::string>{"resources.qos has no effect on OAR (x)"});
  CHECK(unsupported_settings(site_of("local"), requested, launch("pack = true\narray = false")) ==
        std::vector<std::string>{"resources.partition has no effect on a single machine (x)",
                                 "resources.qos has no effect on a single machine (x)",
                                 "resources.exclusive has no effect on a single machine (x)",
                                 "launch.pack has no effect on a single machine (x)"});
}

TEST_CASE("the note on unsupported chains explains the reason") {
  const auto notes = [](const char* scheduler) {
    return unsupported_settings(site_of(scheduler), {}, launch("chain = 2"));
  };
  CHECK(notes("slurm").empty());
  CHECK(notes("oar") ==
        std::vector<std::string>{
            "launch.chain has no effect on OAR (x): OAR needs the id of the job to wait for, which "
            "is known only after that job is submitted; the jobs of this plan do not wait"});
  CHECK(notes("local") ==
        std::vector<std::string>{"launch.chain has no effect on a single machine (x)"});
}

TEST_CASE("margin and calibration without effect on a fixed walltime are reported") {
  const auto fixed = resources("walltime = '01:00:00'\nmargin = 2\ncalibration = 't.toml'");
  CHECK(unsupported_settings(site_of("slurm"), fixed, {}) ==
        std::vector<std::string>{
            "resources.margin has no effect because resources.walltime sets the time limits",
            "resources.calibration has no effect because resources.walltime sets the time limits"});
  CHECK(unsupported_settings(site_of("slurm"), fixed, launch("pack = true")).empty());
  const auto free = resources("walltime = 'auto'\nmargin = 2\ncalibration = 't.toml'");
  CHECK(unsupported_settings(site_of("slurm"), free, {}).empty());
}

TEST_CASE("a throttle is rejected on OAR") {
  const auto requested = launch("array = true\nthrottle = 3");
  CHECK(test::error_of([&] { unsupported_settings(site_of("oar"), {}, requested); }) ==
        "s.toml:2:12: launch.throttle: OAR cannot limit the number of running tasks of an array; "
        "leave the key out");
}
