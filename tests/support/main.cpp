// SPDX-License-Identifier: Apache-2.0
// Catch's main for every test program.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
