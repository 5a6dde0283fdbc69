// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

std::string mllog(const char* time_ms, const char* key, const char* value, const char* metadata) {
  return std::string(R"(:::MLLOG {"namespace": "", "time_ms": )") + time_ms +
         R"(, "event_type": "POINT_IN_TIME", "key": ")" + key + R"(", "value": )" + value +
         R"(, "metadata": {"file": "a.py", "lineno": 1)" + metadata + "}}\n";
}

std::string mlperf() {
  return "some other line\n" + mllog("900", "submission_benchmark", "\"resnet\"", "") +
         mllog("900", "global_batch_size", "100", "") + mllog("900", "train_samples", "1000", "") +
         mllog("900", "eval_samples", "50", "") + mllog("1000", "run_start", "null", "") +
         mllog("1000", "epoch_start", "null", R"(, "epoch_num": 1)") +
         mllog("6000", "epoch_stop", "null", R"(, "epoch_num": 1)") +
         mllog("6000", "epoch_start", "null", R"(, "epoch_num": 2)") +
         mllog("10000", "epoch_stop", "null", R"(, "epoch_num": 2)") +
         mllog("10000", "tracked_stats", R"({"throughput": 251.0})", R"(, "step": 2)") +
         mllog("10000", "eval_start", "null", R"(, "epoch_num": 2)") +
         mllog("11000", "eval_accuracy", "0.76", R"(, "epoch_num": 2)") +
         mllog("11000", "eval_stop", "null", R"(, "epoch_num": 2)") +
         mllog("12000", "run_stop", "null", R"(, "status": "success")");
}

std::string dllogger() {
  return "DLL 2024-05-02 04:40:42.836052 - PARAMETER data : /data  data_backend : synthetic  arch "
         ": "
         "resnet50  epochs : 2  batch_size : 32  optimizer : sgd  amp : True \n"
         "DLL 2024-05-02 04:40:53.429803 - Epoch: 0 Iteration: 1  train.loss : 7.10336 None "
         "train.compute_ips : 60.0 images/s train.total_ips : 50.0 images/s train.lr : 0.1 \n"
         "DLL 2024-05-02 04:40:54.429803 - Epoch: 0 Iteration: 11  train.loss : 6.5 None "
         "train.compute_ips : 210.0 images/s train.total_ips : 200.0 images/s train.lr : 0.1 \n"
         "DLLL {\"timestamp\": \"1.5\", \"type\": \"LOG\", \"step\": [0, 21], \"data\": "
         "{\"train.loss\": "
         "6.25, \"train.total_ips\": 100.0, \"train.lr\": 0.05}}\n"
         "DLL 2024-05-02 04:41:00.429803 - Epoch: 0  train.loss : 6.6 None train.total_ips : 128.0 "
         "images/s train.lr : 0.1  val.top1 : 76.5 % val.top5 : 93.0 % val.loss : 1.5 None \n"
         "DLL 2024-05-02 04:41:01.429803 - Summary: train.loss : 6.6 None train.total_ips : 128.0 "
         "images/s \n";
}

std::string torchvision() {
  return "Namespace(data_path='/data', model='resnet50')\n"
         "Epoch: [0]  [ 0/20]  eta: 0:01:00  lr: 0.1  img/s: 412.3  loss: 6.9 (6.95)  acc1: 0.0 "
         "(0.1)  "
         "acc5: 0.5 (0.6)  time: 0.48  data: 0.3  max mem: 4321\n"
         "Epoch: [0]  [10/20]  eta: 0:00:10  lr: 0.1  img/s: 412.3  loss: 6.8 (6.85)  acc1: 0.0 "
         "(0.1)  "
         "acc5: 0.5 (0.6)  time: 0.48  data: 0.1  max mem: 4321\n"
         "Epoch: [0] Total time: 0:00:20\n"
         "Test:   [ 0/5]  eta: 0:00:05  loss: 0.9 (0.9)  acc1: 70.0 (70.0)  acc5: 90.0 (90.0)  "
         "time: "
         "0.9  "
         "data: 0.9  max mem: 4321\n"
         "Test:  Total time: 0:00:04\n"
         "Test:  Acc@1 10.300 Acc@5 30.500\n"
         "Epoch: [1]  [10/20]  eta: 0:00:10  lr: 0.05  img/s: 412.3  loss: 5.8 (5.85)  acc1: 0.0 "
         "(0.1)  "
         "acc5: 0.5 (0.6)  time: 0.48  data: 0.1  max mem: 4321\n"
         "Epoch: [1] Total time: 0:00:10\n"
         " * Acc@1 20.300 Acc@5 40.500\n"
         "Training time 0:00:45\n";
}

