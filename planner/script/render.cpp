// SPDX-License-Identifier: Apache-2.0
#include "planner/script/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <kainjow/mustache.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace mustache = kainjow::mustache;
namespace {

using Source = TemplateSource;

Source read_template(const fs::path& file) {
  return {file.string(), base::read_file(file)};
}

/// Throws base::SpecError for template text that would circumvent the quoting of values: tags for
/// unquoted values, tags that change the delimiters, and control characters that place_mark() uses.
void check_tags(const Source& source) {
  refuse_marks(source.text);
  for (const char* tag : {"{{{", "{{&", "{{="}) {
    for (std::size_t at = source.text.find(tag); at != std::string::npos;
         at = source.text.find(tag, at + 1)) {
      if (source.text.compare(at, 10, "{{{line}}}") == 0) continue;
      throw base::SpecError(
          base::locate(source.file, source.text, at), "",
          fmt::format("{} is not allowed here; only {{{{{{line}}}}}} may be unquoted", tag));
    }
  }
}

/// Returns whether the line of a position contains a quote character before the position.
bool after_quotes(const std::string& text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;  // without a newline, npos + 1 is 0
  return text.substr(line, at - line).find_first_of("'\"") != std::string::npos;
}

/// Returns the place of the first tag with this name in the sources. With `quoted`, only tags that
/// follow a quote character on their line count.
base::Location find_tag(const std::vector<Source>& sources, const std::string& name,
                        bool quoted = false) {
  for (const Source& source : sources) {
    for (std::size_t at = source.text.find("{{"); at != std::string::npos;
         at = source.text.find("{{", at + 2)) {
      const std::size_t start = source.text.find_first_not_of("{#^/> ", at);
      if (start != std::string::npos && source.text.compare(start, name.size(), name) == 0 &&
          std::string_view(" }").find(source.text[start + name.size()]) < 2 &&
          (!quoted || after_quotes(source.text, at))) {
        return base::locate(source.file, source.text, at);
      }
    }
  }
  return {sources.front().file};
}

/// Returns the name of the value with this index in the list of values_of(). Returns an empty text
/// for an index out of range.
std::string name_of(const TemplateData& data, std::size_t index) {
  const auto find = [&](const auto& named, auto size_of) -> std::string {
    for (const auto& [name, value] : named) {
      const std::size_t size = size_of(value);
      if (index < size) return std::string(name);
      index -= size;
    }
    return {};
  };
  const auto one = [](const std::string&) { return std::size_t{1}; };
  std::string name = find(data.values, one);
  if (name.empty()) name = find(data.extras, one);
  if (name.empty()) name = find(data.lists, [](const auto& items) { return items.size(); });
  if (name.empty()) name = find(data.expansions, one);
  return name;
}

/// Returns the names of all templates in the folders.
std::vector<std::string> templates_in_any(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    const std::vector<std::string> found = templates_in(folder);
    names.insert(names.end(), found.begin(), found.end());
  }
  return names;
}

/// Converts an error message of mustache, which ends in an offset, to an error at a line and
/// column.
base::SpecError syntax_error(const Source& source, const std::string& complaint) {
  const std::size_t at = complaint.rfind(" at ");
  if (at == std::string::npos) return base::SpecError({source.file}, "", complaint);
  const std::size_t offset = std::strtoul(complaint.c_str() + at + 4, nullptr, 10);
  return base::SpecError(base::locate(source.file, source.text, offset), "",
                         complaint.substr(0, at));
}

std::string names_of(const std::vector<fs::path>& folders) {
  std::string text;
  for (const fs::path& folder : folders) text += (text.empty() ? "" : " or ") + folder.string();
  return text;
}

