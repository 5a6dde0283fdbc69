// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace dlscale::trainer::dali {

double threads_busy_s() {
  constexpr double kNanosecond = 1e-9;
  double busy_ns = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    std::string name;
    std::getline(std::ifstream(it->path() / "comm"), name);
    if (!name.starts_with("[DALI]")) continue;
    double running_ns = 0;  // first number in schedstat; stays 0 if the thread has ended
    std::ifstream(it->path() / "schedstat") >> running_ns;
    busy_ns += running_ns;
  }
  return busy_ns * kNanosecond;
}

std::string_view shipped_pipeline(const PipelineKind& kind) {
  const std::string name =
      fmt::format("{}-{}-{}-{}", kind.on_gpu ? "gpu" : "cpu", kind.normalised ? "fp32" : "uint8",
                  kind.layout == images::Layout::planes ? "planes" : "channels_last",
                  kind.resample == images::Resample::bilinear ? "bilinear" : "antialiased");
  const auto all = shipped_pipelines();
  const auto found = std::ranges::find(all, name, &ShippedPipeline::name);
  if (found == all.end()) throw std::logic_error("no pipeline is called " + name);
  return found->bytes;
}

namespace {

constexpr int kSides = 2;  ///< number of coordinates of a point: down, right
constexpr Placement kHostMemory{Storage::cpu, 0, false};
/// Empty layout string. DALI reads the layout even where its header allows null (2.4.0 crashes on
/// null).
constexpr const char* kNoLayout = "";

/// Returns a message of DALI as one line, without its stack trace. DALI's messages have several
/// lines with the place in DALI's sources, the problem and a stack trace.
std::string in_one_line(std::string_view said) {
  said = said.substr(0, said.find("\nStacktrace"));
  std::string line;
  for (const char c : said) {
    if (c != '\n') {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

/// Returns `values` repeated once for each sample.
template <std::size_t N>
std::vector<float> repeated(const std::array<float, N>& values, std::size_t samples) {
  std::vector<float> all;
  all.reserve(N * samples);
  for (std::size_t i = 0; i < samples; ++i) all.insert(all.end(), values.begin(), values.end());
  return all;
}

}  // namespace

Output::~Output() {
  if (list_ != nullptr) pipeline_->call_.TensorListDecRef(list_, nullptr);
  if (outputs_ != nullptr) pipeline_->call_.PipelineOutputsDestroy(outputs_);
}

std::shared_ptr<Pipeline> Pipeline::make(const Library& library, const PipelineSettings& settings) {
  return std::shared_ptr<Pipeline>(new Pipeline(library, settings));
}

Pipeline::Pipeline(const Library& library, const PipelineSettings& settings)
    : call_(library.call), settings_(settings) {
  PipelineParams params{};
  params.present = PipelineParams::kMaxBatchSize | PipelineParams::kNumThreads |
                   PipelineParams::kExecType | PipelineParams::kPrefetchDepths;
  params.max_batch_size = settings.batch_size;
  params.num_threads = settings.threads;
  params.exec_type = kDynamicExecutor;
  params.prefetch_cpu = params.prefetch_gpu = settings.prefetch;
  if (settings.kind.on_gpu) {
    params.present |= PipelineParams::kDeviceId;
    params.device_id = settings.gpu;
  }
  const std::string_view serialized = shipped_pipeline(settings.kind);
  require(call_.PipelineDeserialize(&pipeline_, serialized.data(), serialized.size(), &params));
  const Result built = call_.PipelineBuild(pipeline_);
  if (built == kSuccess) return;
  const std::string said = in_one_line(call_.GetLastErrorMessage());
  call_.PipelineDestroy(pipeline_);
  throw Refused(said);
}

Pipeline::~Pipeline() {
  call_.PipelineDestroy(pipeline_);
}

void Pipeline::require(Result result) const {
  if (result != kSuccess) throw Refused(in_one_line(call_.GetLastErrorMessage()));
}

void Pipeline::feed(std::shared_ptr<const Encoded> batch) {
  const std::size_t samples = batch->windows.size();
  fed_.push_back(std::move(batch));
  const Encoded& fed = *fed_.back();
  std::vector<std::int32_t> start, shape;
  std::vector<float> from, to;
  for (const Window& window : fed.windows) {
    start.insert(start.end(), {window.decoded.top, window.decoded.left});
    shape.insert(shape.end(), {window.decoded.height, window.decoded.width});
    from.insert(from.end(), window.from.begin(), window.from.end());
    to.insert(to.end(), window.to.begin(), window.to.end());
  }
  feed_files(fed);
  feed_values("start", start);
  feed_values("shape", shape);
  feed_values("from", from, kSides);
  feed_values("to", to, kSides);
  const auto side = static_cast<float>(settings_.side);
  feed_values("size", repeated(std::array{side, side}, samples), kSides);
  if (settings_.kind.normalised) {
    feed_values("mean", repeated(settings_.mean, samples), images::kColours);
    feed_values("std", repeated(settings_.deviation, samples), images::kColours);
  }
  require(call_.PipelineRun(pipeline_));
}

void Pipeline::feed_files(const Encoded& batch) {
  std::vector<std::int64_t> sizes(batch.files.size());
  std::vector<TensorDesc> samples(batch.files.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    sizes[i] = static_cast<std::int64_t>(batch.files[i].size());
    samples[i] = {1, &sizes[i], DataType::uint8, kNoLayout,
                  const_cast<std::uint8_t*>(batch.files[i].data())};
  }
  TensorListHandle list = nullptr;
  require(call_.TensorListCreate(&list, kHostMemory));
  const int count = static_cast<int>(samples.size());
  Result result = call_.TensorListAttachSamples(list, count, 1, DataType::uint8, kNoLayout,
                                                samples.data(), nullptr);
  if (result == kSuccess) {
    result = call_.PipelineFeedInput(pipeline_, "encoded", list, nullptr, Feed::no_copy, nullptr);
  }
  call_.TensorListDecRef(list, nullptr);
  require(result);
}

void Pipeline::feed_values(const char* input, std::span<const std::int32_t> values) {
  feed_list(input, DataType::int32, values.data(), static_cast<int>(values.size()) / kSides,
            kSides);
}

void Pipeline::feed_values(const char* input, std::span<const float> values, int per_sample) {
  feed_list(input, DataType::fp32, values.data(), static_cast<int>(values.size()) / per_sample,
            per_sample);
}

void Pipeline::feed_list(const char* input, DataType type, const void* values, int samples,
                         int per_sample) {
  const std::vector<std::int64_t> shapes(static_cast<std::size_t>(samples), per_sample);
  TensorListHandle list = nullptr;
  require(call_.TensorListCreate(&list, kHostMemory));
  Result result = call_.TensorListAttachBuffer(list, samples, 1, shapes.data(), type, kNoLayout,
                                               const_cast<void*>(values), nullptr, Deleter{});
  if (result == kSuccess) {
    result = call_.PipelineFeedInput(pipeline_, input, list, nullptr, Feed::copy, nullptr);
  }
  call_.TensorListDecRef(list, nullptr);
  require(result);
}

std::unique_ptr<Output> Pipeline::next_output() {
  std::unique_ptr<Output> output(new Output(shared_from_this()));
  TensorDesc first{};
  require(call_.PipelinePopOutputs(pipeline_, &output->outputs_));
  require(call_.PipelineOutputsGet(output->outputs_, &output->list_, 0));
  require(call_.TensorListGetShape(output->list_, &output->samples_, nullptr, nullptr));
  require(call_.TensorListGetTensorDesc(output->list_, &first, 0));
  output->data_ = first.data;
  fed_.pop_front();
  return output;
}

}  // namespace dlscale::trainer::dali
