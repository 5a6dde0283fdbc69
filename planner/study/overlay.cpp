// SPDX-License-Identifier: Apache-2.0
#include "planner/study/overlay.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "planner/study/axes_reader.hpp"
#include "planner/study/settings.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

class OverlayReader {
 public:
  OverlayReader(const FileReader& read, std::vector<SourceText>& bases)
      : read_(read), bases_(bases) {}

  config::Node read(std::string_view text, const std::string& file) {
    chain_.push_back(fs::path(file).lexically_normal());
    config::Node root = config::parse_document(text, file);
    config::Node result{config::Table{}, root.where};
    auto& table = std::get<config::Table>(root.value);
    if (const config::Entry* extends = config::find_key(table, "extends")) {
      const config::Item item{extends->node, "extends"};
      if (item.items().empty()) item.fail("the list is empty; name a file, or leave the key out");
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
      item.fail(fmt::format("the file extends itself: {} -> {}", fmt::join(chain_, " -> "), file));
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
  std::vector<std::string> chain_;  // files being read; each file extends the next
};

}  // namespace

config::Node read_extended(std::string_view text, const std::string& file, const FileReader& read,
                           std::vector<SourceText>& bases) {
  return OverlayReader(read, bases).read(text, file);
}

namespace {

constexpr std::string_view kAppended[] = {"zip", "include", "exclude", "override", "substudy"};

bool is_group(const config::Node& node) {
  return std::holds_alternative<config::Table>(node.value) && !is_range(node);
}

/// Adds the dotted names of all values in a table to `names`. Free parameters and
/// environment variables may have the names of a range's keys, so their tables are never taken for
/// ranges.
void add_names(const config::Node& node, const std::string& prefix, std::set<std::string>& names) {
  const auto* table = std::get_if<config::Table>(&node.value);
  if (table == nullptr) return;
  for (const config::Entry& entry : *table) {
    const std::string name = prefix + entry.key;
    if (name == "parameters" || name == "environment" || is_group(entry.node)) {
      add_names(entry.node, name + ".", names);
    } else {
      names.insert(name);
    }
  }
}

std::set<std::string> names_in(const config::Node& root, std::string_view section) {
  std::set<std::string> names;
  const auto* table = std::get_if<config::Table>(&root.value);
  const config::Entry* entry = table == nullptr ? nullptr : config::find_key(*table, section);
  if (entry == nullptr) return names;
  if (const auto* list = std::get_if<config::List>(&entry->node.value)) {
    for (const config::Node& item : *list) add_names(item, "", names);
  } else {
    add_names(entry->node, "", names);
  }
  return names;
}

config::Entry* find(config::Table& table, std::string_view key) {
  return const_cast<config::Entry*>(config::find_key(table, key));
}

/// Removes a dotted key, and each table that the removal leaves empty.
void erase(config::Node& node, std::string_view name) {
  auto* table = std::get_if<config::Table>(&node.value);
  if (table == nullptr) return;
  const std::size_t dot = name.find('.');
  config::Entry* entry = find(*table, name.substr(0, dot));
  if (entry == nullptr) return;
  if (dot != std::string_view::npos) {
    erase(entry->node, name.substr(dot + 1));
    const auto* inside = std::get_if<config::Table>(&entry->node.value);
    if (inside == nullptr || !inside->empty()) return;
  }
  table->erase(table->begin() + (entry - table->data()));
}

void erase_in(config::Node& root, std::string_view section, const std::string& name) {
  config::Entry* entry = find(std::get<config::Table>(root.value), section);
  if (entry != nullptr) erase(entry->node, name);
}

/// Removes an axis from the zips of `base`, and each zip that the removal leaves empty.
void erase_zipped(config::Node& base, const std::string& name) {
  config::Entry* entry = find(std::get<config::Table>(base.value), "zip");
  auto* zips = entry == nullptr ? nullptr : std::get_if<config::List>(&entry->node.value);
  if (zips == nullptr) return;
  for (config::Node& zip : *zips) erase(zip, name);
  std::erase_if(*zips, [](const config::Node& zip) {
    const auto* table = std::get_if<config::Table>(&zip.value);
    return table != nullptr && table->empty();
  });
}

/// Removes a setting from `base` if `top` gives the setting in another section, or gives the
/// alternative of the setting, such as global_batch for batch_per_gpu.
void erase_replaced(config::Node& base, const config::Node& top) {
  const std::set<std::string> axes = names_in(top, "matrix"), zipped = names_in(top, "zip"),
                              settings = names_in(top, "training");
  std::set<std::string> all = axes;
  all.insert(zipped.begin(), zipped.end());
  all.insert(settings.begin(), settings.end());
  for (const std::string& name : all) {
    if (axes.count(name) == 0) erase_in(base, "matrix", name);
    if (settings.count(name) == 0) erase_in(base, "training", name);
    erase_zipped(base, name);
  }
  for (const auto& [one, other] : alternatives()) {
    for (const auto& [given, gone] : {std::pair(one, other), std::pair(other, one)}) {
      if (all.count(given) == 0 || all.count(gone) != 0) continue;
      erase_in(base, "matrix", gone);
      erase_in(base, "training", gone);
    }
  }
}

config::List as_list(const config::Node& node) {
  if (const auto* list = std::get_if<config::List>(&node.value)) return *list;
  return {node};
}

std::string name_of(const config::Node& substudy) {
  const auto* table = std::get_if<config::Table>(&substudy.value);
  const config::Entry* name = table == nullptr ? nullptr : config::find_key(*table, "name");
  const auto* text = name == nullptr ? nullptr : std::get_if<std::string>(&name->node.value);
  return text == nullptr ? std::string() : *text;
}

/// Returns the list `base` followed by the items of `top`. A sub-study of `top` with the name of a
/// sub-study of `base` is merged into that sub-study instead.
config::List appended(config::List base, const config::List& top, bool are_substudies) {
  const std::size_t of_base = base.size();
  for (const config::Node& item : top) {
    const std::string name = are_substudies ? name_of(item) : std::string();
    const auto end = base.begin() + static_cast<std::ptrdiff_t>(of_base);
    const auto same = std::find_if(base.begin(), end, [&](const config::Node& known) {
      return !name.empty() && name_of(known) == name;
    });
    if (same == end) {
      base.push_back(item);
    } else {
      overlay(*same, item);
    }
  }
  return base;
}

void merge(config::Node& base, const config::Node& top, bool is_root) {
  auto& table = std::get<config::Table>(base.value);
  for (const config::Entry& entry : std::get<config::Table>(top.value)) {
    config::Entry* known = find(table, entry.key);
    if (known == nullptr) {
      table.push_back(entry);
    } else if (is_root && std::find(std::begin(kAppended), std::end(kAppended), entry.key) !=
                              std::end(kAppended)) {
      known->node = {appended(as_list(known->node), as_list(entry.node), entry.key == "substudy"),
                     entry.node.where};
    } else if (is_group(known->node) && is_group(entry.node)) {
      merge(known->node, entry.node, false);
    } else {
      *known = entry;
    }
  }
  base.where = top.where;
}

}  // namespace

void overlay(config::Node& base, const config::Node& top) {
  erase_replaced(base, top);
  merge(base, top, true);
}

}  // namespace dlscale::planner
