// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale calibrate` through the program.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "contract/records/calibration.hpp"
#include "tests/cli/planned_demo.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Returns output of dlscale-bench comm with 10 us per hop, 1 GB/s and sizes doubled from 1 KiB.
std::string bench_lines(int sizes, int ranks = 2, const std::string& device = "a CPU") {
  std::string text;
  double bytes = 1024;
  for (int i = 0; i < sizes; ++i, bytes *= 2) {
    const double seconds = 2 * (ranks - 1) * (10e-6 + bytes / ranks * 1e-9);
    text += fmt::format(
        R"({{"record":"comm","collective":"all_reduce","communicator":"mpi","device":"{}",)"
        R"("host":"n1","ranks":{},"nodes":1,"ranks_per_node":{},"precision":"fp32",)"
        R"("bytes":{:.0f},"seconds":{},"iterations":20,"warm_up":5,"wrong":0,"time":1}})"
        "\n",
        device, ranks, ranks, bytes, seconds);
  }
  return text;
}

/// Replaces the algorithm, communicator or precision in the lines.
std::string replaced(std::string lines, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = lines.find(what, at)) != lines.npos; at += by.size()) {
    lines.replace(at, what.size(), by);
  }
  return lines;
}

/// Returns output of nccl-tests with one GPU on each of two nodes, in the format without the name
/// of the collective. Out-of-place times have 10 us per hop and 1 GB/s. In-place times differ.
std::string nccl_lines(int sizes) {
  std::string text =
      "# nThread 1 nGpus 1 minBytes 1024 maxBytes 8192 step: 2(factor) warmup iters: 5 iters: 20 "
      "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
      "#  Rank  0 Group  0 Pid  1 on n1 device  0 [0x07] NVIDIA A100-SXM4-40GB\n"
      "#  Rank  1 Group  0 Pid  2 on n2 device  0 [0x07] NVIDIA A100-SXM4-40GB\n#\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
      "(us)  (GB/s)  (GB/s)       \n";
  double bytes = 1024;
  for (int i = 0; i < sizes; ++i, bytes *= 2) {
    const double us = 2 * (10 + bytes / 2 * 1e-3);
    text += fmt::format("{:12.0f} {:13.0f} float sum -1 {:.4f} {:.4f} {:.4f} 0 1.0 1.0 1.0 0\n",
                        bytes, bytes / 4, us, bytes / us / 1e3, bytes / us / 1e3);
  }
  return text;
}

contract::Calibration read(const std::filesystem::path& file) {
  return contract::calibration_from_json(base::read_file(file), file.string());
}

/// Writes the results of a demo run with step parts scaled by `scale`.
void complete(const test::PlannedDemo& demo, const std::string& id, int gpus, double scale) {
  contract::RunStart start;
  start.run_id = id;
  start.time = 1000;
  start.world_size = gpus;
  start.environment = {{"cpu", "a CPU"}, {"task", "classification"}};
  contract::StepWindow window;
  window.steps = 10;
  window.samples = 320 * gpus;
  window.bytes_sent = gpus > 1 ? 1e6 : 0;
  window.comm_busy_s.mean = gpus > 1 ? 0.2 : 0;
  const double parts[] = {0.01, 0, 0.3, 0.5, gpus > 1 ? 0.1 : 0, 0.05, 0, 0.02};
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    window.parts[i].mean = parts[i] * scale;
    window.wall_s += parts[i] * scale;
  }
  contract::StepWindow first = window;
  first.warmup = true;
  window.first_step = 10;
  contract::RunStop stop;
  stop.time = 1010;
  demo.launch(id, {start, first, window, stop});
}

/// Completes all runs of a plan and returns their calibration.
contract::Calibration calibrated(test::PlannedDemo& demo) {
  for (const auto& run : contract::read_plan(demo.folder).runs) {
    complete(demo, run.run_id, run.gpus, 1);
  }
  const std::string folder = demo.folder.root().string();
  REQUIRE(demo.dlscale.run({"collect", folder, "--no-tables"}).exit_code == 0);
  const test::Ran made = demo.dlscale.run({"calibrate", folder, "-o", "c.json"});
  INFO(made.err);
  REQUIRE(made.exit_code == 0);
  return read(demo.dlscale.folder / "c.json");
}

/// Plans the demo study with these options and returns the calibration of its completed runs.
contract::Calibration calibrated_with(std::vector<std::string> words) {
  test::PlannedDemo demo;
  words.insert(words.begin(),
               {"plan", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml", "-o", "other", "-S",
                "study.repeats=1", "-S", "matrix.lr_schedule='cosine'"});
  const test::Ran planned = demo.dlscale.run(words);
  INFO(planned.err);
  REQUIRE(planned.exit_code == 0);
  demo.folder = contract::PlanDir(demo.dlscale.folder / "other");
  return calibrated(demo);
}

}  // namespace

