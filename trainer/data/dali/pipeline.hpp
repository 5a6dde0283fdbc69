// SPDX-License-Identifier: Apache-2.0
// Execution of one of the shipped DALI pipelines, which turns encoded images and crop boxes into
// batches of images.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "images/normalise.hpp"
#include "images/picture.hpp"
#include "images/resize.hpp"
#include "trainer/data/dali/library.hpp"
#include "trainer/data/dali/window.hpp"

namespace dlscale::trainer::dali {

// Measurement of the work of DALI's threads, which DALI does not report.

/// Returns the CPU time in seconds of all live DALI threads of this process. DALI's threads are
/// recognised by their names (Linux's /proc/self/task).
double threads_busy_s();

// Serialized pipelines, which make_pipelines.py writes to this folder and CMake builds into the
// program.

/// Properties that select one of the shipped pipelines.
struct PipelineKind {
  bool on_gpu = false;     ///< true if nvJPEG decodes and images stay on the GPU
  bool normalised = true;  ///< true for fp32 output, false for bytes
  images::Layout layout = images::Layout::planes;
  images::Resample resample = images::Resample::antialiased;
};

/// Returns the bytes of the serialized pipeline of this kind, for DALI's function
/// PipelineDeserialize.
std::string_view shipped_pipeline(const PipelineKind& kind);

struct ShippedPipeline {
  std::string_view name;  ///< file name without its extension
  std::string_view bytes;
};

/// Returns all shipped pipelines. CMake writes them into a source file.
std::span<const ShippedPipeline> shipped_pipelines();

/// Settings with which a pipeline runs.
struct PipelineSettings {
  PipelineKind kind;
  int batch_size = 1;  ///< largest number of samples in one fed batch
  int threads = 1;
  int prefetch = 2;                            ///< number of batches in progress at a time
  int gpu = 0;                                 ///< index of the GPU when kind.on_gpu is set
  int side = 0;                                ///< side of the images in pixels
  std::array<float, images::kColours> mean{};  ///< mean of each channel, 0 to 255
  std::array<float, images::kColours> deviation{};
};

/// A batch of encoded images with the crop window of each image.
struct Encoded {
  std::vector<std::vector<std::uint8_t>> files;
  std::vector<Window> windows;
};

/// Error that DALI reports for a batch. The pipeline is unusable afterwards. `what()` is the
/// message of DALI.
class Refused : public base::Error {
 public:
  explicit Refused(const std::string& said) : Error(said, 1) {}
};

class Pipeline;

/// A batch of images in DALI's memory. The memory is released when the object is destroyed, on any
/// thread.
class Output {
 public:
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Returns the images, without gaps: samples x 3 x side x side values (Layout::planes) or samples
  /// x side x side x 3 values (Layout::channels_last). The values are fp32 or bytes.
  void* data() const { return data_; }
  int samples() const { return samples_; }

 private:
  friend class Pipeline;
  explicit Output(std::shared_ptr<const Pipeline> pipeline) : pipeline_(std::move(pipeline)) {}

  std::shared_ptr<const Pipeline> pipeline_;
  OutputsHandle outputs_ = nullptr;
  TensorListHandle list_ = nullptr;
  void* data_ = nullptr;
  int samples_ = 0;
};

/// A DALI pipeline that decodes, crops, scales and normalises batches. Only one thread may use a
/// pipeline.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
 public:
  /// Creates and builds a pipeline. Throws Refused when DALI reports an error.
  static std::shared_ptr<Pipeline> make(const Library& library, const PipelineSettings& settings);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Starts work on a batch and returns at once. At most `prefetch` batches may be in progress.
  void feed(std::shared_ptr<const Encoded> batch);
  int at_work() const { return static_cast<int>(fed_.size()); }
  /// Waits for the oldest fed batch and returns its images.
  std::unique_ptr<Output> next_output();

 private:
  friend class Output;
  Pipeline(const Library& library, const PipelineSettings& settings);
  void feed_files(const Encoded& batch);
  void feed_values(const char* input, std::span<const std::int32_t> values);
  void feed_values(const char* input, std::span<const float> values, int per_sample);
  void feed_list(const char* input, DataType type, const void* values, int samples, int per_sample);
  /// Throws Refused unless `result` is success.
  void require(Result result) const;

  Functions call_;
  PipelineSettings settings_;
  PipelineHandle pipeline_ = nullptr;
  std::deque<std::shared_ptr<const Encoded>> fed_;  ///< batches that DALI reads in place
};

}  // namespace dlscale::trainer::dali
