// SPDX-License-Identifier: Apache-2.0
// Declarations of the part of NVIDIA DALI's C API (dali/dali.h of DALI 2.x) that the loaders call.
// These copies let dlscale build without DALI. A test compares the copies with DALI's own header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dlscale::trainer::dali {

struct PipelineObject;
struct OutputsObject;
struct TensorListObject;
using PipelineHandle = PipelineObject*;
using OutputsHandle = OutputsObject*;
using TensorListHandle = TensorListObject*;

/// Status code daliResult_t. 0 is success, and errors have the highest bit set.
using Result = std::int32_t;
inline constexpr Result kSuccess = 0;

/// Enumeration daliStorageDevice_t.
enum class Storage : std::int32_t { cpu = 0, gpu = 1 };

/// Enumeration daliDataType_t.
enum class DataType : std::int32_t { uint8 = 0, int32 = 6, fp32 = 9 };

/// Value DALI_EXEC_DYNAMIC of daliExecType_t. The outputs of this executor live until the caller
/// releases them.
inline constexpr std::int32_t kDynamicExecutor = 1 | 2 | 8;

/// Enumeration daliFeedInputFlags_t.
enum class Feed : std::int32_t { copy = 2, no_copy = 4 };

/// Structure daliPipelineParams_t. A field has an effect only if its bit is set in `present`. The
/// field then overrides the value in the serialized pipeline.
struct PipelineParams {
  enum Present : std::uint64_t {
    kMaxBatchSize = 1U << 0,
    kNumThreads = 1U << 1,
    kDeviceId = 1U << 2,
    kExecType = 1U << 4,
    kPrefetchDepths = 1U << 6,
  };
  std::uint64_t present;
  int max_batch_size;
  int num_threads;
  int device_id;
  std::int64_t seed;
  std::int32_t exec_type;
  std::int32_t exec_flags;
  int prefetch_cpu, prefetch_gpu;
  bool enable_checkpointing;
  bool enable_memory_stats;
  std::size_t bytes_per_sample_hint;
};

/// Structure daliBufferPlacement_t.
struct Placement {
  Storage device_type;
  int device_id;
  bool pinned;
};

/// Structure daliDeleter_t. cudaStream_t is a pointer.
struct Deleter {
  void* context;
  void (*destroy_context)(void* context);
  void (*delete_buffer)(void* context, void* data, void* const* stream);
};

/// Structure daliTensorDesc_t.
struct TensorDesc {
  int ndim;
  const std::int64_t* shape;
  DataType dtype;
  const char* layout;
  void* data;
};

/// Functions of DALI, named as in DALI but without the prefix "dali".
struct Functions {
  Result (*Init)();
  const char* (*GetLastErrorMessage)();
  Result (*PipelineDeserialize)(PipelineHandle*, const void*, std::size_t, const PipelineParams*);
  Result (*PipelineDestroy)(PipelineHandle);
  Result (*PipelineBuild)(PipelineHandle);
  Result (*PipelineFeedInput)(PipelineHandle, const char*, TensorListHandle, const char*, Feed,
                              void* const*);
  Result (*PipelineRun)(PipelineHandle);
  Result (*PipelinePopOutputs)(PipelineHandle, OutputsHandle*);
  Result (*PipelineOutputsGet)(OutputsHandle, TensorListHandle*, int);
  Result (*PipelineOutputsDestroy)(OutputsHandle);
  Result (*TensorListCreate)(TensorListHandle*, Placement);
  Result (*TensorListAttachSamples)(TensorListHandle, int, int, DataType, const char*,
                                    const TensorDesc*, const Deleter*);
  Result (*TensorListAttachBuffer)(TensorListHandle, int, int, const std::int64_t*, DataType,
                                   const char*, void*, const std::ptrdiff_t*, Deleter);
  Result (*TensorListGetTensorDesc)(TensorListHandle, TensorDesc*, int);
  Result (*TensorListGetShape)(TensorListHandle, int*, int*, const std::int64_t**);
  Result (*TensorListDecRef)(TensorListHandle, int*);
};

}  // namespace dlscale::trainer::dali
