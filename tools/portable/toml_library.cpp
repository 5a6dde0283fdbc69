// SPDX-License-Identifier: Apache-2.0
// The library of toml++, compiled from its headers, because Debian 12 has no static one.
#define TOML_HEADER_ONLY 0
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