std::string timm() {
  const auto train = [](const char* place, const char* loss, const char* mean) {
    return std::string("Train: ") + place + "  Loss:  " + loss + "  Time: 0.320s, 200.00/s  (" +
           mean + "/s)  LR: 1.000e-02  Data: 0.001 (0.002)\n";
  };
  const auto test = [](const char* place, const char* accuracy) {
    return std::string("Test: ") + place + "  Time: 2.3 (0.16)  Loss:  6.7 (6.5)  Acc@1:  80.5 ( " +
           accuracy + ")  Acc@5: 8.0 ( 9.0)\n";
  };
  return "Training with a single process on 1 GPUs.\n" +
         train("0 [   0/11 (  0%)]", "6.5 (6.75)", "0.640s, 100.00") +
         train("0 [  10/11 (100%)]", "6.0 (6.25)", "0.320s, 200.00") + test("[   0/1]", "0.5") +
         test("[   1/1]", "60.25") + train("1 [   0/11 (  0%)]", "5.9 (5.85)", "0.320s, 200.00") +
         train("1 [  10/11 (100%)]", "5.5 (5.75)", "0.160s, 400.00") + test("[   1/1]", "76.25") +
         "*** Best metric: 76.25 (epoch 1)\n";
}

std::string horovod() {
  return "Model: resnet50\nBatch size: 32\nNumber of GPUs: 4\nRunning warmup...\nRunning "
         "benchmark...\n"
         "Iter #0: 100.0 img/sec per GPU\nIter #1: 50.0 img/sec per GPU\n"
         "Img/sec per GPU: 75.0 +-49.0\nTotal img/sec on 4 GPU(s): 300.0 +-196.0\n";
}

std::string tf_cnn() {
  return "TensorFlow:  1.10\nModel:       alexnet\nDataset:     imagenet (synthetic)\n"
         "Batch size:  256 global\n             64.0 per device\nNum batches: 100\n"
         "Step\tImg/sec\ttotal_loss\n1\timages/sec: 100.0 +/- 0.0 (jitter = 0.0)\t7.5\n"
         "1\timages/sec: 101.0 +/- 0.0 (jitter = 0.0)\t7.4\n"
         "100\timages/sec: 128.0 +/- 2.3 (jitter = 11.4)\t7.25\n"
         "----------------------------------------------------------------\n"
         "total images/sec: 512.00\n";
}

std::string pytorch_ddp() {
  return "DDP: I am worker 0 of 2. My local rank is 0\nDDP: I am worker 1 of 2. My local rank is "
         "0\n"
         "start training\n"
         "Throughput: 320.000 images/s, Batch size: 16, Num of GPUs: 2, Total time: 11.000 s, "
         "Average "
         "batch time: 0.110 s, First batch time: 1.000 s\n"
         "Total time: 12.37\n\nTest set: Average loss: 0.5000, Accuracy: 250/1000 (25%)\n\n";
}

