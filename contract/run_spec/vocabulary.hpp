// SPDX-License-Identifier: Apache-2.0
// Every name a study may use for a framework, model, loader, schedule, data set or optimizer.
// A trainer's capabilities narrow these lists; a name outside them is always an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// The families, in the order they are shown:
/// framework, model, loader, lr_schedule, dataset, optimizer, communicator, device.
const std::vector<std::string>& families();

/// The names of one family. Throws base::UsageError for an unknown family.
const std::vector<std::string>& vocabulary(std::string_view family);

bool is_known(std::string_view family, std::string_view name);

/// A name that an extension of this build brings (docs/extending.md).
struct ExtensionName {
  std::string family;
  std::string name;
};

/// They are in the vocabulary as well. CMake generates the list (cmake/Registry.cmake).
const std::vector<ExtensionName>& extension_names();

bool is_from_extension(std::string_view family, std::string_view name);

}  // namespace dlscale::contract
