# SPDX-License-Identifier: Apache-2.0
# Compiles the TOML files of a folder into a library, so that the program does not read these files at run time.
#
#   dlscale_shipped_texts(<target> FOLDER <dir relative to the source tree> NAMESPACE <ns>
#                         ENTRY <EntryType> FUNCTION <function> HEADER <header>)
#
# HEADER must declare  std::span<const EntryType> <function>();  dlscale_shipped_texts() generates the body of this
# function. An entry consists of the name and the text of a file. Each file is a string literal of its own, because
# compilers limit the length of a string literal.
function(dlscale_shipped_texts target)
  cmake_parse_arguments(T "" "FOLDER;NAMESPACE;ENTRY;FUNCTION;HEADER" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${T_FOLDER}/*.toml)
  set(texts "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(APPEND texts "    {\"${name}\", R\"~~~(${text})~~~\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${T_FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
"// SPDX-License-Identifier: Apache-2.0
#include \"@T_HEADER@\"

namespace @T_NAMESPACE@ {

std::span<const @T_ENTRY@> @T_FUNCTION@() {
  static constexpr @T_ENTRY@ kTexts[] = {
@texts@  };
  return kTexts;
}

}  // namespace @T_NAMESPACE@
" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
