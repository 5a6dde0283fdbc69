// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_kernels.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/bench/kernel_calls.hpp"
#include "trainer/bench/measurement_file.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::KernelSize;
using trainer::read_kernel_bench;

namespace {

/// Returns the arguments of a benchmark of three kernels with two small sizes each.
std::vector<std::string> few(const test::TempDir& folder) {
  return {"-o",        (folder / "k.jsonl").string(),
          "--kernels", "convolution_forward,batch_norm_backward,relu_forward",
          "--samples", "2",
          "--seconds", "0.0001",
          "--cores",   "1",
          "b=1,2",     "c=2,3,4",
          "h=4,8",     "kernel=1,3",
          "stride=1",  "pad=0,1",
          "n=8,64"};
}

std::vector<contract::KernelSample> samples_in(const test::TempDir& folder) {
  const std::string file = folder / "k.jsonl";
  return contract::bench_records_from_jsonl(base::read_file(file), file).kernels;
}

}  // namespace

TEST_CASE("every kernel can be called in fp32 and bf16") {
  const auto device = trainer::open_bench_device("cpu", 0, 1);
  const std::map<std::string, double> whole{
      {"b", 2},      {"c", 3},      {"c_in", 3},   {"c_out", 4},   {"h_in", 8}, {"h_out", 4},
      {"kernel", 3}, {"stride", 2}, {"inputs", 5}, {"outputs", 7}, {"n", 100}};
  for (const trainer::KernelClass& each : trainer::kernel_classes()) {
    INFO(each.name);
    KernelSize size;
    for (const std::string& key : trainer::inputs_of(each.shape)) size[key] = whole.at(key);
    for (const char* precision : {"fp32", "bf16"}) {
      const auto call = trainer::make_kernel_call(each.name, size, precision, *device.device);
      CHECK_NOTHROW(call());
      CHECK_NOTHROW(call());
    }
  }
}

TEST_CASE("sampled sizes are reproducible by seed, distinct and within bounds") {
  trainer::SizeRanges ranges = trainer::usual_ranges("cpu");
  ranges.most_bytes = 50e6;
  for (const trainer::KernelClass& each : trainer::kernel_classes()) {
    trainer::SizeSampler one(each, ranges, 7), again(each, ranges, 7);
    std::set<KernelSize> seen;
    for (int i = 0; i < 50; ++i) {
      const auto size = one.next();
      REQUIRE(size);
      CHECK((again.next() == size));
      CHECK(seen.insert(*size).second);
      CHECK(trainer::bytes_of_kernel(each.shape, *size) <= ranges.most_bytes);
      CHECK(trainer::flop_of_kernel(each.shape, *size) <= ranges.most_flop);
      for (const std::string& key : trainer::inputs_of(each.shape)) CHECK(size->at(key) >= 1);
    }
  }
}

TEST_CASE("the size sampler ends after it has drawn all sizes") {
  trainer::SizeRanges ranges = trainer::usual_ranges("cpu");
  ranges.values["b"] = {1};
  ranges.values["c"] = {2, 3};
  ranges.values["h"] = {4};
  const auto& classes = trainer::kernel_classes();
  const auto norm = std::find_if(classes.begin(), classes.end(), [](const auto& each) {
    return each.name == std::string("batch_norm_forward");
  });
  trainer::SizeSampler sampler(*norm, ranges, 1);
  CHECK(sampler.next());
  CHECK(sampler.next());
  CHECK(!sampler.next());
}

TEST_CASE("kernels are measured once, and an interrupted file is continued") {
  const test::TempDir folder;
  const auto bench = read_kernel_bench(few(folder));
  CHECK_THAT(bench_kernels(bench), Contains("6 measured, 0 already in the file"));
  const auto all = samples_in(folder);
  REQUIRE(all.size() == 6);
  CHECK(all[0].kernel != all[1].kernel);  // the measured kernels alternate
  for (const auto& each : all) CHECK(each.seconds > 0);
  // Simulates a process that was killed during a write.
  const std::string text = base::read_file(folder / "k.jsonl");
  base::write_file_atomically(folder / "k.jsonl", text.substr(0, text.size() - 20));
  CHECK_THROWS_WITH(samples_in(folder), Contains("k.jsonl:6: the line is incomplete"));
  CHECK_THAT(bench_kernels(bench), Contains("1 measured, 5 already in the file"));
  const auto mended = samples_in(folder);
  REQUIRE(mended.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) CHECK((mended[i].size == all[i].size));
}

