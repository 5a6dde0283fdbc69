// SPDX-License-Identifier: Apache-2.0
// Macro that compiles a function for several instruction sets.
//
// When the program starts, the dynamic loader selects the version for the processor.
#pragma once

#ifdef __x86_64__
#define DLSCALE_FOR_EACH_PROCESSOR \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DLSCALE_FOR_EACH_PROCESSOR
#endif
