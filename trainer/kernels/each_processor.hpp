// SPDX-License-Identifier: Apache-2.0
// A function so marked is compiled for several instruction sets; the processor's is taken when the
// program is loaded.
#pragma once

#ifdef __x86_64__
#define DLSCALE_FOR_EACH_PROCESSOR \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DLSCALE_FOR_EACH_PROCESSOR
#endif
