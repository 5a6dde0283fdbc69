# SPDX-License-Identifier: Apache-2.0
# Compiler options for dlscale's own code. Third-party headers are SYSTEM headers and cause no warnings.
add_library(dlscale_options INTERFACE)
target_compile_features(dlscale_options INTERFACE cxx_std_20)
# Designated initialisers intentionally leave the remaining members at their defaults. g++ 12 reports faults that do
# not exist: overlapping copies in std::string, uninitialised alternatives in std::variant and, with a precompiled
# header, accesses outside strings and vectors (GCC bugs 105651, 105562).
target_compile_options(dlscale_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dlscale_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds
    -Wno-stringop-overread -Wno-stringop-overflow)
endif()
if(DLSCALE_WERROR)
  target_compile_options(dlscale_options INTERFACE -Werror)
endif()
if(DLSCALE_SANITIZE)
  target_compile_options(dlscale_options INTERFACE -fsanitize=${DLSCALE_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(dlscale_options INTERFACE -fsanitize=${DLSCALE_SANITIZE})
endif()
target_include_directories(dlscale_options INTERFACE ${PROJECT_SOURCE_DIR})

# Compiles a target with -O3. The compiler then vectorises loops over pixels and gradients, which
# -O2 leaves scalar because of its cost model. Other code does not become faster with -O3, but takes
# 10 % longer to compile.
function(dlscale_vectorise target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()
