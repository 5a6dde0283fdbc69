# SPDX-License-Identifier: Apache-2.0
# Writes the files of a folder into a C++ source file, so that the trainer needs none of these files at run time.
#   cmake -DFOLDER=<folder with *.bin> -DOUT=<file.cpp> -P embed.cmake
file(GLOB files ${FOLDER}/*.bin)
set(arrays)
set(rows)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  string(MAKE_C_IDENTIFIER ${name} array)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND arrays "constexpr char ${array}[] =\n    \"${bytes}\";\n")
  string(APPEND rows "    {\"${name}\", {${array}, sizeof ${array} - 1}},\n")
endforeach()
file(WRITE ${OUT}.part "// Made by trainer/data/dali/embed.cmake; what it is made from: make_pipelines.py beside it.
#include \"trainer/data/dali/pipeline.hpp\"
namespace dlscale::trainer::dali {
namespace {
${arrays}constexpr ShippedPipeline kAll[] = {
${rows}};
}  // namespace
std::span<const ShippedPipeline> shipped_pipelines() { return kAll; }
}  // namespace dlscale::trainer::dali
")
file(RENAME ${OUT}.part ${OUT})
