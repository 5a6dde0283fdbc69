// SPDX-License-Identifier: Apache-2.0
#include "planner/render.hpp"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "planner/shell_text.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace mustache = kainjow::mustache;
namespace {

constexpr const char* kExtension = ".mustache";

/// A template's text as read, for telling where a name stands.
struct Source {
  std::string file;
  std::string text;
};

Source read_template(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / (name + kExtension);
  return {file.string(), base::read_file(file)};
}

/// Refuses what would get round the quoting: unquoted values and other delimiters.
void check_tags(const Source& source) {
  for (const char* tag : {"{{{", "{{&", "{{="}) {
    for (std::size_t at = source.text.find(tag); at != std::string::npos;
         at = source.text.find(tag, at + 1)) {
      if (source.text.compare(at, 10, "{{{line}}}") == 0) continue;
      throw base::SpecError(base::locate(source.file, source.text, at), "",
                            fmt::format("{} is not allowed here; only {{{{{{line}}}}}} stands "
                                        "unquoted",
                                        tag));
    }
  }
}

/// Where a tag of that name stands in one of the sources.
base::Location find_tag(const std::vector<Source>& sources, const std::string& name) {
  for (const Source& source : sources) {
    for (std::size_t at = source.text.find("{{"); at != std::string::npos;
         at = source.text.find("{{", at + 2)) {
      const std::size_t start = source.text.find_first_not_of("{#^/> ", at);
      if (start != std::string::npos && source.text.compare(start, name.size(), name) == 0 &&
          std::string_view(" }").find(source.text[start + name.size()]) < 2) {
        return base::locate(source.file, source.text, at);
      }
    }
  }
  return {sources.front().file};
}

/// A context that knows partials by their files and answers unknown names with an error.
class StrictContext : public mustache::context<std::string> {
 public:
  StrictContext(const mustache::data& values, const std::vector<std::string>& names,
                const std::map<std::string, std::string>& partials, const fs::path& folder,
                Source source)
      : mustache::context<std::string>(&values),
        names_(names),
        renamed_(partials),
        folder_(folder),
        sources_{std::move(source)} {}
  const mustache::data* get(const std::string& name) const override {
    const mustache::data* found = mustache::context<std::string>::get(name);
    if (found == nullptr) {
      throw base::SpecError(find_tag(sources_, name), "", base::unknown_name("name", name, names_));
    }
    return found;
  }
  const mustache::data* get_partial(const std::string& name) const override {
    const auto known = partials_.find(name);
    if (known != partials_.end()) return &known->second;
    const auto renamed = renamed_.find(name);
    const std::string stem = renamed == renamed_.end() ? name : renamed->second;
    if (!fs::exists(folder_ / (stem + kExtension))) {
      throw base::SpecError(
          find_tag(sources_, name), "",
          fmt::format("no partial {}{} in {}", stem, kExtension, folder_.string()));
    }
    Source source = read_template(folder_, stem);
    check_tags(source);
    std::string text = source.text;
    if (!text.empty() && text.back() == '\n') text.pop_back();  // the tag's own line ends it
    sources_.push_back(std::move(source));
    return &partials_.emplace(name, mustache::data(text)).first->second;
  }

 private:
  const std::vector<std::string>& names_;
  const std::map<std::string, std::string>& renamed_;
  const fs::path& folder_;
  mutable std::vector<Source> sources_;  // filled as partials are asked for, in a const interface
  mutable std::map<std::string, mustache::data> partials_;
};

mustache::data list_of(const std::vector<std::string>& items) {
  mustache::data list(mustache::data::type::list);
  for (const std::string& item : items) list.push_back(mustache::data(item));
  return list;
}

mustache::data lines_of(const std::vector<std::string>& lines) {
  mustache::data list(mustache::data::type::list);
  for (const std::string& line : lines) {
    mark_value(line);  // refuses what would pass for a marked value
    list.push_back(mustache::data("line", line));
  }
  return list;
}

/// The data as mustache wants it; the names go to `names`.
mustache::data to_mustache(const TemplateData& data, std::vector<std::string>& names) {
  mustache::data root;
  const auto set = [&](const std::string& name, const mustache::data& value) {
    root.set(name, value);
    names.push_back(name);
  };
  for (const auto& [name, value] : data.values) set(name, value);
  for (const auto& [name, value] : data.flags) set(name, mustache::data(value));
  for (const auto& [name, value] : data.lists) set(name, list_of(value));
  for (const auto& [name, value] : data.verbatim) set(name, lines_of(value));
  return root;
}

}  // namespace

ScriptTemplate::ScriptTemplate(fs::path folder, const std::string& name)
    : folder_(std::move(folder)) {
  Source source = read_template(folder_, name);
  check_tags(source);
  file_ = std::move(source.file);
  text_ = std::move(source.text);
}

std::string ScriptTemplate::render(const TemplateData& data) const {
  std::vector<std::string> names;
  const mustache::data values = to_mustache(data, names);
  StrictContext context(values, names, data.partials, folder_, {file_, text_});
  mustache::mustache engine(text_);
  engine.set_custom_escape(mark_value);
  const std::string rendered = engine.is_valid() ? engine.render(context) : "";
  if (!engine.is_valid()) throw base::SpecError({file_}, "", engine.error_message());
  return place_values(rendered, file_);
}

}  // namespace dlscale::planner