TEST_CASE("no kernel is measured after the time budget has ended") {
  const test::TempDir folder;
  auto arguments = few(folder);
  arguments.insert(arguments.end(), {"--budget", "1e-9"});
  CHECK_THAT(bench_kernels(read_kernel_bench(arguments)),
             Contains("0 measured") && Contains("run the same command again"));
}

TEST_CASE("each size is measured with the given number of single calls") {
  const test::TempDir folder;
  auto arguments = few(folder);
  const auto seconds = std::find(arguments.begin(), arguments.end(), "--seconds");
  *seconds = "--repetitions";
  *std::next(seconds) = "7";
  bench_kernels(read_kernel_bench(arguments));
  const auto samples = samples_in(folder);
  REQUIRE(samples.size() == 6);
  for (const auto& each : samples) {
    CHECK(each.repetitions == 7);
    CHECK(each.calls == 1);
  }
}

TEST_CASE("the sets of arrays have the requested bytes together, and at most 1,000 are made") {
  // A call of relu_forward with 100 values counts 800 bytes: 4 bytes per value for the input and
  // for the result.
  const auto sets = [](const char* precision, std::int64_t rotated) {
    return trainer::rotated_sets("relu_forward", {{"n", 100}}, precision, rotated);
  };
  CHECK(sets("fp32", 0) == 1);
  CHECK(sets("fp32", 800) == 1);
  CHECK(sets("fp32", 801) == 2);
  CHECK(sets("bf16", 800) == 2);
  CHECK(sets("fp32", 1 << 30) == 1000);
}

TEST_CASE("a rotating call uses the sets of arrays in turn") {
  int made = 0;
  std::vector<int> called;
  const trainer::KernelCall call = trainer::rotating_call(
      [&]() -> trainer::KernelCall { return [&, set = made++] { called.push_back(set); }; }, 3);
  for (int i = 0; i < 7; ++i) call();
  CHECK(called == std::vector<int>{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("the rotated bytes are recorded, and their times are not mixed with cached times") {
  const test::TempDir folder;
  auto arguments = few(folder);
  arguments.insert(arguments.end(), {"--rotate", "1MiB"});
  CHECK_THAT(bench_kernels(read_kernel_bench(arguments)), Contains("6 measured"));
  for (const auto& each : samples_in(folder)) {
    CHECK(each.made_with.at("rotated_bytes") == "1048576");
  }
  CHECK_THROWS_WITH(bench_kernels(read_kernel_bench(few(folder))),
                    Contains("the file contains times with --rotate 1048576") &&
                        Contains("this command has --rotate 0"));
  CHECK(samples_in(folder).size() == 6);
}

TEST_CASE("measurements are not appended to a file of another device or another format") {
  const test::TempDir folder;
  auto arguments = few(folder);
  bench_kernels(read_kernel_bench(arguments));
  std::replace(arguments.begin(), arguments.end(), std::string("1"), std::string("2"));
  CHECK_THROWS_WITH(bench_kernels(read_kernel_bench(arguments)), Contains("use another file"));
  base::write_file_atomically(folder / "k.jsonl", "a letter");
  CHECK_THROWS_WITH(bench_kernels(read_kernel_bench(few(folder))),
                    Contains("the last line is not a measurement"));
  CHECK(base::read_file(folder / "k.jsonl") == "a letter");
}

TEST_CASE("invalid arguments of the kernel benchmark are rejected") {
  const auto refused = [](std::vector<std::string> arguments, const std::string& message) {
    CHECK_THROWS_WITH(read_kernel_bench(arguments), Contains(message));
    CHECK_THROWS_AS(read_kernel_bench(arguments), base::UsageError);
  };
  refused({}, "-o is missing");
  refused({"-o", "k", "--repetitions", "0"}, "--repetitions");
  refused({"-o", "k", "--repetitions", "9", "--seconds", "1"}, "leave one out");
  refused({"-o", "k", "--kernels", "relu"}, "unknown kernel \"relu\"");
  refused({"-o", "k", "--sample", "3"}, "did you mean \"--samples\"?");
  refused({"-o", "k", "kernels=3"}, "did you mean \"kernel\"?");
  refused({"-o", "k", "b=3,x"}, "b 3,x: expected comma-separated whole numbers");
  refused({"-o", "k", "--device", "gpu"}, "unknown device \"gpu\"");
  refused({"-o", "k", "--precision", "fp16"}, "unknown precision \"fp16\"");
}
