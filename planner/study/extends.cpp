// SPDX-License-Identifier: Apache-2.0
#include "planner/study/extends.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "planner/study/overlay.hpp"

namespace dlscale::planner {
namespace {

namespace fs = std::filesystem;

class Reader {
 public:
  Reader(const FileReader& read, std::vector<SourceText>& bases) : read_(read), bases_(bases) {}

  config::Node read(std::string_view text, const std::string& file) {
    chain_.push_back(fs::path(file).lexically_normal());
    config::Node root = config::parse_document(text, file);
    config::Node result{config::Table{}, root.where};
    auto& table = std::get<config::Table>(root.value);
    if (const config::Entry* extends = config::find_key(table, "extends")) {
      const config::Item item{extends->node, "extends"};
      if (item.items().empty()) item.fail("an empty list; name a file, or leave it out");
      for (const config::Item& base : item.items()) overlay(result, read_base(base));
      table.erase(table.begin() + (extends - table.data()));
    }
    overlay(result, root);
    chain_.pop_back();
    return result;
  }

 private:
  config::Node read_base(const config::Item& item) {
    const fs::path beside = fs::path(chain_.back()).parent_path();
    const std::string file = (beside / item.word()).lexically_normal();
    if (std::find(chain_.begin(), chain_.end(), file) != chain_.end()) {
      item.fail(fmt::format("extends itself: {} -> {}", fmt::join(chain_, " -> "), file));
    }
    std::string text;
    try {
      text = read_(file);
    } catch (const base::RunError& error) {
      item.fail(error.what());
    }
    bases_.push_back({file, text});
    return read(text, file);
  }

  const FileReader& read_;
  std::vector<SourceText>& bases_;
  std::vector<std::string> chain_;  // files being read, each named by the one before
};

}  // namespace

config::Node read_extended(std::string_view text, const std::string& file, const FileReader& read,
                           std::vector<SourceText>& bases) {
  return Reader(read, bases).read(text, file);
}

}  // namespace dlscale::planner
