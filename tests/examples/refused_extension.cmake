# SPDX-License-Identifier: Apache-2.0
# Extension with an error. The option -DWRONG=<kind> selects the kind of error.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/Registry.cmake)
if(WRONG STREQUAL unknown_family)
  dlscale_extend(modle net)
elseif(WRONG STREQUAL missing_file)
  dlscale_extend(dataset nowhere)
elseif(WRONG STREQUAL taken_name)
  include(${CMAKE_CURRENT_LIST_DIR}/../../examples/extension/extension.cmake)
  dlscale_family(nets ENTRY Net FUNCTION model_table FOLDER nets MEMBERS mlp conv_mixer)
endif()