std::string deepspeed() {
  return "[2023-07-25 21:03:11,044] [INFO] [config.py:960:print]   gradient_accumulation_steps .. "
         "1\n"
         "[2023-07-25 21:03:11,044] [INFO] [config.py:960:print]   train_batch_size ............. "
         "64\n"
         "[2023-07-25 21:03:11,044] [INFO] [config.py:960:print]   train_micro_batch_size_per_gpu  "
         "16\n"
         "[2023-07-25 21:03:11,044] [INFO] [config.py:960:print]   world_size ................... "
         "4\n"
         "[2023-07-25 21:03:17,269] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, "
         "lr=[0.002], mom=[[0.9, 0.95]]\n"
         "[2023-07-25 21:03:17,269] [INFO] [timer.py:215:stop] "
         "epoch=0/micro_step=10/global_step=10, "
         "RunningAvgSamplesPerSec=64.0, CurrSamplesPerSec=60.0, MemAllocated=5.6GB, "
         "MaxMemAllocated=6GB\n"
         "[2023-07-25 21:03:27,269] [INFO] [timer.py:215:stop] "
         "epoch=0/micro_step=20/global_step=20, "
         "RunningAvgSamplesPerSec=72.0, CurrSamplesPerSec=60.0, MemAllocated=5.6GB, "
         "MaxMemAllocated=6GB\n";
}

std::string mxnet() {
  return "INFO:root:Namespace(batch_size=128, data_type='cifar10', gpus='2,3', kv_store='device', "
         "num_examples=50000, lr=0.1)\n"
         "INFO:root:Epoch[0] Batch [50]\tSpeed: 640.00 samples/sec\tTrain-accuracy=0.198750\n"
         "INFO:root:Epoch[0] Batch [50]\tSpeed: 640.00 samples/sec\tTrain-top_k_accuracy_5=0.5\n"
         "INFO:root:Epoch[0] Batch [50-100]\tSpeed: 320.00 samples/sec\taccuracy=0.3\n"
         "INFO:root:Epoch[0] Resetting Data Iterator\nINFO:root:Epoch[0] Time cost=72.598\n"
         "INFO:root:Epoch[0] Validation-accuracy=0.502670\n"
         "INFO:root:Epoch[0] Validation-top_k_accuracy_5=0.9\n";
}

std::string torch7() {
  return "==> online epoch # 1 [batchSize = 128]\t\n"
         "json_stats: "
         "{\"batchSize\":128,\"model\":\"wide-resnet\",\"train_time\":100.5,\"max_epoch\":2,"
         "\"epoch\":1,\"optimMethod\":\"sgd\",\"lr\":0.1,\"test_acc\":58.5,\"dataset\":"
         "\".\\/datasets\\/"
         "cifar10.t7\",\"test_time\":7.5,\"n_parameters\":8949210,\"loss\":1.25}\t\n"
         "json_stats: "
         "{\"batchSize\":128,\"model\":\"wide-resnet\",\"train_time\":50.0,\"max_epoch\":2,"
         "\"epoch\":2,\"lr\":0.1,\"test_acc\":66.0,\"loss\":1.0}\t\n";
}

std::string lightning() {
  return "epoch,step,train_loss_epoch,val_acc,val_loss,val_f1\n0,49,,,,\n0,99,,0.5,1.25,0.25\n"
         "0,99,1.5,,,\n1,199,,0.75,1.0,0.5\n";
}

std::string huggingface() {
  return R"({
  "best_metric": null,
  "epoch": 2.0,
  "global_step": 200,
  "log_history": [
    {
      "epoch": 0.5,
      "learning_rate": 0.001,
      "loss": 2.5,
      "step": 50
    },
    {
      "epoch": 1.0,
      "eval_accuracy": 0.625,
      "eval_loss": 1.5,
      "eval_runtime": 2.5,
      "eval_samples_per_second": 100.0,
      "step": 100
    },
    {
      "epoch": 2.0,
      "step": 200,
      "total_flos": 1e15,
      "train_loss": 2.0,
      "train_runtime": 50.0,
      "train_samples_per_second": 256.0,
      "train_steps_per_second": 4.0
    }
  ],
  "max_steps": 200,
  "num_train_epochs": 2
}
)";
}

std::string pytorch_csv() {
  return "epoch,val_error1,val_error5,val_loss,train_error1,train_error5,train_loss\n"
         "1,0.75,0.5,4.5,0.95,0.85,4.75\n2,0.5,0.25,3.5,0.85,0.65,4.0\n";
}

