// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/dali_loader.hpp"

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "contract/run_outcome.hpp"
#include "images/in_order.hpp"
#include "trainer/data/dali/encoded_reader.hpp"
#include "trainer/data/dali/gpu_images.hpp"
#include "trainer/data/dali/pipeline.hpp"
#include "trainer/data/picture_loader.hpp"

namespace dlscale::trainer::dali {
namespace {

constexpr float kBrightest = 255;

std::array<float, images::kColours> of_bytes(const std::vector<double>& values) {
  std::array<float, images::kColours> scaled{};
  for (std::size_t c = 0; c < scaled.size(); ++c) {
    scaled[c] = static_cast<float>(values.at(c) * kBrightest);
  }
  return scaled;
}

using Samples = std::vector<std::int64_t>;

/// Divides the samples of a delivery into batches.
std::vector<Samples> batches_of(const Delivery& delivery) {
  std::vector<Samples> batches;
  const auto& samples = delivery.samples;
  for (auto first = samples.begin(); first != samples.end();) {
    const auto end = first + std::min<std::ptrdiff_t>(delivery.batch_size, samples.end() - first);
    batches.emplace_back(first, end);
    first = end;
  }
  return batches;
}

/// Returns true if DALI normalises the images. Otherwise, DALI outputs bytes, and the trainer
/// normalises them. Normalisation costs DALI no time on a GPU, so DALI normalises by default there.
bool normalises(const LoaderContext& context, bool on_gpu) {
  if (!on_gpu) return !hands_over_bytes(context);
  return context.options.hand_over != "uint8" && context.precision != Precision::fp64;
}

class DaliLoader : public Loader {
 public:
  DaliLoader(const LoaderContext& context, bool on_gpu)
      : context_(context),
        library_(open_library(::getenv)),
        reader_settings_{.source = pictures_of(context),
                         .recipe = context_.pictures,
                         .broken = broken_pictures_of(context)},
        repairer_(reader_settings_) {
    settings_.kind = {.on_gpu = on_gpu,
                      .normalised = normalises(context, on_gpu),
                      .layout = context.pictures.layout,
                      .resample = context.pictures.resample};
    settings_.threads = threads_of(context);
    settings_.prefetch = prefetch_of(context);
    settings_.gpu = context.gpu;
    settings_.side = context.pictures.side;
    settings_.mean = of_bytes(context.dataset.mean);
    settings_.deviation = of_bytes(context.dataset.deviation);
    make_pipeline(1);  // checks early that this machine can run the pipeline
  }

  void start(Delivery delivery) override {
    reading_.reset();
    failure_ = nullptr;
    end_counting();
    if (!at_work_.empty() || !refused_.empty() || delivery.batch_size > settings_.batch_size) {
      make_pipeline(delivery.batch_size);
    }
    at_work_.clear();
    refused_.clear();
    auto batches = std::make_shared<const std::vector<Samples>>(batches_of(delivery));
    left_ = static_cast<std::int64_t>(batches->size());
    if (left_ == 0) return;
    dali_s_ = threads_busy_s();
    is_counting_ = true;
    reading_.emplace(left_, 1, [this, batches, epoch = delivery.epoch] {
      const auto reader = std::make_shared<EncodedReader>(reader_settings_);
      return [reader, batches, epoch](std::int64_t i) {
        return reader->read((*batches)[static_cast<std::size_t>(i)], epoch);
      };
    });
  }

  Batch next() override {
    feed_ahead();
    if (at_work_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return {};
    }
    std::unique_ptr<Output> output = receive_output();
    const Samples samples = at_work_.front()->taken;
    at_work_.pop_front();
    feed_ahead();
    if (at_work_.empty()) end_counting();
    const at::Tensor input = images_of(std::move(output));
    return {input, context_.target_is_input ? input : labels_of(context_, samples)};
  }

  LoaderWork take_work() override {
    count_threads();
    return std::exchange(work_, {});
  }

 private:
  /// Adds the CPU time of DALI's threads since the last count. DALI's threads serve all loaders of
  /// the process. Their work between two deliveries of this loader belongs to another loader, for
  /// example the loader for evaluation, and must not be counted here.
  void count_threads() {
    if (!is_counting_) return;
    const double now_s = threads_busy_s();
    work_.busy_s += std::max(0.0, now_s - std::exchange(dali_s_, now_s));
  }
  void end_counting() {
    count_threads();
    is_counting_ = false;
  }

  void make_pipeline(std::int64_t batch_size) {
    count_threads();  // counts now, because the threads of the old pipeline end next
    pipeline_.reset();
    settings_.batch_size = std::max(settings_.batch_size, static_cast<int>(batch_size));
    try {
      pipeline_ = Pipeline::make(library_, settings_);
    } catch (const Refused& refused) {
      throw base::RunError(
          fmt::format("DALI {} cannot run here: {}", library_.version, refused.what()),
          contract::kExitBadRunDescription);
    }
    dali_s_ = threads_busy_s();
  }

  /// Feeds batches in advance, so that DALI works in parallel with the model.
  void feed_ahead() {
    while (left_ > 0 && static_cast<int>(at_work_.size()) < settings_.prefetch) {
      --left_;
      try {
        at_work_.push_back(std::make_shared<ReadBatch>(reading_->next()));
      } catch (...) {
        failure_ = std::current_exception();  // next() throws the error when this batch is due
        left_ = 0;
        return;
      }
      const ReadBatch& batch = *at_work_.back();
      work_.busy_s += batch.busy_s;
      work_.bytes += batch.bytes;
      work_.skipped_samples += batch.skipped;
      feed(at_work_.back());
    }
  }