TEST_CASE("benchmarked all-reduces give latency and bandwidth with intervals") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "comm.jsonl", bench_lines(12));
  const test::Ran ran = dlscale.run({"calibrate", "comm.jsonl", "-o", "c.json", "--topology",
                                     "shared memory", "--format", "csv"});
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.err, Contains("comm.jsonl: 12 all-reduces"));
  CHECK_THAT(ran.out, Contains("shared memory,1,2,1024,2097152,"));
  const contract::Calibration calibration = read(dlscale.folder / "c.json");
  CHECK(calibration.device == "a CPU");
  CHECK(calibration.all_reduce.size() == 12);
  REQUIRE(calibration.all_reduce_fits.size() == 1);
  CHECK(calibration.all_reduce_fits[0].latency_s.value == Approx(1e-5));
  CHECK(calibration.all_reduce_fits[0].seconds_per_byte.value == Approx(1e-9));
}

TEST_CASE("too few points are rejected with a list of what is missing, and nothing is written") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "comm.jsonl", bench_lines(2));
  const test::Ran ran = dlscale.run({"calibrate", "comm.jsonl", "-o", "c.json"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("too few points: all-reduces of 2 sizes on 2 GPUs on 1 node;"));
  CHECK(ran.out.empty());
  CHECK_FALSE(std::filesystem::exists(dlscale.folder / "c.json"));
}

TEST_CASE("files without usable measurements are rejected in one line") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "a.jsonl", bench_lines(4));
  base::write_file_atomically(dlscale.folder / "b.jsonl", bench_lines(4, 2, "another CPU"));
  base::write_file_atomically(dlscale.folder / "notes.txt", "hello\n");
  base::write_file_atomically(dlscale.folder / "cut.jsonl", bench_lines(4).substr(0, 400));
  const auto refused = [&](std::vector<std::string> words, const std::string& message) {
    words.insert(words.begin(), "calibrate");
    const test::Ran ran = dlscale.run(words);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(message));
    CHECK_FALSE(std::filesystem::exists(dlscale.folder / "c.json"));
  };
  refused({"-o", "c.json"}, "sources are missing");
  refused({"a.jsonl"}, "-o FILE is missing");
  refused({"notes.txt", "-o", "c.json"}, "notes.txt: must be output of");
  refused({"none.txt", "-o", "c.json"}, "none.txt");
  refused({"cut.jsonl", "-o", "c.json"}, "cut.jsonl:");
  refused({"a.jsonl", "b.jsonl", "-o", "c.json"},
          "b.jsonl: was measured on another CPU, but earlier sources were measured on a CPU");
}

TEST_CASE("all-reduces of different algorithms, communicators or precisions are not mixed") {
  test::DlscaleProgram dlscale;
  const std::string tuned = replaced(bench_lines(4), R"("communicator":"mpi")",
                                     R"("communicator":"mpi","algorithm":"tuned")");
  const std::string on_four = replaced(bench_lines(4, 4), R"("communicator":"mpi")",
                                       R"("communicator":"mpi","algorithm":"ring")");
  const auto write = [&](const char* name, const std::string& text) {
    base::write_file_atomically(dlscale.folder / name, text);
  };
  write("tuned.jsonl", tuned);
  write("ring.jsonl", replaced(tuned, "tuned", "ring"));
  write("bf16.jsonl", replaced(tuned, "fp32", "bf16"));
  write("thread.jsonl", replaced(bench_lines(4), "mpi", "thread"));
  write("four.jsonl", on_four);
  write("mixed.jsonl", tuned + replaced(tuned, "tuned", "ring"));
  const auto refused = [&](std::vector<std::string> words, const std::string& message) {
    words.insert(words.begin(), {"calibrate", "-o", "c.json"});
    const test::Ran ran = dlscale.run(words);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(message));
    CHECK_FALSE(std::filesystem::exists(dlscale.folder / "c.json"));
  };
  refused({"tuned.jsonl", "ring.jsonl"},
          "ring.jsonl: the all-reduces of 2 GPUs on 1 node use ring over mpi, fp32, but those of "
          "earlier sources use tuned over mpi, fp32; create a separate calibration for each "
          "combination");
  refused({"tuned.jsonl", "bf16.jsonl"}, "use tuned over mpi, bf16");
  refused({"tuned.jsonl", "thread.jsonl"}, "use thread, fp32");
  refused({"mixed.jsonl"}, "mixed.jsonl: the all-reduces of 2 GPUs");
  // Different numbers of ranks may use different algorithms.
  CHECK(dlscale.run({"calibrate", "-o", "c.json", "tuned.jsonl", "four.jsonl"}).exit_code == 0);
}

TEST_CASE("runs with ZeRO stages give no all-reduces, because parameters are gathered too") {
  const auto all_reduces = [](const std::string& stage) {
    return calibrated_with({"-S", "matrix.batch_per_gpu=32", "-S", "matrix.framework='deepspeed'",
                            "-S", "training.frameworks.deepspeed.zero_stage=" + stage})
        .all_reduce.size();
  };
  CHECK(all_reduces("0") == 1);
  CHECK(all_reduces("1") == 0);
  CHECK(all_reduces("3") == 0);
}

