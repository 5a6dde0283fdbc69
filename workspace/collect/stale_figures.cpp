// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/stale_figures.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Digests of files by name.
using Digests = std::map<std::string, std::string>;

/// Returns the digests of the list, which has the format of sha256sum. Skips lines that do not name
/// a file in the folder itself.
Digests read_list(const fs::path& list) {
  Digests digests;
  if (!fs::exists(list)) return digests;
  std::istringstream lines(base::read_file(list));
  for (std::string digest, name; lines >> digest && std::getline(lines >> std::ws, name);) {
    if (fs::path(name).filename() == name) digests[name] = digest;
  }
  return digests;
}

void write_list(const fs::path& list, const Digests& digests) {
  std::string text;
  for (const auto& [name, digest] : digests) text.append(digest).append("  ").append(name) += '\n';
  if (!text.empty()) {
    base::write_file_if_changed(list, text);
  } else {
    std::error_code ignored;
    fs::remove(list, ignored);
  }
}

bool is_unchanged(const fs::path& file, const std::string& digest) {
  std::error_code unreadable;
  return fs::is_regular_file(fs::symlink_status(file, unreadable)) &&
         contract::sha256_hex(base::read_file(file)) == digest;
}

}  // namespace

std::vector<std::string> remove_stale_figures(const contract::PlanDir& folder,
                                              const std::vector<fs::path>& written) {
  const fs::path list = folder.collected_figures();
  Digests kept;
  std::set<std::string> drawn;  // names of the figures, without the endings of their files
  for (const fs::path& file : written) {
    kept[file.filename().string()] = contract::sha256_hex(base::read_file(file));
    drawn.insert(file.stem().string());
  }
  std::vector<std::string> removed;
  std::error_code failed;
  for (const auto& [name, digest] : read_list(list)) {
    const fs::path file = folder.figures() / name;
    if (drawn.contains(file.stem().string())) {
      kept.try_emplace(name, digest);
    } else if (is_unchanged(file, digest) && fs::remove(file, failed)) {
      removed.push_back(name);
    }
  }
  write_list(list, kept);
  return removed;
}

}  // namespace dlscale::workspace