/// Mustache context that reads partials from files and throws for unknown names.
class StrictContext : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data& values, const std::vector<std::string>& names,
                const Named<std::string>& partials, const std::vector<fs::path>& folders,
                Source source)
      : mustache::context<std::string>(&values),
        root_(values),
        names_(names),
        renamed_(partials),
        folders_(folders),
        sources_{std::move(source)} {}
  const std::vector<Source>& sources() const { return sources_; }
  const mustache::data* get(const std::string& name) const override {
    // Names of axes contain dots, which mustache would take for nested tables.
    const bool dotted = name.size() > 1 && name.find('.') != std::string::npos;
    const mustache::data* found = dotted ? root_.get(name) : nullptr;
    if (found == nullptr) found = mustache::context<std::string>::get(name);
    if (found == nullptr) {
      throw base::SpecError(find_tag(sources_, name), "", base::unknown_name("name", name, names_));
    }
    return found;
  }
  const mustache::data* get_partial(const std::string& name) const override {
    const auto known = partials_.find(name);
    if (known != partials_.end()) return &known->second;
    const auto renamed = std::find_if(renamed_.begin(), renamed_.end(),
                                      [&](const auto& partial) { return partial.first == name; });
    const std::string stem = renamed == renamed_.end() ? name : renamed->second;
    const auto folder = std::find_if(folders_.begin(), folders_.end(), [&](const fs::path& one) {
      return fs::exists(one / (stem + kTemplateExtension));
    });
    if (folder == folders_.end()) {
      const std::string meant = base::nearest(stem, templates_in_any(folders_));
      throw base::SpecError(
          find_tag(sources_, name), "",
          fmt::format("there is no partial {}{} in {}{}", stem, kTemplateExtension,
                      names_of(folders_),
                      meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant)));
    }
    Source source = read_template(*folder / (stem + kTemplateExtension));
    check_tags(source);
    std::string text = source.text;
    // The line of the tag that includes the partial already ends with a newline.
    if (!text.empty() && text.back() == '\n') text.pop_back();
    asked_[name] = partials_in(text);
    sources_.push_back(std::move(source));
    if (reaches(name, name)) {
      throw base::SpecError(find_tag(sources_, name), "",
                            fmt::format("partial {} includes itself", name));
    }
    return &partials_.emplace(name, mustache::data(text)).first->second;
  }

 private:
  /// Returns whether the partial `from` includes the partial `name`, directly or through other
  /// partials. Only partials that were read so far count. None of these partials includes itself,
  /// so the recursion ends.
  bool reaches(const std::string& from, const std::string& name) const {
    const auto asked = asked_.find(from);
    if (asked == asked_.end()) return false;
    return std::any_of(asked->second.begin(), asked->second.end(), [&](const std::string& next) {
      return next == name || reaches(next, name);
    });
  }

  const mustache::data& root_;
  const std::vector<std::string>& names_;
  const Named<std::string>& renamed_;
  const std::vector<fs::path>& folders_;
  mutable std::vector<Source> sources_;  // mutable because the const interface adds partials
  mutable std::map<std::string, mustache::data> partials_;
  // Names of the partials that each partial includes.
  mutable std::map<std::string, std::vector<std::string>> asked_;
};

mustache::data lines_of(const std::vector<std::string>& lines) {
  mustache::data list(mustache::data::type::list);
  for (const std::string& line : lines) {
    refuse_marks(line);
    list.push_back(mustache::data("line", line));
  }
  return list;
}

/// Converts the data for mustache. Values and list items become place marks, numbered in the order
/// of values_of(). Appends all names to `names`.
mustache::data to_mustache(const TemplateData& data, std::vector<std::string>& names) {
  mustache::data root;
  std::size_t marks = 0;
  const auto set = [&](std::string_view name, const mustache::data& value) {
    root.set(std::string(name), value);
    names.emplace_back(name);
  };
  for (const auto& [name, value] : data.values) set(name, place_mark(marks++));
  for (const auto& [name, value] : data.extras) set(name, place_mark(marks++));
  for (const auto& [name, items] : data.lists) {
    mustache::data list(mustache::data::type::list);
    for (std::size_t i = 0; i < items.size(); ++i) list.push_back(place_mark(marks++));
    set(name, list);
  }
  for (const auto& [name, value] : data.expansions) {
    // A parameter with this name replaces the expansion.
    const std::string mark = place_mark(marks++);
    if (!data.extras.contains(std::string(name))) set(name, mark);
  }
  for (const auto& [name, value] : data.flags) set(name, mustache::data(value));
  for (const auto& [name, value] : data.verbatim) set(name, lines_of(value));
  return root;
}

