// SPDX-License-Identifier: Apache-2.0
// What is precompiled for the files that do not see LibTorch: nearly all include most of it, a
// third of the time of a small file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
