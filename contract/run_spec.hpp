// SPDX-License-Identifier: Apache-2.0
// The complete description of one run: what `run.json` holds and all the trainer acts on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/framework_options.hpp"

namespace dlscale::contract {

inline constexpr int kRunSpecVersion = 1;

/// The data to train on. Sample counts of 0 mean "all there are" (for generated sets: the
/// generator's default).
struct DatasetSpec {
  std::string kind = "synthetic_digits";
  std::string path;                ///< folder of the files; empty for generated sets
  std::int64_t train_samples = 0;  ///< use only the first so many
  std::int64_t test_samples = 0;
  std::string shape;  ///< synthetic: of a sample, channels x height x width, as "3x224x224"
  int classes = 0;    ///< synthetic
  bool operator==(const DatasetSpec&) const = default;
};

/// Learning rate before the schedule. Between epoch 0 and `warmup_epochs` it goes linearly from
/// `base` to `peak` (which is below `base` where the global batch is below the one that `base` is
/// for); the schedule then starts from `peak`.
struct LearningRate {
  double base = 0.1;             ///< the rate of one GPU (or of the reference batch)
  double peak = 0.1;             ///< base after scaling, for example base x GPUs
  std::string scale = "linear";  ///< the rule that led from base to peak: linear, sqrt, none
  bool operator==(const LearningRate&) const = default;
};

/// LR schedule; each kind reads only its own fields (formulas: docs/metrics.md).
struct LrScheduleSpec {
  std::string kind = "constant";
  std::string update = "step";     ///< "step": at each optimizer step; "epoch": once an epoch
  std::string origin = "start";    ///< epoch 0 of the schedule: "start" or "after_warmup"
  std::vector<double> milestones;  ///< step, multistep: epochs at which `factor` is applied
  double factor = 0.1;             ///< step, multistep
  double every_epochs = 0;         ///< step without milestones: apply `factor` each so many epochs
  double gamma = 0.95;             ///< exponential
  double lr_min = 0;               ///< cosine, polynomial
  double t_max_epochs = 0;         ///< cosine, polynomial: length; 0 = the run's epochs
  double power = 2;                ///< polynomial
  bool operator==(const LrScheduleSpec&) const = default;
};

struct OptimizerSpec {
  std::string kind = "sgd";
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  double weight_decay = 0;
  bool operator==(const OptimizerSpec&) const = default;
};

/// Settings of a model that is made of others; each model reads only its own.
struct ModelOptions {
  std::string backbone;       ///< frozen_backbone: the pretrained model below the classifier
  int classifier_hidden = 0;  ///< frozen_backbone: width of the classifier's two hidden layers
  double dropout = 0;         ///< frozen_backbone: after each of them
  bool operator==(const ModelOptions&) const = default;
};

/// A program other than dlscale-train that does the training.
struct ExternalTrainer {
  std::string command;     ///< shell text with {{names}} of the run's values; empty: dlscale-train
  std::string log_format;  ///< what `dlscale collect` reads its output as
  std::string launcher;    ///< what starts its ranks: templates/external_<launcher>.mustache
  bool operator==(const ExternalTrainer&) const = default;
};

/// When a run saves its state, beside shortly before its time is up; 0: never. Not part of a run's
/// identity.
struct CheckpointSpec {
  int every_epochs = 0;
  double every_minutes = 0;
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
  std::string run_id;  ///< see contract/run_id.hpp
  int repetition = 1;
  std::uint64_t seed = 1;  ///< the study's; a run draws from seed + repetition - 1
  std::string mode;        ///< "inference": forward passes only; empty: training
  std::map<std::string, std::string> point;  ///< the value of each axis, as shown in tables

  std::string framework = "ddp";
  FrameworkOptions framework_options;
  std::string all_reduce;  ///< the algorithm; empty: the trainer's choice ("auto")
  std::string model = "mlp";
  ModelOptions model_options;
  std::string loader = "memory";
  DatasetSpec dataset;
  std::string precision = "fp32";  ///< fp32, fp64; tf32 (CUDA); bf16, fp16: autocast of fp32
  std::string batch_norm;     ///< "synchronised": statistics over all ranks; empty: each its own
  std::string memory_format;  ///< "channels_last" of images and their weights; empty: contiguous
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