  void feed(const std::shared_ptr<ReadBatch>& batch) {
    try {
      pipeline_->feed({batch, &batch->encoded});
    } catch (const Refused& refused) {
      refused_ = refused.what();  // an earlier batch failed; receive_output() handles the error
    }
  }

  /// Returns the images of the oldest batch in progress.
  std::unique_ptr<Output> receive_output() {
    if (refused_.empty()) {
      try {
        return pipeline_->next_output();
      } catch (const Refused& refused) {
        refused_ = refused.what();
      }
    }
    repair();
    return take_again();
  }

  /// Finds and replaces the broken images of the oldest batch. An image can have a valid header and
  /// still be broken. When DALI cannot decode such an image, it discards all batches in progress
  /// and does not name the image. This function therefore decodes the images of the batch one by
  /// one in a new pipeline.
  void repair() {
    // The batch is copied, because the old pipeline may still read the original.
    at_work_.front() = std::make_shared<ReadBatch>(*at_work_.front());
    ReadBatch& batch = *at_work_.front();
    make_pipeline(settings_.batch_size);
    for (std::size_t place = 0; place < batch.taken.size(); ++place) {
      const std::int64_t asked = batch.taken[place];
      const BrokenPictures& broken = reader_settings_.broken;
      for (std::int64_t tried = 1; !decodes(batch.encoded, place); ++tried) {
        make_pipeline(settings_.batch_size);
        const auto problem = fmt::format("DALI {} cannot decode it", library_.version);
        if (tried == broken.replacements) {
          fail_broken(reader_settings_.source, broken, asked, problem);
        }
        repairer_.replace(batch, place, problem);
        work_.skipped_samples += tried == 1 ? 1 : 0;
      }
    }
  }

  /// Returns true if DALI can decode this single image. Returns false otherwise, and the pipeline
  /// is unusable afterwards.
  bool decodes(const Encoded& batch, std::size_t place) {
    auto alone = std::make_shared<Encoded>();
    alone->files.push_back(batch.files[place]);
    alone->windows.push_back(batch.windows[place]);
    try {
      pipeline_->feed(alone);
      pipeline_->next_output();
      return true;
    } catch (const Refused&) {
      return false;
    }
  }

  /// Decodes the repaired oldest batch in the new pipeline and then feeds the other batches again.
  /// The oldest batch is decoded alone, because a broken image in a later batch would make DALI
  /// discard the oldest batch as well.
  std::unique_ptr<Output> take_again() {
    const std::string said = std::exchange(refused_, "");
    feed(at_work_.front());
    std::unique_ptr<Output> output;
    try {
      output = pipeline_->next_output();
    } catch (const Refused&) {
      throw base::RunError(fmt::format("DALI {} failed: {}", library_.version, said),
                           contract::kExitData);
    }
    for (std::size_t i = 1; i < at_work_.size(); ++i) feed(at_work_[i]);
    return output;
  }

  at::Tensor images_of(std::unique_ptr<Output> output) const {
    const std::int64_t count = output->samples(), side = settings_.side;
    const std::int64_t colours = images::kColours, plane = side * side;
    const bool planes = settings_.kind.layout == images::Layout::planes;
    const auto type = settings_.kind.normalised ? at::kFloat : at::kByte;
    const std::array strides =
        planes ? std::array{colours * plane, plane, side, std::int64_t{1}}
               : std::array{colours * plane, std::int64_t{1}, colours * side, colours};
    const std::shared_ptr<Output> owner = std::move(output);
    const auto device = settings_.kind.on_gpu
                            ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(settings_.gpu))
                            : at::Device(at::kCPU);
    const at::Tensor images = at::for_blob(owner->data(), {count, colours, side, side})
                                  .strides(strides)
                                  .deleter([owner](void*) {})
                                  .options(at::TensorOptions(type).device(device))
                                  .target_device(device)
                                  .make_tensor();
    if (settings_.kind.on_gpu) return returned_.copy_of(images);
    return context_.pinned ? images.pin_memory() : images;
  }

  const LoaderContext context_;
  const Library library_;
  const ReaderSettings reader_settings_;
  EncodedReader repairer_;
  PipelineSettings settings_;
  std::shared_ptr<Pipeline> pipeline_;
  std::int64_t left_ = 0;  ///< number of batches not fed yet
  std::deque<std::shared_ptr<ReadBatch>> at_work_;
  std::string refused_;         ///< error of DALI; if not empty, the pipeline is unusable
  std::exception_ptr failure_;  ///< error in reading the next batch
  LoaderWork work_;
  double dali_s_ = 0;         ///< value of threads_busy_s() at the last count
  bool is_counting_ = false;  ///< true while this loader has batches to make
  mutable GpuImages returned_;
  std::optional<images::InOrder<ReadBatch>> reading_;  ///< reader thread; must be destroyed first
};

}  // namespace

std::unique_ptr<Loader> make_dali_loader(const LoaderContext& context, bool on_gpu) {
  return std::make_unique<DaliLoader>(context, on_gpu);
}

std::string why_missing() {
  const auto found = find_library(::getenv);
  const auto* missing = std::get_if<Missing>(&found);
  return missing == nullptr ? "" : missing->why;
}

std::string describe_library() {
  const auto found = find_library(::getenv);
  if (const auto* missing = std::get_if<Missing>(&found)) return "no: " + missing->why;
  const auto& library = std::get<Library>(found);
  return fmt::format("{} ({})", library.version, library.path);
}

}  // namespace dlscale::trainer::dali
