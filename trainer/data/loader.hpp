// SPDX-License-Identifier: Apache-2.0
// Turning sample numbers into batches; and the table of loaders.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/registry.hpp"
#include "trainer/data/augmentation.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/loader_work.hpp"
#include "trainer/data/picture_maker.hpp"
#include "trainer/device/autocast.hpp"

namespace dlscale::trainer {

// What a loader delivers and a step consumes.

struct Batch {
  /// Images: samples x channels x height x width, normalised; or bytes, which data/hand_over.hpp
  /// normalises on the device. Text: int64 tokens, samples x length.
  /// To be translated: int64, samples x 2 x length: a sentence with its end, and its translation
  /// with its beginning, as far as the step before has come.
  at::Tensor input;
  /// Int64 class numbers, samples; for reconstruction the input; for translation int64, samples x
  /// length: the translation with its end. What is shorter than its batch is padded.
  at::Tensor target;
  std::int64_t size() const { return target.defined() ? target.size(0) : 0; }
};

/// What a loader is to deliver.
struct Delivery {
  std::vector<std::int64_t> samples;  ///< in this order
  std::int64_t batch_size = 1;        ///< at a time; the last batch may be smaller
  int epoch = 0;                      ///< images are cropped and mirrored anew in each
};

class Loader {
 public:
  virtual ~Loader() = default;
  /// Leaves what has not been delivered yet and turns to `delivery`.
  virtual void start(Delivery delivery) = 0;
  /// The next batch, in host memory unless LoaderEntry::needs_gpu; one of no samples when all have
  /// been delivered.
  virtual Batch next() = 0;
  virtual LoaderWork take_work() { return {}; }
  /// Whether all batches of one size have the same contents.
  virtual bool repeats() const { return false; }
};

/// What to load from; both outlive the loader.
struct LoaderContext {
  const Dataset& dataset;  ///< for shape and normalisation
  const Split& split;
  Precision precision = Precision::fp32;
  bool pinned = false;             ///< batches lie where a device fetches them by itself
  bool target_is_input = false;    ///< of images, TaskEntry::target_is_input
  bool is_evaluation = false;      ///< text: all batches are as long as the split's longest sample
  Augmentation augmentation = {};  ///< of images; the same whatever rank takes a sample
  PictureRecipe pictures = {};     ///< of pictures of any size; without normalisation
  contract::LoaderOptions options = {};
  int cores = 1;  ///< of this rank
  int gpu = -1;   ///< number of the rank's device, where that is one
};

struct LoaderEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Loader> (*make)(const LoaderContext& context);
  const char* samples = "images";  ///< that it takes: "images", "text"; of any kind: "any"
  bool augments = false;           ///< heeds LoaderContext::augmentation
  bool any_size = false;           ///< takes Split::pictures
  bool in_memory = false;          ///< takes other samples from memory, whatever its options say
  /// Loads data sets of any size from files of the loader's own; null: DatasetEntry::load does.
  Dataset (*load)(const contract::DatasetSpec& spec) = nullptr;
  bool needs_gpu = false;  ///< batches are made by the rank's GPU, and stay in its memory
  /// Why this machine lacks what it needs; empty where it has it, null where it needs nothing.
  std::string (*why_missing)() = nullptr;
};

base::Table<LoaderEntry> loader_table();

// Loaders that make a batch when it is asked for.

class GatheringLoader : public Loader {
 public:
  void start(Delivery delivery) final {
    delivery_ = std::move(delivery);
    position_ = 0;
  }
  Batch next() final {
    const std::size_t count = std::min(static_cast<std::size_t>(delivery_.batch_size),
                                       delivery_.samples.size() - position_);
    if (count == 0) return {};
    const std::span samples(delivery_.samples.data() + position_, count);
    position_ += count;
    return gather(samples);
  }

 protected:
  using Samples = std::span<const std::int64_t>;
  virtual Batch gather(Samples samples) = 0;
  int epoch() const { return delivery_.epoch; }

 private:
  Delivery delivery_;
  std::size_t position_ = 0;
};

}  // namespace dlscale::trainer
