# SPDX-License-Identifier: Apache-2.0
# CMake functions for families. A family is a table of named members, such as the optimizers. A new
# member needs one .cpp file and one word in the list of the family.
#
#   dlscale_family(<target> NAMESPACE <ns> ENTRY <EntryType> HEADER <header>
#                  FUNCTION <table_function> FOLDER <dir relative to the source tree>
#                  MEMBERS <name>... [ELSEWHERE <name>...] [FILES <name>...] [ALONE])
#
# The function compiles FOLDER/<name>.cpp of each member into <target>. The file must define
#   extern constinit const <EntryType> <name>_entry{...};   (or: extern const … if constinit is not possible)
# FILES names files that define several related members. Such members need no separate file.
# With ALONE each file is compiled separately, so that several files may use the same internal names.
# ELSEWHERE names members of the table whose file belongs to another library of the program.
# HEADER must declare  base::Table<EntryType> <table_function>();  dlscale_family() generates its body.
# (The linker would drop self-registering objects from static libraries, but it keeps a generated table.)
function(dlscale_family target)
  cmake_parse_arguments(F "ALONE" "FUNCTION;FOLDER" "MEMBERS;ELSEWHERE;FILES" ${ARGN})
  string(REGEX REPLACE "_table$" "" family ${F_FUNCTION})
  set_property(GLOBAL PROPERTY DLSCALE_FAMILY_${family} "${ARGN}")
  dlscale_table(${target} ${family})
  foreach(name IN LISTS F_MEMBERS F_FILES)
    set(file ${PROJECT_SOURCE_DIR}/${F_FOLDER}/${name}.cpp)
    if(F_FILES AND NOT EXISTS ${file})
      if(name IN_LIST F_FILES)
        message(FATAL_ERROR "${file} is missing, which FILES of ${F_FUNCTION} names")
      endif()
      continue()
    endif()
    target_sources(${target} PRIVATE ${file})
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ${F_ALONE})
  endforeach()
endfunction()

# Compiles the files of a target eight at a time, so that shared headers are compiled once for eight
# files. The option DLSCALE_UNITY=OFF disables this grouping.
function(dlscale_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DLSCALE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  # The generated file includes source files. GCC treats these source files as headers and warns
  # about types that contain types from unnamed namespaces.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Extensions add members to families. DLSCALE_EXTENSIONS names the folders of extensions, which may be outside the
# source tree. The file extension.cmake in such a folder calls
#
#   dlscale_extend(<family> <name>...)      for each <name>.cpp in the same folder
#
# (docs/extending.md). Extensions may extend only families whose member names appear in a study.
set(DLSCALE_EXTENDED_FAMILIES model dataset lr_schedule optimizer loader all_reduce)

function(dlscale_extend family)
  if(NOT family IN_LIST DLSCALE_EXTENDED_FAMILIES)
    list(JOIN DLSCALE_EXTENDED_FAMILIES ", " known)
    message(FATAL_ERROR "there is no family \"${family}\" to extend (there are: ${known})")
  endif()
  foreach(name IN LISTS ARGN)
    set(file ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is missing, which is to extend the family ${family}")
    endif()
    list(APPEND DLSCALE_OWN_${family} ${file})
  endforeach()
  list(REMOVE_DUPLICATES DLSCALE_OWN_${family})
  set(DLSCALE_OWN_${family} ${DLSCALE_OWN_${family}} PARENT_SCOPE)
endfunction()

# Generates the table of a family, and compiles the table and the members from extensions into
# <target>. The target is either the library of the family or a set of objects that are linked into
# a program. In a program with such objects, the linker uses the table from the objects instead of
# the table from the library.
function(dlscale_table target family)
  get_property(said GLOBAL PROPERTY DLSCALE_FAMILY_${family})
  cmake_parse_arguments(F "ALONE" "NAMESPACE;ENTRY;HEADER;FUNCTION;FOLDER" "MEMBERS;ELSEWHERE;FILES" ${said})
  set(members ${F_MEMBERS} ${F_ELSEWHERE})
  foreach(file IN LISTS DLSCALE_OWN_${family})
    cmake_path(GET file STEM LAST_ONLY name)
    if(name IN_LIST members)
      message(FATAL_ERROR "${file}: the family ${family} has a member ${name}; take another name")
    endif()
    list(APPEND members ${name})
    target_sources(${target} PRIVATE ${file})
    # Each file of an extension is compiled separately, so that the file may use any internal names.
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  set(declarations "")
  set(rows "")
  foreach(member IN LISTS members)
    string(APPEND declarations "extern const ${F_ENTRY} ${member}_entry;\n")
    string(APPEND rows "&${member}_entry, ")
  endforeach()
  set(generated ${PROJECT_BINARY_DIR}/generated/${target}/${F_FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[// Generated by cmake/Registry.cmake.
#include "@F_HEADER@"

namespace @F_NAMESPACE@ {

@declarations@
base::Table<@F_ENTRY@> @F_FUNCTION@() {
  static const @F_ENTRY@* const rows[] = {@rows@};
  return rows;
}

}  // namespace @F_NAMESPACE@
]])
  target_sources(${target} PRIVATE ${generated})
  # The table is in a separate object, so that the linker can omit it from programs that contain another table.
  set_source_files_properties(${generated} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Generates the list of names that extensions add to the vocabulary, and compiles the list into <target>.
function(dlscale_extension_names target)
  set(rows "")
  foreach(family IN LISTS DLSCALE_EXTENDED_FAMILIES)
    foreach(file IN LISTS DLSCALE_OWN_${family})
      cmake_path(GET file STEM LAST_ONLY name)
      string(APPEND rows "{\"${family}\", \"${name}\"}, ")
    endforeach()
  endforeach()
  set(generated ${PROJECT_BINARY_DIR}/generated/${target}/extension_names.cpp)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[// Generated by cmake/Registry.cmake.
#include "contract/run_spec/vocabulary.hpp"

namespace dlscale::contract {

const std::vector<ExtensionName>& extension_names() {
  static const std::vector<ExtensionName> names{@rows@};
  return names;
}

}  // namespace dlscale::contract
]])
  target_sources(${target} PRIVATE ${generated})
  # The list is in a separate object, so that the linker can omit it from programs that contain another list.
  set_source_files_properties(${generated} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
