// SPDX-License-Identifier: Apache-2.0
// Defines the complete description of one run, which `run.json` holds and the trainer follows.
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
/// Prefix of the name of a model in a script file.
inline constexpr std::string_view kScriptModel = "script:";
/// Value of RunSpec::uneven_batch for parts of different sizes.
inline constexpr const char* kSpreadBatch = "spread";

/// Data to train on. A sample count of 0 means all samples. For generated data sets, 0 means the
/// default number of the generator.
struct DatasetSpec {
  std::string kind = "synthetic_digits";
  std::string path;                ///< folder of the files; empty for generated sets
  std::int64_t train_samples = 0;  ///< number of samples to use, from the first sample on; 0 = all
  std::int64_t test_samples = 0;
  std::string shape;      ///< synthetic: channels x height x width of a sample, "3x224x224"
  int classes = 0;        ///< synthetic: number of classes
  int first_classes = 0;  ///< number of classes to use, from the first class on; 0 = all
  std::string sha256;     ///< digest that the data must have; empty = any digest
  /// For images: width in pixels of the zero border added before a random crop.
  int random_crop = 0;
  bool random_flip = false;  ///< true if a random half of the images is mirrored left to right
  /// Side in pixels of the square that the model sees, for images of any size. Training cuts a
  /// random part of the image, testing cuts the centre. 0 means that all images have one size and
  /// stay as they are.
  int image_size = 0;
  /// Length in pixels of the shorter side before the centre is cut, for images of any size. 0 means
  /// image_size x 256 / 224.
  int resize = 0;
  /// Range of a random crop's share of the image area. Empty means 0.08 to 1.
  std::vector<double> crop_scale;
  std::vector<double> crop_ratio;  ///< range of a random crop's width / height; empty = 3/4 to 4/3
  std::string resample;  ///< interpolation: "bilinear" (nearest four pixels); empty = antialiased
  int folds = 0;  ///< for texts: number of cross-validation folds; 0 = split given by the files
  int fold = 0;   ///< for texts: fold that is the test set, from 1
  int vocabulary = 0;  ///< for texts: number of words to keep per language, by frequency; 0 = all
  int min_count = 0;   ///< text: minimum number of occurrences of a kept word; 0 keeps all words
  int max_length = 0;  ///< text: number of tokens after which a sample is cut; 0 = never
  bool operator==(const DatasetSpec&) const = default;
};

/// Options of loaders. Each loader reads only its own options.
struct LoaderOptions {
  int threads = 0;   ///< number of decoding threads of a rank; 0 = one per core of the rank
  int prefetch = 0;  ///< number of batches prepared in advance; 0 selects 2
  /// Treatment of a broken sample. "skip" replaces the sample by another sample and counts the
  /// replacement. Empty means that a broken sample ends the run.
  std::string on_broken;
  int shuffle_window = 0;  ///< number of consecutive samples shuffled together; 0 = all samples
  /// Sample order: "pytorch" (DistributedSampler). Empty means dlscale's own order.
  std::string sample_order;
  /// Format in which images are copied to the device: "uint8" (normalised on the device) or "fp32".
  /// Empty selects the best format for the device.
  std::string hand_over;
  bool operator==(const LoaderOptions&) const = default;
};

/// Options of models. Each model reads only its own options.
struct ModelOptions {
  std::string backbone;       ///< frozen_backbone: pretrained model below the classifier
  int classifier_hidden = 0;  ///< frozen_backbone: width of the classifier's two hidden layers
  double dropout = 0;         ///< frozen_backbone, seq2seq: dropout rate
  int embedding = 0;          ///< nbow, seq2seq: width of a word's vector
  int hidden = 0;             ///< seq2seq: width of the recurrent state
  std::string cell;           ///< seq2seq: recurrent cell, gru or lstm
  bool operator==(const ModelOptions&) const = default;
};

/// File that the job writes into the launch folder of a run before the command of an external
/// trainer starts.
struct TrainerFile {
  std::string sha256;  ///< SHA-256 of the text of the template
  std::string to;      ///< path of the file, relative to the launch folder
  bool operator==(const TrainerFile&) const = default;
};

/// Training program other than dlscale-train.
struct ExternalTrainer {
  std::string command;     ///< shell command with {{names}} for run values; empty = dlscale-train
  std::string log_format;  ///< format in which `dlscale collect` reads the output
  std::string launcher;    ///< launcher of the ranks: templates/external_<launcher>.mustache
  std::vector<TrainerFile> files;  ///< configuration files of each run, in the order of the study
  bool operator==(const ExternalTrainer&) const = default;
};

/// Intervals at which a run saves its state (0: never), and whether it writes its weights. A run
/// also saves its state shortly before its time limit. These settings are not part of a run's
/// identity.
struct CheckpointSpec {
  int every_epochs = 0;
  double every_minutes = 0;
  int keep = 0;               ///< number of newest checkpoints to keep; 0 selects 1
  bool asynchronous = false;  ///< true if files are written while training continues
  bool weights = false;       ///< true if a complete run writes LaunchDir::weights()
  bool operator==(const CheckpointSpec&) const = default;
};

/// Resources of a run. They are not part of a run's identity.
struct ResourceRequest {
  std::string device = "cpu";        ///< device that a rank computes on
  std::string communicator = "mpi";  ///< communicator through which ranks exchange data
  int nodes = 1;
  int ranks_per_node = 1;
  int cores_per_rank = 1;
  double walltime_s = 0;  ///< limit requested from the batch system; 0 = none
  bool operator==(const ResourceRequest&) const = default;
};

