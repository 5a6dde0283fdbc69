// SPDX-License-Identifier: Apache-2.0
// One of the shipped pipelines at work: encoded images and boxes go in, batches of images come out.
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

// How much DALI's own threads have worked: it does not say so itself.

/// CPU time so far of all threads of this process that DALI has started and that still live, by
/// the names that it gives them (Linux's /proc/self/task).
double threads_busy_s();

// The serialized pipelines of this folder (make_pipelines.py), which are part of the program.

/// Which of them.
struct PipelineKind {
  bool on_gpu = false;     ///< nvJPEG decodes, and images stay on the GPU
  bool normalised = true;  ///< fp32; else bytes
  images::Layout layout = images::Layout::planes;
  images::Resample resample = images::Resample::antialiased;
};

/// What DALI deserializes.
std::string_view shipped_pipeline(const PipelineKind& kind);

struct ShippedPipeline {
  std::string_view name;  ///< of the file, without its ending
  std::string_view bytes;
};

/// All; CMake writes them into a source file.
std::span<const ShippedPipeline> shipped_pipelines();

/// How a pipeline runs.
struct PipelineSettings {
  PipelineKind kind;
  int batch_size = 1;  ///< the most samples that are fed at a time
  int threads = 1;
  int prefetch = 2;                            ///< batches at work at a time
  int gpu = 0;                                 ///< number of the device, where kind.on_gpu
  int side = 0;                                ///< of the images, pixels
  std::array<float, images::kColours> mean{};  ///< of 0 to 255
  std::array<float, images::kColours> deviation{};
};

/// A batch before it is decoded.
struct Encoded {
  std::vector<std::vector<std::uint8_t>> files;
  std::vector<Window> windows;
};

/// DALI has refused a batch, and is of no use after it. `what()` is what it said.
class Refused : public base::Error {
 public:
  explicit Refused(const std::string& said) : Error(said, 1) {}
};

class Pipeline;

/// A batch of images in DALI's memory, until it is destroyed, which any thread may do.
class Output {
 public:
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// samples x 3 x side x side numbers, or samples x side x side x 3 bytes, without gaps.
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

/// Used by one thread.
class Pipeline : public std::enable_shared_from_this<Pipeline> {
 public:
  /// Throws Refused.
  static std::shared_ptr<Pipeline> make(const Library& library, const PipelineSettings& settings);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Gives DALI a batch to work at and returns at once; at most `prefetch` may be at work.
  void feed(std::shared_ptr<const Encoded> batch);
  int at_work() const { return static_cast<int>(fed_.size()); }
  /// Waits for the oldest batch that was fed.
  std::unique_ptr<Output> take();

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
  std::deque<std::shared_ptr<const Encoded>> fed_;  ///< DALI reads their bytes where they lie
};

}  // namespace dlscale::trainer::dali
