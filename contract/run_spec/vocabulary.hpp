// SPDX-License-Identifier: Apache-2.0
// Lists every name that a study may use for a framework, model, loader, schedule, data set or
// optimizer. A build of the trainer may support only some of these names. A name outside these
// lists is always an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Returns the families in the order in which they are shown: framework, model, loader,
/// lr_schedule, dataset, optimizer, all_reduce, communicator, device, log_format.
const std::vector<std::string>& families();

/// Returns the names of one family. Throws base::UsageError for an unknown family.
const std::vector<std::string>& vocabulary(std::string_view family);

bool is_known(std::string_view family, std::string_view name);

/// Name that an extension adds to this build (docs/extending.md).
struct ExtensionName {
  std::string family;
  std::string name;
};

/// Returns the names that extensions add. The vocabulary also contains them. CMake generates the
/// list (cmake/Registry.cmake).
const std::vector<ExtensionName>& extension_names();

bool is_from_extension(std::string_view family, std::string_view name);

}  // namespace dlscale::contract
