# SPDX-License-Identifier: Apache-2.0
# Finds LibTorch in the PyPI wheel that tools/setup keeps, or in -DTorch_ROOT=<folder with include/ and lib/>.
# The wheel's own TorchConfig.cmake requires a CUDA toolkit even for CPU use, so this file defines the targets:
#   torch::cpu   libtorch_cpu + libc10
#   torch::cuda  additionally libtorch_cuda + libc10_cuda, together with torch::cudart and torch::nccl.
#                These targets exist only if all parts of CUDA that a program needs are present (tools/setup --cuda).
# No target links libtorch.so, because it depends on libtorch_cuda and all CUDA libraries.
if(NOT Torch_ROOT)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/setup --print-libtorch
    OUTPUT_VARIABLE Torch_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "tools/setup --print-libtorch failed: run tools/setup, or give -DTorch_ROOT=<libtorch>")
  endif()
endif()
find_path(Torch_INCLUDE_DIR torch/csrc/distributed/c10d/reducer.hpp HINTS ${Torch_ROOT}/include NO_CACHE)
find_library(Torch_CPU_LIBRARY torch_cpu HINTS ${Torch_ROOT}/lib NO_DEFAULT_PATH NO_CACHE)
find_library(Torch_C10_LIBRARY c10 HINTS ${Torch_ROOT}/lib NO_DEFAULT_PATH NO_CACHE)
find_library(Torch_CUDA_LIBRARY torch_cuda HINTS ${Torch_ROOT}/lib NO_DEFAULT_PATH NO_CACHE)
find_library(Torch_C10_CUDA_LIBRARY c10_cuda HINTS ${Torch_ROOT}/lib NO_DEFAULT_PATH NO_CACHE)
# CUDA is either in a folder next to the wheel's libraries or in an installed toolkit.
set(cuda_folders ${Torch_ROOT}/../nvidia/cu13 ${Torch_ROOT}/../nvidia/nccl ${Torch_ROOT}
  ${CUDAToolkit_ROOT} $ENV{CUDA_HOME} /usr/local/cuda)
set(cuda_search HINTS ${cuda_folders} NO_DEFAULT_PATH NO_CACHE)
find_library(Torch_CUDART_LIBRARY NAMES libcudart.so.13 PATH_SUFFIXES lib lib64 ${cuda_search})
find_library(Torch_NCCL_LIBRARY NAMES libnccl.so.2 PATH_SUFFIXES lib lib64 ${cuda_search})
find_program(Torch_NVCC NAMES nvcc PATH_SUFFIXES bin ${cuda_search})
find_path(Torch_CUDA_INCLUDE_DIR crt/host_config.h PATH_SUFFIXES include ${cuda_search})
find_path(Torch_NCCL_INCLUDE_DIR nccl.h PATH_SUFFIXES include ${cuda_search})

foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(Torch_INCLUDE_DIR AND NOT Torch_VERSION AND EXISTS ${Torch_INCLUDE_DIR}/${header})
    file(STRINGS ${Torch_INCLUDE_DIR}/${header} parts REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX MATCHALL "[0-9]+" parts "${parts}")
    string(REPLACE ";" "." Torch_VERSION "${parts}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Torch
  REQUIRED_VARS Torch_CPU_LIBRARY Torch_C10_LIBRARY Torch_INCLUDE_DIR VERSION_VAR Torch_VERSION
  REASON_FAILURE_MESSAGE "run tools/setup, or give -DTorch_ROOT=<libtorch>, or build without the trainer: cmake --preset login")

if(Torch_FOUND AND NOT TARGET torch::cpu)
  add_library(torch::c10 SHARED IMPORTED)
  set_target_properties(torch::c10 PROPERTIES IMPORTED_LOCATION ${Torch_C10_LIBRARY})
  add_library(torch::cpu SHARED IMPORTED)
  set_target_properties(torch::cpu PROPERTIES
    IMPORTED_LOCATION ${Torch_CPU_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${Torch_INCLUDE_DIR};${Torch_INCLUDE_DIR}/torch/csrc/api/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${Torch_INCLUDE_DIR};${Torch_INCLUDE_DIR}/torch/csrc/api/include"
    # The wheel contains PyTorch's distributed package, whose headers are empty without the two USE_
    # definitions. The wheel is built with NDEBUG. Without NDEBUG some classes (at::RecordFunction)
    # have more members.
    INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO;$<$<CONFIG:Debug>:NDEBUG>"
    INTERFACE_LINK_LIBRARIES torch::c10
    INTERFACE_LINK_OPTIONS "-Wl,--no-as-needed;-Wl,--allow-shlib-undefined")
  if(Torch_CUDA_LIBRARY AND Torch_C10_CUDA_LIBRARY AND Torch_CUDART_LIBRARY AND Torch_NCCL_LIBRARY AND Torch_NVCC
     AND Torch_CUDA_INCLUDE_DIR AND Torch_NCCL_INCLUDE_DIR)
    foreach(part CUDART NCCL)
      string(TOLOWER ${part} name)
      add_library(torch::${name} SHARED IMPORTED)
      set_target_properties(torch::${name} PROPERTIES
        IMPORTED_LOCATION ${Torch_${part}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${Torch_CUDA_INCLUDE_DIR}
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${Torch_CUDA_INCLUDE_DIR})
    endforeach()
    target_include_directories(torch::nccl SYSTEM INTERFACE ${Torch_NCCL_INCLUDE_DIR})
    add_library(torch::c10_cuda SHARED IMPORTED)
    set_target_properties(torch::c10_cuda PROPERTIES IMPORTED_LOCATION ${Torch_C10_CUDA_LIBRARY})
    add_library(torch::cuda SHARED IMPORTED)
    set_target_properties(torch::cuda PROPERTIES
      IMPORTED_LOCATION ${Torch_CUDA_LIBRARY}
      INTERFACE_LINK_LIBRARIES "torch::cpu;torch::c10_cuda")
  endif()
endif()
