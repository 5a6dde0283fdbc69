# SPDX-License-Identifier: Apache-2.0
# How our own code is compiled; third-party headers are SYSTEM and not judged.
add_library(dlscale_options INTERFACE)
target_compile_features(dlscale_options INTERFACE cxx_std_20)
# Designated initialisers are meant to leave the rest at its default; g++ 12 sees overlapping copies in
# std::string, uninitialised alternatives in std::variant and, with a precompiled header, accesses outside
# of strings and vectors that are not there (GCC bugs 105651, 105562).
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

# Loops over pixels and gradients are worth vectors of any cost, which -O2 does not make of them; the rest
# gains nothing from -O3 but a tenth of its time to compile.
function(dlscale_vectorise target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()
