// SPDX-License-Identifier: Apache-2.0
// The complete description of one run: what `run.json` holds and all the trainer acts on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_spec/framework_options.hpp"
#include "contract/run_spec/recipe.hpp"

namespace dlscale::contract {

inline constexpr int kRunSpecVersion = 1;
inline constexpr std::string_view kScriptModel = "script:";  ///< begins the model that a file holds

/// The data to train on. Sample counts of 0 mean "all there are" (for generated sets: the
/// generator's default).
struct DatasetSpec {
  std::string kind = "synthetic_digits";
  std::string path;                ///< folder of the files; empty for generated sets
  std::int64_t train_samples = 0;  ///< use only the first so many
  std::int64_t test_samples = 0;
  std::string shape;      ///< synthetic: of a sample, channels x height x width, as "3x224x224"
  int classes = 0;        ///< synthetic
  int first_classes = 0;  ///< use only the samples of the first so many classes; 0: of all
  std::string sha256;     ///< what the data must have; empty: anything
  int random_crop = 0;    ///< images: zeros around one that a part of its size is cut from, pixels
  bool random_flip = false;  ///< images: half of them mirrored, left to right
  /// Pictures of any size: side of the square that the model sees, pixels, a random part to be
  /// trained on, the middle to be tested on; 0: images are taken as they are, all of one size.
  int image_size = 0;
  /// Of these: shorter side before the middle is cut out; 0: image_size x 256 / 224.
  int resize = 0;
  std::vector<double> crop_scale;  ///< share of the area of a random part; empty: 0.08 to 1
  std::vector<double> crop_ratio;  ///< its width / height, from, to; empty: 3/4 to 4/3
  std::string resample;  ///< "bilinear": of the four nearest pixels alone; empty: antialiased
  int folds = 0;         ///< text: parts that the samples are cut into; 0: the files' own split
  int fold = 0;          ///< text: which of them is the test set, from 1 on
  int vocabulary = 0;    ///< text: most words of a language, the most frequent; 0: all
  int min_count = 0;     ///< text: how often a word must occur to be one of them; 0: once
  int max_length = 0;    ///< text: tokens of a sample, what is beyond is cut off; 0: any
  bool operator==(const DatasetSpec&) const = default;
};

/// How a loader goes about it; each loader reads only its own.
struct LoaderOptions {
  int threads = 0;         ///< of a rank, that decode; 0: as many as the rank has cores
  int prefetch = 0;        ///< batches prepared ahead of the step; 0: 2
  std::string on_broken;   ///< "skip": another sample takes a broken one's place, which is counted;
                           ///< empty: the run ends
  int shuffle_window = 0;  ///< samples that follow each other in the set, shuffled; 0: all
  std::string sample_order;  ///< "pytorch": that of DistributedSampler; empty: dlscale's own
  std::string hand_over;     ///< of images, "uint8": normalised on the device; "fp32"; empty: as is
                             ///< best for the device
  bool operator==(const LoaderOptions&) const = default;
};

/// Settings of a model that is made of others; each model reads only its own.
struct ModelOptions {
  std::string backbone;       ///< frozen_backbone: the pretrained model below the classifier
  int classifier_hidden = 0;  ///< frozen_backbone: width of the classifier's two hidden layers
  double dropout = 0;         ///< frozen_backbone: after each of them
  int embedding = 0;          ///< nbow, seq2seq: width of a word's vector
  int hidden = 0;             ///< seq2seq: width of the recurrent state
  std::string cell;           ///< seq2seq: gru, lstm
  bool operator==(const ModelOptions&) const = default;
};

/// A program other than dlscale-train that does the training.
struct ExternalTrainer {
  std::string command;     ///< shell text with {{names}} of the run's values; empty: dlscale-train
  std::string log_format;  ///< what `dlscale collect` reads its output as
  std::string launcher;    ///< what starts its ranks: templates/external_<launcher>.mustache
  bool operator==(const ExternalTrainer&) const = default;
};

/// When a run saves its state, beside shortly before its time is up; 0: never. And whether it
/// leaves its weights. Not part of a run's identity.
struct CheckpointSpec {
  int every_epochs = 0;
  double every_minutes = 0;
  int keep = 0;               ///< newest ones that stay; 0: one
  bool asynchronous = false;  ///< written beside the steps that follow
  bool weights = false;       ///< a complete run leaves them, LaunchDir::weights()
  bool operator==(const CheckpointSpec&) const = default;
};

/// Where and on what a run is to run. Not part of a run's identity.
struct ResourceRequest {
  std::string device = "cpu";        ///< what a rank computes on
  std::string communicator = "mpi";  ///< what ranks exchange data through
  int nodes = 1;
  int ranks_per_node = 1;
  int cores_per_rank = 1;
  double walltime_s = 0;  ///< limit asked of the batch system; 0 = none
  bool operator==(const ResourceRequest&) const = default;
};

/// One run. "GPUs" are ranks: on a site without GPUs a rank is `cores_per_rank` cores. Of an
/// external trainer's run framework, loader, precision, last_batch and the kinds of data, schedule
/// and optimizer are empty and epochs 0 where the study does not say them, as is lr.scale where it
/// says no learning rate.
struct RunSpec {
  int schema_version = kRunSpecVersion;
  std::string study;
  std::string run_id;  ///< see contract/run_spec/run_id.hpp
  int repetition = 1;
  std::uint64_t seed = 1;  ///< the study's; a run draws from seed + repetition - 1
  std::string mode;        ///< "inference": forward passes only; empty: training
  std::map<std::string, std::string> point;  ///< the value of each axis, as shown in tables