std::string mmdet() {
  return "\n{\"mode\": \"train\", \"epoch\": 1, \"iter\": 50, \"lr\": 1e-05, \"memory\": 18859, "
         "\"data_time\": 0.1, \"loss\": 4.0, \"time\": 0.5}\n\n"
         "{\"mode\": \"train\", \"epoch\": 1, \"iter\": 100, \"lr\": 2e-05, \"memory\": 18859, "
         "\"data_time\": 0.05, \"loss\": 2.0, \"time\": 0.25}\n"
         "{\"mode\": \"val\", \"epoch\": 1, \"iter\": 120, \"lr\": 0.0, \"bbox_mAP\": 0.463, "
         "\"bbox_mAP_copypaste\": \"0.463 0.688\"}\n";
}

std::string llmc() {
  return "s:0 tel:10.5\ns:0 trl:10.25\ns:1 trl:9.5\ns:2 eval:0.25\ns:2 tel:9.0\n";
}

std::string deit() {
  return "{\"train_lr\": 0.001, \"train_loss\": 3.25, \"epoch\": 249, \"n_parameters\": 11590840}\n"
         "{\"train_lr\": 0.0005, \"train_loss\": 3.0, \"test_loss\": 0.9375, \"test_acc1\": 78.5, "
         "\"test_acc5\": 94.25, \"epoch\": 250, \"n_parameters\": 11590840}\n";
}

std::string nccl_heading() {
  return "#                                                              out-of-place              "
         "     "
         "    in-place          \n"
         "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
         "time   algbw   busbw #wrong\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
         "(us)  (GB/s)  (GB/s)       \n";
}

std::string nccl_tests() {
  return "# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22902\n"
         "# Collective test starting: all_reduce_perf\n"
         "# nThread 1 nGpus 1 minBytes 1024 maxBytes 1048576 step: 2(factor) warmup iters: 5 "
         "iters: "
         "20 agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
         "#  Rank  0 Group  0 Pid  36291 on node1 device  0 [0x07] NVIDIA A100-SXM4-40GB\n"
         "#  Rank  1 Group  0 Pid  36292 on node2 device  0 [0x46] NVIDIA A100-SXM4-40GB\n#\n" +
         nccl_heading() +
         "        1024           256     float     sum      -1    50.00    0.02    0.02      0    "
         "40.00    0.03    0.03    N/A\n"
         "     1048576        262144     float     sum      -1    500.0    2.10    2.10      0    "
         "400.0    2.62    2.62      0\n"
         "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.1925 \n#\n"
         "# Collective test concluded: all_reduce_perf\n#\n";
}

std::string nccl_json() {
  const auto result = [](const char* size, const char* time, const char* algbw) {
    return std::string(R"({"size":)") + size + R"(,"count":256,"type":"float","redop":"sum",)" +
           R"("root":"    -1","out_of_place":{"time":)" + time + R"(,"alg_bw":)" + algbw +
           R"(,"bus_bw":)" + algbw + R"(,"nwrong":0.000000},"in_place":{"time":)" + time +
           R"(,"alg_bw":)" + algbw + R"(,"bus_bw":)" + algbw + R"(,"nwrong":null},)" +
           R"("actual_iterations":20,"experiment_name":"NCCL"})";
  };
  return R"({"version":2,"start_time":"2026-01-29 18:02:19","args":["/opt/all_reduce_perf","-J"],)"
         R"("env":["A=\"{[,"],"nccl_version":22902,"config":{"nthreads":1,"ngpus":1,"devices":[)"
         R"({"rank":0,"hostname":"node1","device_info":"H100"},)"
         R"({"rank":1,"hostname":"node1","device_info":"H100"}]},"results":[)" +
         result("1024", "50.000000", "0.020480") + "," + result("2048", "51.200000", "0.040000") +
         R"(],"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":)"
         "0.030240,\"okay\":\"unchecked\"},\"errors\":[],\"end_time\":\"2026-01-29 18:02:20\"}\n";
}