TEST_CASE("runs of a study give steps, overlap, loading and all-reduces") {
  test::PlannedDemo demo;
  const contract::Calibration calibration = calibrated(demo);
  CHECK(calibration.compute.size() == 4);
  REQUIRE(calibration.exchange.size() == 1);
  CHECK(calibration.exchange[0].framework == "ddp");
  CHECK(calibration.exchange[0].hidden == Approx(0.5));
  REQUIRE(calibration.loading.size() == 1);
  CHECK(calibration.loading[0].seconds_per_sample == Approx(0.001 / 32));
  // One entry is for few large messages, the other for many small messages.
  CHECK(calibration.all_reduce.size() == 2);
}

TEST_CASE("compare shows predictions next to measurements if both exist") {
  test::PlannedDemo demo;
  const auto runs = contract::read_plan(demo.folder).runs;
  for (const auto& run : runs) complete(demo, run.run_id, run.gpus, 1);
  REQUIRE(demo.dlscale.run({"collect", "demo", "--no-tables"}).exit_code == 0);
  const test::Ran none = demo.dlscale.run({"compare", "demo", "--predicted"});
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.err, Contains("no predictions are saved in demo; "));
  REQUIRE(demo.dlscale.run({"calibrate", "demo", "-o", "c.json"}).exit_code == 0);
  const std::vector<std::string> predict{"predict",
                                         DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml",
                                         "--calibration",
                                         "c.json",
                                         "--keep",
                                         "demo",
                                         "-S",
                                         "study.repeats=1",
                                         "-S",
                                         "matrix.lr_schedule='cosine'",
                                         "-S",
                                         "matrix.batch_per_gpu=32"};
  const test::Ran kept = demo.dlscale.run(predict);
  INFO(kept.err);
  REQUIRE(kept.exit_code == 0);
  CHECK_THAT(kept.err, Contains("4 predictions saved in demo/predictions.jsonl"));
  CHECK_THAT(demo.dlscale.run(predict).err,
             Contains("0 predictions saved") && Contains("4 saved before"));
  const test::Ran compared =
      demo.dlscale.run({"compare", "demo", "--predicted", "--format", "csv"});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, Contains("afterwards") && Contains("step time,4,"));
  const test::Ran scored = demo.dlscale.run({"collect", "demo"});
  CHECK_THAT(scored.out, Contains("Errors of saved predictions"));
}

TEST_CASE("steps keep the precision of their runs, and GPU runs do not take the name of the CPU") {
  const contract::Calibration calibration = calibrated_with(
      {"--site", "altec", "-S", "training.precision=tf32", "-S", "matrix.gpus=[1]"});
  REQUIRE(calibration.compute.size() == 4);
  CHECK(calibration.compute[0].precision == "tf32");
  CHECK(calibration.device.empty());  // the records do not name the GPU
}

TEST_CASE("output of nccl-tests is a benchmark, and the file name gives its collective") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "all_reduce.txt", nccl_lines(4));
  base::write_file_atomically(dlscale.folder / "alltoall.txt", nccl_lines(4));
  const test::Ran ran = dlscale.run({"calibrate", "all_reduce.txt", "-o", "c.json"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  const contract::Calibration made = read(dlscale.folder / "c.json");
  CHECK(made.device == "NVIDIA A100-SXM4-40GB");
  REQUIRE(made.all_reduce.size() == 4);  // only the out-of-place times are imported
  CHECK(made.all_reduce[0].nodes == 2);
  REQUIRE(made.all_reduce_fits.size() == 1);
  CHECK(made.all_reduce_fits[0].latency_s.value == Approx(1e-5).epsilon(0.01));
  CHECK(dlscale.run({"calibrate", "alltoall.txt", "-o", "d.json"}).exit_code == 2);
}

TEST_CASE("calibrate --figures writes measured and modelled all-reduces, or states why it cannot") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder / "comm.jsonl", bench_lines(20));
  const test::Ran drawn =
      dlscale.run({"calibrate", "comm.jsonl", "-o", "c.json", "--figures", "drawn"});
  REQUIRE(drawn.exit_code == 0);
  for (const char* file : {"all-reduce-times.svg", "all-reduce-times.csv", "all-reduce-errors.svg",
                           "all-reduce-errors.csv"}) {
    CHECK(std::filesystem::exists(dlscale.folder / ("drawn/" + std::string(file))));
  }
  CHECK_THAT(base::read_file(dlscale.folder / "drawn/all-reduce-errors.csv"),
             Contains("bandwidth 1 GB/s"));
  base::write_file_atomically(dlscale.folder / "small.jsonl", bench_lines(5));
  const test::Ran none =
      dlscale.run({"calibrate", "small.jsonl", "-o", "s.json", "--figures", "none"});
  CHECK(none.exit_code == 0);
  CHECK_THAT(none.err, Contains("no placement has 3 message sizes between 500 KiB and 1 GiB"));
  CHECK_FALSE(std::filesystem::exists(dlscale.folder / "none"));
}
