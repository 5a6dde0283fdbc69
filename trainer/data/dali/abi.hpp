// SPDX-License-Identifier: Apache-2.0
// The part of NVIDIA DALI's C API (dali/dali.h of DALI 2.x) that the loaders call: declared here,
// so that a build needs nothing of DALI, and compared with DALI's own header by a test.
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

/// daliResult_t: 0 is success, errors have the highest bit.
using Result = std::int32_t;
inline constexpr Result kSuccess = 0;

/// daliStorageDevice_t.
enum class Storage : std::int32_t { cpu = 0, gpu = 1 };

/// daliDataType_t.
enum class DataType : std::int32_t { uint8 = 0, int32 = 6, fp32 = 9 };

/// daliExecType_t: DALI_EXEC_DYNAMIC, whose outputs live until they are given back.
inline constexpr std::int32_t kDynamicExecutor = 1 | 2 | 8;

/// daliFeedInputFlags_t.
enum class Feed : std::int32_t { copy = 2, no_copy = 4 };

/// daliPipelineParams_t: what `present` names replaces what the serialized pipeline says.
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

/// daliBufferPlacement_t.
struct Placement {
  Storage device_type;
  int device_id;
  bool pinned;
};

/// daliDeleter_t; cudaStream_t is a pointer.
struct Deleter {
  void* context;
  void (*destroy_context)(void* context);
  void (*delete_buffer)(void* context, void* data, void* const* stream);
};

/// daliTensorDesc_t.
struct TensorDesc {
  int ndim;
  const std::int64_t* shape;
  DataType dtype;
  const char* layout;
  void* data;
};

/// The functions by their names in DALI, without "dali".
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