std::string sacct_sample() {
  return "JobID|JobName|Partition|State|Elapsed|Submit|Start|End|ExitCode|NodeList|NNodes|NCPUS|"
         "TotalCPU|ReqMem|MaxRSS|AllocTRES|Timelimit\n"
         "41|train|gpu|COMPLETED|01:00:00|2026-01-29T10:00:00|2026-01-29T11:00:00|"
         "2026-01-29T12:00:00|0:0|n[1-2]|2|16|10:30:15|4000Mn||cpu=16,gres/gpu=8,mem=8000M,node=2|"
         "02:00:00\n"
         "41.batch|batch||COMPLETED|01:00:00|2026-01-29T11:00:00|2026-01-29T11:00:00|"
         "2026-01-29T12:00:00|0:0|n1|1|8|05:15.057||231092K||\n"
         "42|train|gpu|TIMEOUT|2-00:00:10|2026-01-29T10:00:00|2026-01-29T11:00:00|"
         "2026-01-31T11:00:10|1:0|n1|1|8|00:00:00|3000Mc|||2-00:00:00\n"
         "43|train|gpu|CANCELLED by 1300204|00:00:00|2026-01-29T10:00:00|Unknown|"
         "2026-01-29T12:00:00|0:0|None assigned|0|0|00:00:00|||cpu=1|UNLIMITED\n";
}

std::string oarstat() {
  return R"({"7":{"Job_Id":7,"name":"train","queue":"default","state":"Terminated","exit_code":0,)"
         R"("submissionTime":1769688000,"startTime":1769688060,"stopTime":1769691660,)"
         R"("assigned_network_address":["n2","n1","n2"],"assigned_resources":[1,2,3,4],)"
         R"("wanted_resources":"-l \"{type = 'default'}/host=2/gpu=2,walltime=2:0:0\" ",)"
         R"("walltime":7200,"events":[],"message":"R=4,W=2:0:0"},)"
         R"("8":{"Job_Id":8,"name":null,"state":"Error","exit_code":null,"startTime":1769688060,)"
         R"("submissionTime":1769688000,"stopTime":1769688078,"assigned_network_address":["n1"],)"
         R"("assigned_resources":[1],"wanted_resources":"-l \"/core=1,walltime=0:0:15\"",)"
         R"("events":[{"type":"WALLTIME"},{"type":"SEND_KILL_JOB"}],"message":""}})"
         "\n";
}

std::string gnmt() {
  const std::string arguments =
      "Run arguments: Namespace(train_max_length=50, math='fp16', optimizer='Adam', epochs=2, "
      "train_batch_size=64, rank=0)\n";
  return arguments + arguments +
         "Pairs before: 160078, after: 148120\nNumber of parameters: 159605817\n"
         "TRAIN [0][0/21]\tTime 0.734 (0.734)\tData 5.08e-01 (5.08e-01)\tTok/s 22984 (22984)\t"
         "Loss/tok 10.5 (10.5)\tLR 2.265e-05\n"
         "TRAIN [0][10/21]\tTime 0.475 (0.500)\tData 2.9e-04 (4.0e-02)\tTok/s 81810 (69988)\t"
         "Loss/tok 9.5 (10.0)\tLR 7.864e-05\n"
         "TRAIN [0][10/21]\tTime 0.475 (0.501)\tData 2.9e-04 (4.0e-02)\tTok/s 81810 (69988)\t"
         "Loss/tok 9.5 (10.0)\tLR 7.864e-05\n"
         "Summary: Epoch: 0\tTraining Loss: 9.5\tValidation Loss: 9.0\tTest BLEU: 0.01\n"
         "Performance: Epoch: 0\tTraining: 140000 Tok/s\tValidation: 1097529 Tok/s\n"
         "TRAIN [1][20/21]\tTime 0.4 (0.400)\tData 3e-04 (1.0e-02)\tTok/s 69227 (75082)\t"
         "Loss/tok 7.8 (8.25)\tLR 1.000e-03\n"
         "Summary: Epoch: 1\tTraining Loss: 8.1\tValidation Loss: 8.0\tTest BLEU: 1.25\n"
         "Performance: Epoch: 1\tTraining: 150000 Tok/s\tValidation: 1097529 Tok/s\n"
         "Total training time 78 s\nTotal training time 77 s\n";
}