/// Returns the values that replace the place marks of to_mustache(), in the order of the marks.
std::vector<std::string_view> values_of(const TemplateData& data) {
  std::vector<std::string_view> values;
  values.reserve(data.values.size() + data.extras.size());
  for (const auto& [name, value] : data.values) values.push_back(value);
  for (const auto& [name, value] : data.extras) values.push_back(value);
  for (const auto& [name, items] : data.lists) {
    values.insert(values.end(), items.begin(), items.end());
  }
  for (const auto& [name, value] : data.expansions) values.push_back(value);
  return values;
}

/// Returns whether mustache makes the same text with the same place marks from `a` and from `b`.
/// The values themselves may differ.
bool same_shape(const TemplateData& a, const TemplateData& b) {
  const auto same_name = [](const auto& x, const auto& y) { return x.first == y.first; };
  const auto same_size = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.size() == y.second.size();
  };
  return a.flags == b.flags && a.partials == b.partials && a.verbatim == b.verbatim &&
         a.expansions == b.expansions &&
         std::equal(a.lists.begin(), a.lists.end(), b.lists.begin(), b.lists.end(), same_size) &&
         std::equal(a.extras.begin(), a.extras.end(), b.extras.begin(), b.extras.end(),
                    same_name) &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same_name);
}

}  // namespace

std::vector<std::string> templates_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (entry.path().extension() == kTemplateExtension) names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> partials_in(const std::string& text) {
  constexpr std::string_view kTag = "{{>";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kTag); at != std::string::npos; at = text.find(kTag, at + 1)) {
    const std::size_t start = at + kTag.size();
    std::string name = text.substr(start, text.find("}}", start) - start);
    std::erase(name, ' ');
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

ScriptTemplate::ScriptTemplate(fs::path folder, const std::string& name)
    : ScriptTemplate(of_file(folder / (name + kTemplateExtension), folder)) {
  folders_ = {std::move(folder)};
}

ScriptTemplate ScriptTemplate::of_file(const fs::path& file, fs::path folder) {
  ScriptTemplate result;
  Source source = read_template(file);
  check_tags(source);
  result.file_ = std::move(source.file);
  result.text_ = std::move(source.text);
  result.folders_ = {file.parent_path(), std::move(folder)};
  return result;
}

ScriptTemplate ScriptTemplate::of_text(std::string text, std::string file) {
  check_tags({file, text});
  ScriptTemplate result;
  result.file_ = std::move(file);
  result.text_ = std::move(text);
  return result;
}

ScriptTemplate::Compiled ScriptTemplate::compile(const TemplateData& data) const {
  std::vector<std::string> names;
  const mustache::data values = to_mustache(data, names);
  StrictContext context(values, names, data.partials, folders_, {file_, text_});
  mustache::mustache engine(text_);
  engine.set_custom_escape([](const std::string& mark) { return mark; });
  const std::string rendered = engine.is_valid() ? engine.render(context) : "";
  if (!engine.is_valid()) throw syntax_error({file_, text_}, engine.error_message());
  return {data, ScriptText(rendered, file_), context.sources()};
}

const ScriptTemplate::Compiled& ScriptTemplate::compiled_for(const TemplateData& data) {
  for (const Compiled& compiled : compiled_) {
    if (same_shape(compiled.data, data)) return compiled;
  }
  return compiled_.emplace_back(compile(data));
}

std::string ScriptTemplate::render(const TemplateData& data) {
  const Compiled& compiled = compiled_for(data);
  const std::vector<std::string_view> values = values_of(data);
  const std::size_t first_expansion = values.size() - data.expansions.size();
  try {
    return compiled.text.with(values, first_expansion);
  } catch (const UnfitValue& error) {
    const std::string name = name_of(data, error.index);
    const bool quoted = error.key_path().empty();
    UnfitValue named(
        quoted ? find_tag(compiled.sources, name, true) : error.where(), error.key_path(),
        error.index < first_expansion ? error.problem
                                      : fmt::format("{{{{{}}}}}: {}", name, error.problem));
    named.name = name;
    throw named;
  }
}

}  // namespace dlscale::planner
