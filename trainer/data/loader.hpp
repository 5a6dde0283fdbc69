// SPDX-License-Identifier: Apache-2.0
// Loaders, which turn sample numbers into batches, and the table of loaders.
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

// Batch that a loader delivers and a training step consumes.

struct Batch {
  /// Input of the model:
  /// - Images are samples x channels x height x width. They are either normalised or bytes.
  ///   DeviceCopy (data/device_copy.hpp) normalises bytes on the device.
  /// - Texts to classify are int64 tokens, samples x length.
  /// - Texts to translate are int64 tokens, samples x 2 x length. Row 0 is the source sentence with
  ///   its end token. Row 1 is the start token followed by the translation. The model predicts each
  ///   token of the translation from the tokens before it.
  at::Tensor input;
  /// Target of the model:
  /// - Class numbers for classification, int64, samples.
  /// - The input itself for reconstruction.
  /// - The translation with its end token for translation, int64, samples x length, padded to the
  ///   length of the batch.
  at::Tensor target;
  std::int64_t size() const { return target.defined() ? target.size(0) : 0; }
};

/// Samples that a loader delivers in batches.
struct Delivery {
  std::vector<std::int64_t> samples;  ///< sample numbers in the order of delivery
  std::int64_t batch_size = 1;        ///< samples per batch; the last batch may have fewer
  int epoch = 0;                      ///< epoch number; determines crops and mirroring
};

class Loader {
 public:
  virtual ~Loader() = default;
  /// Discards batches not yet delivered and starts `delivery`.
  virtual void start(Delivery delivery) = 0;
  /// Returns the next batch. After the last batch of the delivery, returns a batch without samples.
  /// The batch lies in host memory unless LoaderEntry::needs_gpu is set.
  virtual Batch next() = 0;
  virtual LoaderWork take_work() { return {}; }
  /// Returns true when all batches of one size have the same contents.
  virtual bool repeats() const { return false; }
};

/// Data source and settings of a loader. `dataset` and `split` must outlive the loader.
struct LoaderContext {
  const Dataset& dataset;  ///< data set that provides shape and normalisation
  const Split& split;
  Precision precision = Precision::fp32;
  bool pinned = false;             ///< true if batches must lie in pinned host memory
  bool target_is_input = false;    ///< true if the target of a batch is its input
  bool is_evaluation = false;      ///< true: pad text batches to the longest text of the split
  Augmentation augmentation = {};  ///< augmentation of images; the same on all ranks
  PictureRecipe pictures = {};     ///< recipe for images of any size, without normalisation
  contract::LoaderOptions options = {};
  int cores = 1;  ///< number of CPU cores of this rank
  int gpu = -1;   ///< index of the GPU of this rank, -1 without a GPU
};

struct LoaderEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Loader> (*make)(const LoaderContext& context);
  const char* samples = "images";  ///< kind of samples accepted: "images", "text" or "any"
  bool augments = false;           ///< true if LoaderContext::augmentation has an effect
  bool any_size = false;           ///< true if the loader accepts Split::pictures
  bool in_memory = false;          ///< true if the loader options apply only to Split::pictures
  /// Loads data sets from files in the loader's own format. Null means that DatasetEntry::load is
  /// used.
  Dataset (*load)(const contract::DatasetSpec& spec) = nullptr;
  bool needs_gpu = false;  ///< true if the GPU of the rank makes and holds the batches
  /// Returns the reason why the loader cannot run on this machine, or an empty string if it can.
  /// Null means that the loader runs on every machine.
  std::string (*why_missing)() = nullptr;
};

base::Table<LoaderEntry> loader_table();

// Base class for loaders that make each batch only when next() requests it.

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
