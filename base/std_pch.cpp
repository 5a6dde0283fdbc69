// SPDX-License-Identifier: Apache-2.0
// Provides a source file for the library of the precompiled header.
#include "base/std_pch.hpp"
