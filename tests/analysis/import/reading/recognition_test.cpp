// SPDX-License-Identifier: Apache-2.0
// Tests that only the format of a real log recognises the log, and that no format recognises other
// files.
#include "analysis/import/reading/log_format.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"
#include "tests/support/skip.hpp"

namespace dlscale::analysis {
namespace {

namespace fs = std::filesystem;

/// Returns the names of the formats that recognise a file by its first 64 KiB.
std::string recognised(const fs::path& file) {
  const std::string head =
      without_launcher_prefixes(base::read_file(file).substr(0, std::size_t{64} << 10));
  std::string names;
  for (const LogFormat* format : log_formats()) {
    if (format->recognises(head)) names += (names.empty() ? "" : " ") + std::string(format->name);
  }
  return names;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("the lines of a program are recognised after much output of other programs") {
  std::string noise;
  while (noise.size() < 100'000) noise += "node0:1000:2000 [0] NCCL INFO Channel 00/16 via P2P\n";
  for (const LogSample& sample : log_samples()) {
    INFO(sample.format);
    const LogFormat* const format = format_behind_other_lines(noise + sample.text);
    const std::string found = format == nullptr ? "" : format->name;
    const std::set<std::string> begins_files{"huggingface",   "lightning_csv", "pytorch_csv",
                                             "llmc",          "dawnbench",     "timm_summary",
                                             "timm_benchmark"};
    const bool is_of_file = begins_files.contains(sample.format) ||
                            !base::find(log_formats(), "log format", sample.format).of_training;
    CHECK(found == (is_of_file ? "" : sample.format));
  }
}

TEST_CASE("the first line of a table is not recognised in the middle of a text") {
  CHECK(format_behind_other_lines("") == nullptr);
  CHECK(format_behind_other_lines("s:10 trl:8.93\n") == nullptr);
  CHECK(format_of_beginning("s:10 trl:8.93\n") != nullptr);
}

TEST_CASE("parts of a line between carriage returns are recognised without the line end") {
  const std::string bar =
      "Train Epoch     #1:  40%|####      | 8/20 [00:04<00:06,  2.0it/s, loss=6.9]\r";
  CHECK(std::string(format_of_beginning("Loading\n" + bar + "Train Ep")->name) == "horovod");
}

TEST_CASE("real logs are recognised only by their own format") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA names no folder of real logs");
    return;
  }
  const fs::path root(data);
  const std::vector<std::pair<const char*, const char*>> expected{
      {"trainer-logs/torchvision/reference-tail.txt", "torchvision"},
      {"trainer-logs/horovod/pytorch_synthetic_benchmark-4gpu.txt", "horovod"},
      {"trainer-logs/pytorch-ddp/2024-11-08-21-31-31-with_aws.log", "pytorch_ddp"},
      {"trainer-logs/mxnet/resnet-18.log", "mxnet"},
      {"trainer-logs/mxnet/resnet-164.log", "mxnet"},
      {"trainer-logs/torch7/wide-resnet_1121914561.log.txt", "torch7"},
      {"trainer-logs/timm/ViTAEv2_S.txt", "timm"},
      {"trainer-logs/pytorch-csv/mobilenet_v2_1.0_224/results.csv", "pytorch_csv"},
      {"trainer-logs/mmdet/mask_rcnn_vitaev2_s-480-800_adamw_1x_coco.out", "mmdet"},
      {"trainer-logs/llmc/2024-06-06_AdamW.log", "llmc"},
      {"trainer-logs/deit/p2t-log-excerpt.jsonl", "deit"},
      {"trainer-logs/mxnet/log-README.md", ""},
      {"trainer-logs/convnet-benchmarks/caffe/output_googlenet.log", ""},
      {"scaling/lambda/V100/PyTorch_resnet50_AMP/08-03-2020_22-25-58.txt", "dllogger"},
      {"scaling/lambda/V100/sys_pytorch.txt", ""},
      {"scaling/lambda/V100/PyTorch_gnmt_FP16/08-03-2020_21-36-32.txt", "gnmt"},
      {"scaling/lambda/8xV100/PyTorch_gnmt_FP16/09-03-2020_02-24-17.txt", "gnmt"},
      {"scaling/lambda/8xV100/PyTorch_SSD_AMP/09-03-2020_03-11-59.txt", "ssd"},
      {"scaling/lambda/V100/PyTorch_ncf_FP16/08-03-2020_22-35-15.txt", "nvlog"},
      {"scaling/lambda/V100/PyTorch_bert_base_squad_FP16/08-03-2020_22-30-01.txt", ""},
      {"scaling/lambda/2xA100_80GB_SXM4_v1/PyTorch_gnmt_FP16/benchmark.para", ""},
      {"scaling/timm/benchmark-train-amp-nchw-pt112-cu113-rtx3090.csv", "timm_benchmark"},
      {"scaling/timm/benchmark-infer-amp-nchw-pt113-cu117-rtx3090.csv", "timm_benchmark"},
      {"scaling/dawnbench/CIFAR10/train/KRes34_1GTX1080Ti_pytorch.tsv", "dawnbench"},
      {"scaling/dawnbench/SQuAD/train/dawn_drqa_1k80-ec2.tsv", "dawnbench"},
      {"scaling/csc-ml-benchmarks/results.md", ""},
      {"scaling/pydtnn/run_benchmarks_data.csv", ""},
      {"scaling/nccl-tests-h100/multi-node/runs/20260129-180219/without-debug/summary.csv", ""},
      {"scaling/nccl-tests-polaris/nccl_2_18/n2.g4.2024-04-29-18-41-24/all_reduce_output.dat.1",
       "nccl_tests"},
      {"trainer-logs/timm/summary-excerpt/summary.csv", "timm_summary"},
      {"trainer-logs/slurm-sacct/slurm2sql-test-data1.csv", "sacct"},
      {"trainer-logs/slurm-sacct/xdmod-phillips.log", "sacct"},
      {"trainer-logs/convnet-benchmarks/nervana/output.log", ""},
      {"scaling/vtrain/ground_truth_single.csv", ""},
      {"scaling/dlperf/dlperf_benchmark_test_report_v1.md", ""}};
  for (const auto& [file, format] : expected) {
    INFO(file);
    CHECK(recognised(root / file) == format);
  }
  int results = 0;
  for (const char* folder : {"mlperf-v0.5", "mlperf-v0.7", "mlperf-v2.0"}) {
    for (const fs::path& file : files_below(root / "scaling" / folder)) {
      INFO(file);
      const bool is_log = file.filename().string().starts_with("result_");
      CHECK(recognised(file) == (is_log ? "mlperf" : ""));
      results += is_log ? 1 : 0;
    }
  }
  CHECK(results == 51);
}

}  // namespace dlscale::analysis