/// Description of one run. "GPUs" are ranks: on a site without GPUs a rank is `cores_per_rank`
/// cores. A run of an external trainer may leave out values that the study does not state. Then
/// framework, loader, precision, last_batch and the kinds of data, schedule and optimizer are
/// empty, and epochs is 0. lr.scale is empty if the study states no learning rate.
struct RunSpec {
  int schema_version = kRunSpecVersion;
  std::string study;
  std::string run_id;  ///< id from contract/run_spec/run_id.hpp
  int repetition = 1;
  std::uint64_t seed = 1;  ///< seed of the study; a run uses seed + repetition - 1
  std::string mode;        ///< mode: "inference" (forward passes only); empty = training
  std::map<std::string, std::string> point;  ///< value of each axis, as shown in tables

  std::string framework = "ddp";
  FrameworkOptions framework_options;
  std::string all_reduce;     ///< all-reduce algorithm; empty = the trainer chooses ("auto")
  std::string model = "mlp";  ///< model; "script:PATH" is a TorchScript module in a file
  ModelOptions model_options;
  std::string loader = "memory";
  LoaderOptions loader_options;
  DatasetSpec dataset;
  /// Precision: fp32, fp64, tf32 (CUDA only), bf16 or fp16 (autocast of fp32).
  std::string precision = "fp32";
  std::string batch_norm;  ///< batch statistics: "synchronised" (over all ranks); empty = per rank
  /// Memory layout of images and their weights: "contiguous" or "channels_last". Empty means that
  /// the trainer chooses.
  std::string memory_format;
  /// Kernels on CPUs: "framework" means only LibTorch's kernels. Empty means "fast": dlscale's
  /// kernels are used as well.
  std::string cpu_kernels;
  std::string gpu_kernels;  ///< kernels on GPUs, with the values of cpu_kernels
  bool cuda_graph = false;  ///< true if a CUDA graph records the passes once and replays them
  std::string weights;      ///< file of initial weights; empty = random weights
  /// True if the last batch norm of each residual block starts with weight 0.
  bool zero_init_gamma = false;
  std::string frozen;  ///< name prefixes of untrained parameters, separated by commas
  /// True if the run records the shares of computation, communication and I/O in kernel time.
  bool profile = false;
  /// Number of epochs that the profile covers, from the first epoch. 0 = one step window.
  int profile_epochs = 0;

  int gpus = 1;  ///< world size
  /// Number of samples that a GPU processes at once. With uneven_batch, the largest such number.
  std::int64_t batch_per_gpu = 64;
  /// Number of samples in an optimizer step: batch_per_gpu x gpus x accumulation_steps. With
  /// uneven_batch, less than this product.
  std::int64_t global_batch = 64;
  int accumulation_steps = 1;
  /// Division of a global batch that is not a multiple of gpus x accumulation_steps. "spread" means
  /// that the parts differ by one sample. Empty means that all parts are equal.
  std::string uneven_batch;
  /// Incomplete last batch: "pad" repeats samples, "drop" skips the batch.
  std::string last_batch = "pad";

  int epochs = 1;
  /// Length of the run in optimizer steps. 0 means that `epochs` gives the length. Otherwise epochs
  /// is 0.
  std::int64_t steps = 0;
  double warmup_epochs = 0;
  LearningRate lr;
  LrScheduleSpec lr_schedule;
  OptimizerSpec optimizer;
  double label_smoothing = 0;
  double clip_norm = 0;  ///< maximum norm of the gradient; 0 = no limit
  double ema_decay = 0;  ///< decay of the averaged parameters that are evaluated; 0 = no average
  TargetSpec target;
  /// Number of epochs without learning (loss not below ln classes) after which the run ends. 0
  /// means that the run never ends for this reason.
  int plateau_epochs = 0;

  int window_steps = 50;   ///< number of optimizer steps in a step_window record
  int evaluate_every = 1;  ///< epochs between evaluations; the last epoch is always evaluated
  CheckpointSpec checkpoint;

  ExternalTrainer trainer;
  std::map<std::string, std::string> parameters;  ///< free parameters for external trainers
  /// Environment variables that the job exports before the trainer starts.
  std::map<std::string, std::string> environment;

  ResourceRequest resources;

  bool operator==(const RunSpec&) const = default;
};

/// Returns the text of `run.json`: indented JSON with sorted keys and a final newline. Equal specs
/// give equal bytes. For a run of an external trainer, settings that only dlscale-train reads are
/// written only if they differ from their defaults.
std::string to_json(const RunSpec& spec);
/// Returns the text of `run.json` on one line without a newline, for the tables of job arrays.
std::string to_json_line(const RunSpec& spec);

/// Reads `run.json`. Unknown keys are ignored, so that an older trainer can run simple runs of a
/// newer plan. Missing required keys, wrong types and impossible values are errors. `file` is only
/// used in messages. Throws base::SpecError.
RunSpec run_spec_from_json(std::string_view text, std::string_view file);

/// Checks the values of a run. Throws base::SpecError, which names `file` and the key, for an
/// impossible value: a name outside the vocabulary, a batch below 1, a global_batch that does not
/// match, negative epochs.
void validate(const RunSpec& spec, std::string_view file);

}  // namespace dlscale::contract
