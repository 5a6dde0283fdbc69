// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/store/formats/log_samples.hpp"

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
         "100\timages/sec: 128.0 +/- 2.3 (jitter = 11.4)\tnan\n"
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
      "train_samples_per_second": 64.0,
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

}  // namespace

const std::vector<LogSample>& log_samples() {
  static const std::vector<LogSample> samples{
      {"mlperf", mlperf(), ":::MLLOG {\"key\": ", "no line of MLPerf's after its mark"},
      {"dllogger", dllogger(), "DLLL {\"step\": ", "no JSON after \"DLLL\""},
      {"torchvision", torchvision(), "Epoch: [0]  [x/20]",
       "no line of torchvision's after \"Epoch:\""},
      {"horovod", horovod(), "Iter #2: many", "no rate after \"Iter\""},
      {"tf_cnn_benchmarks", tf_cnn(), "101\timages/sec: many",
       "no row of tf_cnn_benchmarks around \"images/sec:\""},
      {"pytorch_ddp", pytorch_ddp(), "Throughput: 3 images/s", "no epoch after \"Throughput:\""},
      {"deepspeed", deepspeed(), "[timer.py:189:stop] 0/40, SamplesPerSec=83.4, MemAllocated=1GB",
       "a rate of DeepSpeed before 0.8, which may count micro batches"},
      {"mxnet", mxnet(), "INFO:root:Epoch[0] Batch [x]\tSpeed: 1 samples/sec",
       "no speed of MXNet's after \"Epoch\""},
      {"torch7", torch7(), "json_stats: {\"epoch\":", "no JSON after \"json_stats:\""},
      {"lightning_csv", lightning(), "1,2", "no row of the table"},
      {"huggingface", huggingface(), "", ""},
      {"pytorch_csv", pytorch_csv(), "3,x,0,0,0,0,0", "no row of an epoch"},
      {"mmdet", mmdet(), "{\"mode\": \"train\", \"epoch\": 1, ", "no JSON after \"mode\""},
      {"llmc", llmc(), "s:3 trl:x", "no line of llm.c's after \"s:\""},
      {"deit", deit(), "{\"train_lr\": NaN}", "no JSON after \"train_lr\""},
  };
  return samples;
}

}  // namespace dlscale::analysis