  std::string framework = "ddp";
  FrameworkOptions framework_options;
  std::string all_reduce;     ///< the algorithm; empty: the trainer's choice ("auto")
  std::string model = "mlp";  ///< "script:PATH": a TorchScript module in a file
  ModelOptions model_options;
  std::string loader = "memory";
  LoaderOptions loader_options;
  DatasetSpec dataset;
  std::string precision = "fp32";  ///< fp32, fp64; tf32 (CUDA); bf16, fp16: autocast of fp32
  std::string batch_norm;     ///< "synchronised": statistics over all ranks; empty: each its own
  std::string memory_format;  ///< of images and their weights: "contiguous", "channels_last";
                              ///< empty: the trainer's choice
  std::string cpu_kernels;    ///< "framework": LibTorch's alone; empty: "fast", also dlscale's own
  std::string gpu_kernels;    ///< likewise for runs on GPUs
  bool cuda_graph = false;    ///< passes are recorded once and replayed
  std::string weights;        ///< safetensors file that training begins with; empty: random ones
  bool zero_init_gamma = false;  ///< the last batch norm of each residual block begins at 0
  std::string frozen;  ///< parameters whose names begin so are not trained; several: by commas
  bool profile =
      false;  ///< records the shares of computation, communication and I/O in kernel time

  int gpus = 1;  ///< world size
  std::int64_t batch_per_gpu = 64;
  std::int64_t global_batch = 64;  ///< = batch_per_gpu x gpus x accumulation_steps
  int accumulation_steps = 1;
  std::string last_batch = "pad";  ///< ragged end of an epoch: "pad" repeats samples, "drop" skips

  int epochs = 1;
  double warmup_epochs = 0;
  LearningRate lr;
  LrScheduleSpec lr_schedule;
  OptimizerSpec optimizer;
  double label_smoothing = 0;
  double clip_norm = 0;  ///< most that the gradient's norm may be; 0: any
  double ema_decay = 0;  ///< of the mean of parameters that is evaluated; 0: they are themselves
  TargetSpec target;
  int plateau_epochs =
      0;  ///< epochs without learning (loss not below ln classes) that end it; 0: any

  int window_steps = 50;   ///< optimizer steps in a step_window record
  int evaluate_every = 1;  ///< epochs between evaluations; the last epoch is always evaluated
  CheckpointSpec checkpoint;

  ExternalTrainer trainer;
  std::map<std::string, std::string> parameters;  ///< free ones, for external trainers

  ResourceRequest resources;

  bool operator==(const RunSpec&) const = default;
};

/// `run.json`: indented JSON with sorted keys and a final newline; equal specs give equal bytes. Of
/// an external trainer's run, dlscale-train's own settings stand in it only where they are said.
std::string to_json(const RunSpec& spec);
/// The same on one line without newline, for the tables of job arrays.
std::string to_json_line(const RunSpec& spec);

/// Reads `run.json`. Unknown keys are ignored, so that an older trainer can run a newer plan's
/// simple runs; missing required keys, wrong types and impossible values are errors.
/// `file` is only named in messages. Throws base::SpecError.
RunSpec run_spec_from_json(std::string_view text, std::string_view file);

/// Throws base::SpecError naming `file` and the key when a value cannot be: a name outside the
/// vocabulary, a batch below 1, global_batch that does not match, negative epochs.
void validate(const RunSpec& spec, std::string_view file);

}  // namespace dlscale::contract
