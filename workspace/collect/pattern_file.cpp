// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/pattern_file.hpp"

#include "analysis/import/mapped/mapped_file.hpp"
#include "base/file.hpp"

namespace dlscale::workspace {

analysis::MappedFormat read_pattern_file(const std::filesystem::path& file) {
  return analysis::parse_pattern_file(base::read_text_file(file), file.string());
}

}  // namespace dlscale::workspace
