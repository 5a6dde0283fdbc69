// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale log` for complete output, last lines and following.
#include <catch2/catch.hpp>
#include <chrono>
#include <sstream>
#include <thread>

#include "tests/cli/planned_demo.hpp"
#include "workspace/runs/output_reader.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
using test::PlannedDemo;

namespace {

std::string last_lines(const std::string& text, int lines) {
  std::istringstream stream(text);
  const auto size = static_cast<std::streamoff>(text.size());
  return text.substr(static_cast<std::size_t>(workspace::start_of_last_lines(stream, size, lines)));
}

void write(const std::filesystem::path& file, const std::string& text) {
  base::write_file_atomically(file, text);
}

void append(const std::filesystem::path& file, const std::string& line) {
  base::LineAppender(file).append(line);
}

}  // namespace

TEST_CASE("the last lines of a text are found from its end") {
  CHECK(last_lines("a\nb\nc\n", 2) == "b\nc\n");
  CHECK(last_lines("a\nb\nc", 1) == "c");
  CHECK(last_lines("a\nb\n", 5) == "a\nb\n");
  CHECK(last_lines("a\nb\n", 0).empty());
  CHECK(last_lines("", 3).empty());
  CHECK(last_lines("\n\n\n", 2) == "\n\n");
  const std::string large = std::string(200000, 'x') + "\n";
  CHECK(last_lines(large + large + "end\n", 2) == large + "end\n");
}

TEST_CASE("log prints the newest launch's output, then its errors under a title") {
  PlannedDemo demo;
  write(demo.complete(demo.ids[0]).out(), "first launch\n");
  const contract::LaunchDir launch = demo.fail(demo.ids[0], "disk full");
  write(launch.out(), "epoch 1\n");
  const test::Ran plain = demo.dlscale.run({"log", "demo", demo.ids[0]});
  CHECK(plain.out == "epoch 1\n");
  write(launch.err(), "disk full\n");
  const test::Ran both = demo.dlscale.run({"log", "demo", demo.ids[0]});
  CHECK(both.out == "epoch 1\n\n==> " + demo.ids[0] + ", launch 2, stderr <==\ndisk full\n");
  CHECK(demo.dlscale.run({"log", "demo", demo.ids[0], "--stderr"}).out == "disk full\n");
  CHECK(demo.dlscale.run({"log", "demo", demo.ids[0], "--launch", "1"}).out == "first launch\n");
}

TEST_CASE("log prints the job's output before a launch, and --job always prints it") {
  PlannedDemo demo;
  const std::string id = demo.ids[0];
  CHECK(demo.dlscale.run({"log", "demo", id}).err == "no output yet\n");
  write(demo.folder.job_out(id), "module loaded\n");
  CHECK(demo.dlscale.run({"log", "demo", id}).out == "module loaded\n");
  write(demo.complete(id).out(), "epoch 1\n");
  CHECK(demo.dlscale.run({"log", "demo", id}).out == "epoch 1\n");
  CHECK(demo.dlscale.run({"log", "demo", id, "--job"}).out == "module loaded\n");
}

TEST_CASE("several runs have a title each, and -n applies to each file") {
  PlannedDemo demo;
  for (const std::size_t i : {0, 2}) {
    write(demo.fail(demo.ids[i], "").out(), "one\ntwo\nthree of " + demo.ids[i] + "\n");
  }
  const test::Ran ran = demo.dlscale.run({"log", "demo", "--state", "failed", "-n", "1"});
  CHECK(ran.out == "==> " + demo.ids[0] + ", launch 1 <==\nthree of " + demo.ids[0] + "\n\n==> " +
                       demo.ids[2] + ", launch 1 <==\nthree of " + demo.ids[2] + "\n");
}

TEST_CASE("log -f follows the launches of a run until it has ended") {
  PlannedDemo demo;
  const std::string id = demo.ids[0];
  const auto first = demo.launch(id, {contract::RunStart{}});
  append(first.out(), "epoch 1");
  std::thread trainer([&] {
    const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(700)); };
    pause();
    append(first.out(), "epoch 2");
    const auto second = demo.launch(id, {contract::RunStart{}});
    append(second.out(), "epoch 3");
    pause();
    append(second.out(), "epoch 4");
    base::LineAppender(second.results()).append(contract::to_json_line(contract::RunStop{}));
  });
  const test::Ran ran = demo.dlscale.run({"log", "demo", id, "-f"});
  trainer.join();
  CHECK(ran.exit_code == 0);
  CHECK(ran.out == "epoch 1\nepoch 2\n\n==> " + id + ", launch 2 <==\nepoch 3\nepoch 4\n");
}

TEST_CASE("log rejects a missing run, an unknown run and an unknown launch") {
  PlannedDemo demo;
  const test::Ran all = demo.dlscale.run({"log", "demo"});
  CHECK(all.exit_code == 2);
  CHECK_THAT(all.err, StartsWith("dlscale: log: name a run by its id, a prefix or a glob"));
  const test::Ran unknown = demo.dlscale.run({"log", "demo", "nobody"});
  CHECK(unknown.exit_code == 3);
  CHECK_THAT(unknown.err, Contains("no run matches nobody"));
  const test::Ran launch = demo.dlscale.run({"log", "demo", demo.ids[0], "--launch", "2"});
  CHECK(launch.exit_code == 3);
  CHECK(launch.err == "dlscale: run " + demo.ids[0] + " has no launch 2; launches so far: 0\n");
  CHECK(demo.dlscale.run({"log", "demo", demo.ids[0], "-f", "--launch", "1"}).exit_code == 2);
  CHECK(demo.dlscale.run({"log", "demo", demo.ids[0], "-n", "-1"}).exit_code == 2);
}