std::string ssd() {
  return "Done benchmarking. Total images: 3840\ttotal time: 19.200\tAverage images/sec: 200.000\t"
         "Median images/sec: 198.0\n"
         "Done benchmarking. Total images: 3840\ttotal time: 20.000\tAverage images/sec: 192.000\t"
         "Median images/sec: 191.0\n"
         "Training performance = 389.0 FPS\n";
}

std::string nvlog() {
  return ":::NVLOGv0.1.0 ncf 1583706917.22 (ncf.py:174) args: {\"epochs\": 2, \"batch_size\": "
         "4096}\n"
         ":::NVLOGv0.1.0 ncf 1583706928.07 (ncf.py:333) eval_accuracy: {\"epoch\": 0, \"value\": "
         "0.75}\n:::NVLOGv0.1.0 ncf 1583706936.27 (ncf.py:363) run_final\n";
}

std::string dawnbench() {
  return "epoch\thours\ttop1Accuracy\ttop5Accuracy\n1\t0.25\t13.5\t31.5\n2\t0.5\t24.75\t48.25  \n";
}

std::string timm_summary() {
  return "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n0,1.5,0.75,78.5,99.25,0.05\n"
         "1,1.25,0.5,81.5,99.5,0.025\n";
}

std::string timm_benchmark() {
  return "model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_count\n"
         "resnet50,1000.0,256.0,256,224,25.56\nvgg16,500.0,256.0,128,224,138.36\n";
}

std::string megatron() {
  const auto line = [](const char* step, const char* consumed, const char* ms, const char* loss) {
    return std::string(" [2025-01-01 10:00:00.000001] iteration ") + step +
           "/    1000 | consumed samples: " + consumed +
           " | elapsed time per iteration (ms): " + ms +
           " | throughput per GPU (TFLOP/s/GPU): 400.0 | learning rate: 1.500000E-04 | global "
           "batch "
           "size:   256 | lm loss: " +
           loss + " | loss scale: 1.0 | grad norm: 2.100 |\n";
  };
  return "using world size: 16, data-parallel size: 4, context-parallel size: 1, "
         "tensor-model-parallel size: 2, pipeline-model-parallel size: 2\n"
         "  seq_length ...................................... 4096\n" +
         line("      10", "        2560", "1000.0", "9.500000E+00") +
         line("      20", "        5120", "500.0", "9.000000E+00") +
         line("      30", "        7680", "500.0", "8.500000E+00") +
         " validation loss at iteration 30 | lm loss value: 8.250000E+00 | lm loss PPL: "
         "3.827626E+03 | \n";
}

std::string torchtitan() {
  const auto line = [](const char* step, const char* loss, const char* tps) {
    return std::string("[titan] 2025-01-01 10:00:00,000 - root - INFO - \x1b[31mstep: ") + step +
           "  \x1b[32mloss: " + loss +
           "  \x1b[38;2;180;60;0mgrad_norm:  1.8422  \x1b[38;2;54;234;195mmemory: 40.50GiB(50.63%) "
           " "
           "\x1b[34mtps: " +
           tps + "  \x1b[36mtflops: 412.10  \x1b[35mmfu: 41.67%\x1b[39m\n";
  };
  return "[titan] 2025-01-01 10:00:00,000 - root - INFO - Trainer is initialized with local batch "
         "size 2, global batch size 128, gradient accumulation steps 1, sequence length 8192, "
         "total "
         "steps 1000 (warmup 200)\n" +
         line(" 1", " 12.0000", "1,024") + line("10", " 11.0000", "8,192") +
         line("20", " 10.0000", "8,192");
}

std::string nanogpt() {
  return "tokens per iteration will be: 491,520\nOverriding: block_size = 1024\n"
         "step 0: train loss 10.9884, val loss 10.9897\n"
         "iter 0: loss 10.9886, time 60000.00ms, mfu -100.00%\n"
         "iter 10: loss 9.5000, time 2000.00ms, mfu 38.11%\n"
         "iter 20: loss 9.0000, time 1000.00ms, mfu 38.20%\n";
}

}  // namespace

