// SPDX-License-Identifier: Apache-2.0
// A comparison of the declarations in abi.hpp with DALI's own header, compiled only where that
// header is available.
#include <dali/dali.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "trainer/data/dali/abi.hpp"

namespace {

namespace ours = dlscale::trainer::dali;

template <class A, class B>
constexpr bool kAlike =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>&& std::is_class_v<A> ==
                                  std::is_class_v<B>;

template <class Result, class... Arguments, class TheirResult, class... Theirs>
constexpr bool alike(Result (*)(Arguments...), TheirResult (*)(Theirs...)) {
  if constexpr (sizeof...(Arguments) != sizeof...(Theirs)) {
    return false;
  } else {
    return kAlike<Result, TheirResult> && (kAlike<Arguments, Theirs> && ...);
  }
}

#define SAME_FUNCTION(name) \
  static_assert(alike(decltype(ours::Functions::name){}, decltype(&dali##name){}))
SAME_FUNCTION(Init);
SAME_FUNCTION(GetLastErrorMessage);
SAME_FUNCTION(PipelineDeserialize);
SAME_FUNCTION(PipelineDestroy);
SAME_FUNCTION(PipelineBuild);
SAME_FUNCTION(PipelineFeedInput);
SAME_FUNCTION(PipelineRun);
SAME_FUNCTION(PipelinePopOutputs);
SAME_FUNCTION(PipelineOutputsGet);
SAME_FUNCTION(PipelineOutputsDestroy);
SAME_FUNCTION(TensorListCreate);
SAME_FUNCTION(TensorListAttachSamples);
SAME_FUNCTION(TensorListAttachBuffer);
SAME_FUNCTION(TensorListGetTensorDesc);
SAME_FUNCTION(TensorListGetShape);
SAME_FUNCTION(TensorListDecRef);

#define SAME_FIELD(type, field, their_type, theirs) \
  static_assert(offsetof(ours::type, field) == offsetof(their_type, theirs))
static_assert(sizeof(ours::PipelineParams) == sizeof(daliPipelineParams_t));
SAME_FIELD(PipelineParams, max_batch_size, daliPipelineParams_t, max_batch_size);
SAME_FIELD(PipelineParams, num_threads, daliPipelineParams_t, num_threads);
SAME_FIELD(PipelineParams, device_id, daliPipelineParams_t, device_id);
SAME_FIELD(PipelineParams, seed, daliPipelineParams_t, seed);
SAME_FIELD(PipelineParams, exec_type, daliPipelineParams_t, exec_type);
SAME_FIELD(PipelineParams, prefetch_cpu, daliPipelineParams_t, prefetch_queue_depths);
SAME_FIELD(PipelineParams, bytes_per_sample_hint, daliPipelineParams_t, bytes_per_sample_hint);
static_assert(sizeof(ours::Placement) == sizeof(daliBufferPlacement_t));
SAME_FIELD(Placement, device_id, daliBufferPlacement_t, device_id);
SAME_FIELD(Placement, pinned, daliBufferPlacement_t, pinned);
static_assert(sizeof(ours::TensorDesc) == sizeof(daliTensorDesc_t));
SAME_FIELD(TensorDesc, shape, daliTensorDesc_t, shape);
SAME_FIELD(TensorDesc, dtype, daliTensorDesc_t, dtype);
SAME_FIELD(TensorDesc, layout, daliTensorDesc_t, layout);
SAME_FIELD(TensorDesc, data, daliTensorDesc_t, data);
static_assert(sizeof(ours::Deleter) == sizeof(daliDeleter_t));
SAME_FIELD(Deleter, delete_buffer, daliDeleter_t, delete_buffer);

#define SAME_VALUE(mine, theirs) static_assert(static_cast<int>(mine) == static_cast<int>(theirs))
SAME_VALUE(ours::kSuccess, DALI_SUCCESS);
SAME_VALUE(ours::kDynamicExecutor, DALI_EXEC_DYNAMIC);
SAME_VALUE(ours::Storage::cpu, DALI_STORAGE_CPU);
SAME_VALUE(ours::Storage::gpu, DALI_STORAGE_GPU);
SAME_VALUE(ours::DataType::uint8, DALI_UINT8);
SAME_VALUE(ours::DataType::int32, DALI_INT32);
SAME_VALUE(ours::DataType::fp32, DALI_FLOAT);
SAME_VALUE(ours::Feed::copy, DALI_FEED_INPUT_FORCE_COPY);
SAME_VALUE(ours::Feed::no_copy, DALI_FEED_INPUT_NO_COPY);

/// Returns the first bytes of a struct in which only the flag that `set` sets is 1.
template <class Set>
std::uint64_t bit(Set set) {
  daliPipelineParams_t params{};
  set(params);
  std::uint64_t flags = 0;
  std::memcpy(&flags, &params, sizeof flags);
  return flags;
}

}  // namespace

/// Compares the bit-fields at run time, because the compiler chooses their layout and the layout is
/// not a constant expression.
int main() {
  using Present = ours::PipelineParams;
  const bool same =
      bit([](auto& p) { p.max_batch_size_present = 1; }) == Present::kMaxBatchSize &&
      bit([](auto& p) { p.num_threads_present = 1; }) == Present::kNumThreads &&
      bit([](auto& p) { p.device_id_present = 1; }) == Present::kDeviceId &&
      bit([](auto& p) { p.exec_type_present = 1; }) == Present::kExecType &&
      bit([](auto& p) { p.prefetch_queue_depths_present = 1; }) == Present::kPrefetchDepths;
  return same ? 0 : 1;
}
