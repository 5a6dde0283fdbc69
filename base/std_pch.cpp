// SPDX-License-Identifier: Apache-2.0
// Provides the source file that CMake needs for the library of the precompiled header.
#include "base/std_pch.hpp"