const std::vector<LogSample>& log_samples() {
  static const std::vector<LogSample> samples{
      {"mlperf", mlperf(), ":::MLLOG {\"key\": ", "no valid MLPerf line follows the MLPerf mark"},
      {"dllogger", dllogger(), "DLLL {\"step\": ", "no JSON after \"DLLL\""},
      {"torchvision", torchvision(), "Epoch: [0]  [x/20]",
       "the text after \"Epoch:\" is not a line of torchvision"},
      {"timm", timm(), "Train: soon", "the text after \"Train:\" is not a line of timm"},
      {"horovod", horovod(), "Iter #2: many", "no rate after \"Iter\""},
      {"tf_cnn_benchmarks", tf_cnn(), "101\timages/sec: many",
       "no valid row of tf_cnn_benchmarks around \"images/sec:\""},
      {"pytorch_ddp", pytorch_ddp(), "Throughput: 3 images/s", "no epoch after \"Throughput:\"",
       "DDP: I am worker "},
      {"deepspeed", deepspeed(), "[timer.py:189:stop] 0/40, SamplesPerSec=83.4, MemAllocated=1GB",
       "the rate is from a version of DeepSpeed before 0.8, which may count micro batches as "
       "steps"},
      {"mxnet", mxnet(), "INFO:root:Epoch[0] Batch [x]\tSpeed: 1 samples/sec",
       "no speed of MXNet after \"Epoch\""},
      {"torch7", torch7(), "json_stats: {\"epoch\":", "no JSON after \"json_stats:\""},
      {"lightning_csv", lightning(), "1,2", "does not have the columns of the table"},
      {"huggingface", huggingface(), "", ""},
      {"pytorch_csv", pytorch_csv(), "3,x,0,0,0,0,0", "is not a row of an epoch"},
      {"mmdet", mmdet(), "{\"mode\": \"train\", \"epoch\": 1, ", "no JSON after \"mode\""},
      {"llmc", llmc(), "s:3 trl:x", "the text after \"s:\" is not a line of llm.c"},
      {"deit", deit(), "{\"train_lr\": 0.001, ", "no JSON after \"train_lr\""},
      {"nccl_tests", nccl_tests(), "4096 1024 float sum -1 x 0.07 0.11 0 64.01 0.06 0.11 0",
       "is not a row of the table of nccl-tests"},
      {"nccl_tests", nccl_json(), "", ""},
      {"sacct", sacct_sample(), "44|train|gpu|COMPLETED", "has 4 of 17 columns"},
      {"oarstat", oarstat(), "", ""},
      {"gnmt", gnmt(), "TRAIN [2][x/21]", "no GNMT iteration after \"TRAIN [\"", "Run arguments: "},
      {"ssd", ssd(), "Done benchmarking. Total images: many",
       "no times of a rank after \"Done benchmarking.\"", "Done benchmarking."},
      {"nvlog", nvlog(), ":::NVLOGv0.1.0 ncf soon", "no valid NVLOG line after the NVLOG mark"},
      {"dawnbench", dawnbench(), "3\t0.75\tmany\t1", "is not a row of an epoch"},
      {"timm_summary", timm_summary(), "x,1,1,1,1,1", "is not a row of an epoch"},
      {"megatron", megatron(), " iteration 40 | consumed samples: many",
       "no iteration of Megatron-LM around \"consumed samples:\""},
      {"torchtitan", torchtitan(), "step:  30  loss: x  tps: many",
       "no step of torchtitan around \"tps:\""},
      {"nanogpt", nanogpt(), "iter 30: loss x, time y",
       "the text after \"iter\" is not a line of nanoGPT"},
      {"timm_benchmark", timm_benchmark(), "resnet18,fast,1,1,1,1", "is not a row of a model"},
  };
  return samples;
}

}  // namespace dlscale::analysis
