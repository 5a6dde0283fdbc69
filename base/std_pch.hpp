// SPDX-License-Identifier: Apache-2.0
// Lists the headers that are precompiled for the files without LibTorch. Nearly all of these files
// include most of the headers. Parsing them would take a third of the compile time of a small file.
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
