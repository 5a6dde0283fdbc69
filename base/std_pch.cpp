// SPDX-License-Identifier: Apache-2.0
// Gives the precompiled header a library.
#include "base/std_pch.hpp"
