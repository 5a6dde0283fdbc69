// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/support/shared_logs.hpp"

namespace dlscale::test {
namespace {

SharedLogs vtrain() {
  return {.path = "scaling/vtrain/ground_truth_single.csv",
          .options = {{"map", "gpus=# GPUs"},
                      {"map", "global_batch=global batch"},
                      {"map", "wall_s=iteration time (ms)*0.001"},
                      {"map", "micro_batch=micro batch"},
                      {"map", "hidden_size=hidden size"},
                      {"map", "heads=attention heads"},
                      {"map", "layers=# layers"},
                      {"map", "sequence=sequence length"},
                      {"map", "tensor=tensor parallelism"},
                      {"map", "data=data parallelism"},
                      {"map", "pipeline=pipeline parallelism"}},
          .formats = {{"csv", 1}},
          .runs = 1440,
          .values = {{"SELECT wall_s FROM step_window WHERE line = 2", 0.372160408},
                     {"SELECT samples FROM step_window WHERE line = 2", 16},
                     {"SELECT wall_s FROM step_window WHERE line = 3", 0.219732754}}};
}

SharedLogs csc() {
  return {.path = "scaling/csc-ml-benchmarks/results.md",
          .options = {{"format", "markdown"},
                      {"map", "benchmark=Benchmark"},
                      {"map", "version=Framework"},
                      {"map", "cluster=Cluster"},
                      {"map", "gpus=GPUs"},
                      {"map", "date=Date"},
                      {"map", "samples_per_s=Img/sec"}},
          .formats = {{"markdown", 1}},
          .runs = 285,
          .failed = 1,
          .values = {{"SELECT samples / wall_s FROM step_window WHERE line = 3", 758.9},
                     {"SELECT samples / wall_s FROM step_window WHERE line = 19", 1255.24},
                     {"SELECT count(*) FROM run WHERE outcome = 'Failed' AND gpus = 8", 1}}};
}

SharedLogs dlperf() {
  return {
      .path = "scaling/dlperf/dlperf_benchmark_test_report_v1.md",
      .options = {{"format", "markdown"},
                  {"map", "nodes=node num"},
                  {"map", "gpus=device num"},
                  {"map", "framework=#column"},
                  {"map", "model=#heading3"},
                  {"map", "setting=#heading4"},
                  {"map", "samples_per_s=*"}},
      .formats = {{"markdown", 1}},
      .runs = 168,
      .values = {
          {"SELECT max(samples_per_s) FROM step_window_view WHERE gpus = 32 AND run_id IN "
           "(SELECT run_id FROM run_axis WHERE value = 'OneFlow')",
           33141.02},
          {"SELECT count(*) FROM run_axis WHERE value = 'NGC TensorFlow 1.x w/XLA bsz=224'", 4}}};
}

SharedLogs timm_tables() {
  return {
      .path = "scaling/timm",
      .formats = {{"timm_benchmark", 2}},
      .runs = 838 + 932,
      .values = {{"SELECT samples_per_s FROM step_window_view JOIN run_axis AS a USING (run_id) "
                  "WHERE a.name = 'model' AND a.value = 'resnet50'",
                  826.06, 1e-4},
                 {"SELECT samples_per_s FROM inference JOIN run_axis AS a USING (run_id) WHERE "
                  "a.name = 'model' AND a.value = 'resnet50'",
                  3025.4},
                 {"SELECT latency_p50_s FROM inference JOIN run_axis AS a USING (run_id) WHERE "
                  "a.name = 'model' AND a.value = 'resnet50'",
                  0.338455}}};
}

SharedLogs dawnbench() {
  return {
      .path = "scaling/dawnbench",
      .options = {{"axis", "task=/(CIFAR10|ImageNet|SQuAD)/"},
                  {"axis", "entry=train/(.*)\\.tsv"},
                  {"axis", "gpus=(?i)_(\\d+)g?(?:v100|k80|p100|t4|m60|gtx)"},
                  {"default", "gpus=1"}},
      .formats = {{"dawnbench", 35}},
      .runs = 35,
      .values = {
          {"SELECT max(accuracy) FROM eval JOIN run_axis AS a USING (run_id) WHERE a.value "
           "= 'basenet'",
           0.9434},
          {"SELECT sum(wall_s) / 3600 FROM epoch JOIN run_axis AS a USING (run_id) WHERE "
           "a.value = 'basenet'",
           0.12188066297107272},
          {"SELECT max(eval_metric.value) FROM eval_metric JOIN run_axis AS a USING (run_id) WHERE "
           "a.value = 'fastai_resnet50_p3_16_machine_pytorch' AND eval_metric.name = "
           "'top5_accuracy'",
           0.9311000061035156},
          {"SELECT max(value) FROM eval_metric WHERE name = 'f1' AND run_id IN (SELECT "
           "run_id FROM run_axis WHERE value = 'dawn_qanet_1tpu')",
           0.763679}}};
}

SharedLogs h100() {
  return {
      .path = "scaling/nccl-tests-h100",
      .formats = {{"nccl_tests", 8}},
      .runs = 40,
      .left_out = 2,
      .values = {{"SELECT avg(busbw_gb_per_s) FROM collective_view WHERE gpus = 10 AND nodes = 10 "
                  "AND collective = 'all_reduce'",
                  47.8165, 1e-4},
                 {"SELECT max(busbw_gb_per_s) FROM collective_view WHERE gpus = 80 AND "
                  "collective = 'all_reduce'",
                  364.07},
                 {"SELECT avg(busbw_gb_per_s) FROM collective_view WHERE gpus = 80 AND "
                  "collective = 'alltoall'",
                  47.1472, 1e-4},
                 {"SELECT time_s FROM collective_view WHERE gpus = 10 AND collective = "
                  "'all_reduce' AND size_bytes = 33554432 AND NOT in_place",
                  1405.25e-6}}};
}

SharedLogs polaris() {
  return {
      .path = "scaling/nccl-tests-polaris",
      .options = {{"format", "nccl_tests"},
                  {"axis", "collective=/(\\w+)_output"},
                  {"axis", "nodes=/n(\\d+)\\."},
                  {"axis", "setting=\\.dat\\.(\\d+)"}},
      .formats = {{"nccl_tests", 45}},
      .runs = 45,
      .failed = 12,
      .values = {{"SELECT avg(busbw_gb_per_s) FROM collective_view JOIN run_axis AS a USING "
                  "(run_id) WHERE gpus = 8 AND collective = 'all_reduce' AND a.name = 'setting' "
                  "AND a.value = '1'",
                  2.96746, 2e-3},
                 {"SELECT count(DISTINCT run_id) FROM collective_view WHERE gpus = 512", 3},
                 {"SELECT count(*) FROM launch WHERE reason LIKE '%CXI alloc failed on cxi0%'", 7},
                 {"SELECT count(*) FROM launch WHERE reason LIKE '%allocate a port for PMI%'", 5}}};
}

SharedLogs mlperf_v2() {
  return {.path = "scaling/mlperf-v2.0",
          .formats = {{"mlperf", 4}},
          .runs = 4,
          .left_out = 4,
          .values = {{"SELECT count(*) FROM run WHERE gpus = 32 AND nodes = 8", 1},
                     {"SELECT count(*) FROM run WHERE gpus = 4 AND nodes = 1", 1},
                     // The second epoch lies between 1652674928376 and 1652675034178 ms.
                     {"SELECT samples_per_s FROM step_window_view WHERE gpus = 4 AND epoch = 1",
                      1281167 / 105.802},
                     {"SELECT accuracy FROM eval_view WHERE gpus = 4 AND epoch = 2", 0.3116}}};
}

SharedLogs mlperf_v07() {
  return {.path = "scaling/mlperf-v0.7",
          .formats = {{"mlperf", 40}},
          .runs = 40,
          .failed = 1,  // the training was aborted
          .left_out = 13,
          .values = {{"SELECT count(*) FROM run WHERE gpus = 4096 AND nodes = 512", 10},
                     {"SELECT count(*) FROM run WHERE gpus = 16 AND nodes = 4", 1},
                     // Four epochs and the evaluation after each of them lie between 1592969356979
                     // and 1592969541186 ms.
                     {"SELECT samples_per_s FROM step_window_view WHERE line = 28 AND source LIKE "
                      "'%/tpu-v4-16-TF/resnet/result_0.txt'",
                      4 * 1281167 / 184.207},
                     {"SELECT accuracy FROM eval_view WHERE line = 27 AND source LIKE "
                      "'%/tpu-v4-16-TF/resnet/result_0.txt'",
                      0.41986}}};
}

SharedLogs mlperf_v05() {
  return {.path = "scaling/mlperf-v0.5",
          .options = {{"axis", "gpus=tpuv\\d-(\\d+)/"},
                      {"axis", "nodes=_2s_(\\d+)x/"},
                      {"axis", "submitter=mlperf-v0.5/(\\w+)/"},
                      {"default", "gpus=8"},
                      {"default", "global_batch=1024"}},
          .formats = {{"mlperf", 7}},
          .runs = 7,
          .values = {{"SELECT count(*) FROM run WHERE gpus = 512", 1},
                     // Four epochs lie between 1541661299.420704365 and 1541662444.602684259 s.
                     {"SELECT samples_per_s FROM step_window_view WHERE line = 338 AND source LIKE "
                      "'%/resnet-tpuv2-8/%'",
                      4 * 1281167 / 1145.181979894},
                     {"SELECT accuracy FROM eval_view WHERE line = 338 AND source LIKE "
                      "'%/resnet-tpuv2-8/%'",
                      0.3894449770450592}}};
}

SharedLogs lambda() {
  return {.path = "scaling/lambda",
          .options = {{"axis", "machine=lambda/([^/]+)/"},
                      {"axis", "benchmark=PyTorch_(\\w+)/"},
                      {"axis", "gpus=(\\d+)x[VAH]100"},
                      {"default", "gpus=1"}},
          .formats = {{"dllogger", 40}, {"gnmt", 12}, {"nvlog", 4}, {"ssd", 4}},
          .runs = 60,
          .left_out = 96,
          .values = {
              {"SELECT sum(samples) / sum(wall_s) FROM step_window_view JOIN run_axis AS a USING "
               "(run_id) WHERE gpus = 8 AND a.name = 'benchmark' AND a.value = 'SSD_AMP'",
               8 * 3840 / 19.636, 1e-4},
              {"SELECT max(value) FROM eval_metric WHERE name = 'train_tokens_per_s'", 3836120},
              {"SELECT max(value) FROM eval_metric WHERE name = 'bleu'", 1.19},
              {"SELECT samples / wall_s FROM step_window JOIN run_axis AS a USING (run_id) JOIN "
               "run_axis AS m USING (run_id) WHERE a.value = 'bert_base_squad_FP16' AND m.value = "
               "'1cc_8xH100_80GB_SXM5_v1'",
               9904.809092402633, 1e-5},
              {"SELECT global_batch FROM run JOIN run_axis AS a USING (run_id) JOIN run_axis AS m "
               "USING (run_id) WHERE a.value = 'gnmt_FP16' AND m.value = '8xA100_80GB_SXM4_v1'",
               12160}}};
}

SharedLogs squad() {
  return {.path = "scaling/lambda",
          .options = {{"pattern", "^ training throughput: (?<samples_per_s>[\\d.]+)"},
                      {"axis", "gpus=(\\d)xV100/PyTorch_bert.*txt"},
                      {"default", "gpus=1"}},
          .formats = {{"pattern", 4}},
          .runs = 4,
          .left_out = 152,
          .values = {{"SELECT samples_per_s FROM step_window_view WHERE gpus = 8", 985.551, 1e-3},
                     {"SELECT samples_per_s FROM step_window_view WHERE gpus = 1", 148.718, 1e-3}}};
}

SharedLogs caffe() {
  return {.path = "trainer-logs/convnet-benchmarks/caffe",
          .options = {{"pattern", "^ *dim: (?<global_batch>\\d+)"},
                      {"pattern", "Average Forward-Backward: (?<wall_s>[\\d.]+) ms"},
                      {"milliseconds", "wall_s"},
                      {"set", "gpus=1"}},
          .formats = {{"pattern", 1}},
          .runs = 1,
          .values = {{"SELECT wall_s FROM step_window", 0.484671},
                     {"SELECT samples FROM step_window", 128}}};
}

SharedLogs tensorflow() {
  return {.path = "trainer-logs/convnet-benchmarks/tensorflow",
          .options = {{"pattern",
                       "Forward-backward across \\d+ steps, (?<wall_s>[\\d.]+) .* sec / batch"},
                      {"set", "gpus=1"},
                      {"set", "global_batch=128"}},
          .formats = {{"pattern", 1}},
          .runs = 1,
          .values = {{"SELECT samples / wall_s FROM step_window", 128 / 0.445}}};
}

SharedLogs neon() {
  return {.path = "trainer-logs/convnet-benchmarks/nervana/output.log",
          .options = {{"format", "markdown"},
                      {"map", "net=#table"},
                      {"map", "pass=Func"},
                      {"map", "wall_s=Mean*0.001"},
                      {"set", "gpus=1"},
                      {"set", "global_batch=128"}},
          .formats = {{"markdown", 1}},
          .runs = 12,
          .values = {{"SELECT max(wall_s) FROM step_window", 0.32078},
                     {"SELECT min(wall_s) FROM step_window", 0.028419}}};
}

SharedLogs books() {
  return {
      .path = "trainer-logs/slurm-sacct",
      .formats = {{"sacct", 3}},
      .runs = 4285 + 4 + 2,
      .failed = 1717 + 243 + 1 + 2 + 2,
      .values = {
          {"SELECT sum(gpu_hours) FROM job_view WHERE cluster = 'phillips'", 506.91277777777776},
          {"SELECT sum(cpu_hours) FROM job_view WHERE cluster = 'phillips'", 11767.988333333378},
          {"SELECT elapsed_s FROM job_view WHERE job_id = '4103947'", 3 * 86400},
          {"SELECT count(*) FROM job_view WHERE outcome = 'TimedOut'", 2},
          {"SELECT max_memory_bytes / 1024 FROM job_view WHERE job_id = '43974388'", 231092},
          {"SELECT count(*) FROM job_view WHERE outcome = 'Cancelled' AND cluster = "
           "'phillips'",
           243}}};
}

/// Returns logs that describe one training each and do not record the numbers of GPUs and the
/// batches.
std::vector<SharedLogs> trainings() {
  const Option gpu{"default", "gpus=1"}, batch{"default", "global_batch=128"};
  return {
      {.path = "trainer-logs/deit",
       .options = {gpu},
       .formats = {{"deit", 1}},
       .runs = 1,
       .values = {{"SELECT max(accuracy) FROM eval", 0.7883600242352344, 1e-3}}},
      {.path = "trainer-logs/horovod",
       .formats = {{"horovod", 1}},
       .runs = 1,
       .values = {{"SELECT sum(samples) / sum(wall_s) FROM step_window", 432.8, 1e-3}}},
      {.path = "trainer-logs/llmc",
       .options = {gpu},
       .formats = {{"llmc", 1}},
       .runs = 1,
       .values = {{"SELECT min(loss) FROM eval", 3.275959, 1e-3}}},
      {.path = "trainer-logs/mmdet",
       .options = {gpu, batch},
       .formats = {{"mmdet", 1}},
       .runs = 1,
       .values = {{"SELECT max(value) FROM eval_metric WHERE name = 'bbox_mAP'", 0.463},
                  {"SELECT samples_per_s FROM step_window_view WHERE line = 1763", 128 / 0.51156}}},
      {.path = "trainer-logs/mxnet",
       .options = {gpu, batch},
       .formats = {{"mxnet", 2}},
       .runs = 2,
       .left_out = 1},
      {.path = "trainer-logs/pytorch-csv",
       .options = {{"set", "gpus=6"}},
       .formats = {{"pytorch_csv", 1}},
       .runs = 1,
       .left_out = 1,
       .values = {{"SELECT max(accuracy) FROM eval", 0.721, 1e-3}}},
      {.path = "trainer-logs/pytorch-ddp",
       .formats = {{"pytorch_ddp", 2}},
       .runs = 2,
       .failed = 1},  // a rank failed
      {.path = "trainer-logs/timm",
       .options = {gpu, batch},
       .formats = {{"timm", 1}, {"timm_summary", 1}},
       .runs = 2,
       .values = {{"SELECT accuracy FROM eval_view WHERE source LIKE '%summary.csv' AND epoch = 4",
                   0.86},
                  {"SELECT loss FROM eval_view WHERE source LIKE '%summary.csv' AND epoch = 0",
                   0.633612437915802}}},
      {.path = "trainer-logs/torch7",
       .options = {gpu},
       .formats = {{"torch7", 1}},
       .runs = 1,
       .values = {{"SELECT wall_s FROM epoch WHERE epoch = 199", 289.15601992607}}},
      {.path = "trainer-logs/torchvision",
       .options = {gpu, batch},
       .formats = {{"torchvision", 1}},
       .runs = 1,
       .values = {{"SELECT accuracy FROM eval", 0.703}}},
  };
}

}  // namespace

const std::vector<SharedLogs>& shared_logs() {
  static const std::vector<SharedLogs> all = [] {
    std::vector<SharedLogs> logs{vtrain(),     csc(),        dlperf(),  timm_tables(),
                                 dawnbench(),  h100(),       polaris(), mlperf_v2(),
                                 mlperf_v07(), mlperf_v05(), lambda(),  squad(),
                                 caffe(),      tensorflow(), neon(),    books()};
    for (SharedLogs& one : trainings()) logs.push_back(std::move(one));
    return logs;
  }();
  return all;
}

}  // namespace dlscale::test
