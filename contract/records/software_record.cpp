// SPDX-License-Identifier: Apache-2.0
#include "contract/records/software_record.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.hpp"
#include "contract/json/codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, SoftwareRecord& r) {
  v.sparse("repository", r.repository);
  v.sparse("commit", r.commit);
  v.sparse("difference", r.difference);
  v.sparse("script", r.script);
  v.sparse("script_digest", r.script_digest);
  v.sparse("python", r.python);
  v.sparse("python_path", r.python_path);
  v.sparse("python_variables", r.python_variables);
  v.sparse("packages", r.packages);
  v.sparse("torch", r.torch);
  v.sparse("nccl", r.nccl);
  v.sparse("modules", r.modules);
  v.sparse("driver", r.driver);
}

SoftwareRecord software_from_json(std::string_view text, const std::string& file) {
  codec::Document document;
  return codec::read_object<SoftwareRecord>(text, file, document);
}

std::string packages_file(const SoftwareRecord& record) {
  return fmt::format("packages-{}.txt", record.packages);
}

std::string changes_file(const SoftwareRecord& record) {
  return fmt::format("changes-{}.txt", record.difference);
}

namespace {

/// Returns the digest of each file of the list, by the name of the file.
std::map<std::string, std::string> digests_in(std::string_view list) {
  constexpr std::string_view kSeparator = "  ";
  std::map<std::string, std::string> digests;
  for (const std::string_view line : base::lines_of(list)) {
    const std::size_t digest = line.find(kSeparator);
    if (digest == line.npos) continue;
    digests.emplace(line.substr(digest + kSeparator.size()), line.substr(0, digest));
  }
  return digests;
}

}  // namespace

std::vector<std::string> differing_files(std::string_view first, std::string_view second) {
  const auto a = digests_in(first), b = digests_in(second);
  std::vector<std::string> names;
  std::map<std::string, std::string> all = a;
  all.insert(b.begin(), b.end());
  for (const auto& [name, digest] : all) {
    const auto in_a = a.find(name), in_b = b.find(name);
    const bool is_same = in_a != a.end() && in_b != b.end() && in_a->second == in_b->second;
    if (!is_same) names.push_back(name);
  }
  return names;
}

namespace {

/// Returns the version of each package of the list, by the name of the package. A package that is
/// installed in two folders may have two versions: "1.0 and 2.0".
std::map<std::string, std::string> versions_in(std::string_view list) {
  constexpr std::string_view kSeparator = "==";
  std::map<std::string, std::string> versions;
  for (const std::string_view line : base::lines_of(list)) {
    const std::size_t name = line.find(kSeparator);
    if (name == line.npos) continue;
    std::string& version = versions[std::string(line.substr(0, name))];
    if (!version.empty()) version += " and ";
    version += line.substr(name + kSeparator.size());
  }
  return versions;
}

void add_version(std::string& text, const std::string& name,
                 const std::map<std::string, std::string>& versions) {
  const auto found = versions.find(name);
  if (!text.empty()) text += ", ";
  text += found == versions.end() ? "no " + name : name + " " + found->second;
}

}  // namespace

PackageDifference difference_of_packages(std::string_view first, std::string_view second) {
  constexpr std::size_t kNamed = 3;
  const auto a = versions_in(first), b = versions_in(second);
  std::map<std::string, std::string> all = a;
  all.insert(b.begin(), b.end());
  PackageDifference difference;
  std::size_t count = 0;
  for (const auto& [name, version] : all) {
    const auto in_a = a.find(name), in_b = b.find(name);
    if (in_a != a.end() && in_b != b.end() && in_a->second == in_b->second) continue;
    if (++count > kNamed) continue;
    add_version(difference.first, name, a);
    add_version(difference.second, name, b);
  }
  if (count > kNamed) {
    const std::string others = " and " + base::count_of(count - kNamed, "other package");
    difference.first += others;
    difference.second += others;
  }
  return difference;
}

std::string code_version(const SoftwareRecord& record) {
  constexpr std::size_t kShortHash = 12;
  if (!record.commit.empty()) {
    const std::string commit = record.commit.substr(0, kShortHash);
    return record.difference.empty() ? commit
                                     : fmt::format("{} with changes {}", commit, record.difference);
  }
  if (record.script_digest.empty()) return "";
  return fmt::format("{} {}", std::filesystem::path(record.script).filename().string(),
                     record.script_digest);
}

std::map<std::string, std::string> conditions_of(const SoftwareRecord& record) {
  std::map<std::string, std::string> conditions{
      {"code", code_version(record)}, {"python", record.python}, {"packages", record.packages},
      {"torch", record.torch},        {"nccl", record.nccl},     {"modules", record.modules},
      {"driver", record.driver}};
  std::erase_if(conditions, [](const auto& entry) { return entry.second.empty(); });
  return conditions;
}

std::string change_of(const SoftwareRecord& submitted, const SoftwareRecord& started,
                      const std::string& files) {
  const std::string before = code_version(submitted), after = code_version(started);
  if (!before.empty() && !after.empty() && before != after) {
    return fmt::format("the code changed from {} to {}{}", before, after,
                       files.empty() ? "" : fmt::format(" ({})", files));
  }
  const bool same_python = submitted.python_path == started.python_path &&
                           submitted.python_variables == started.python_variables;
  const bool both = !submitted.packages.empty() && !started.packages.empty();
  if (same_python && both && submitted.packages != started.packages) {
    return fmt::format("the packages of {} changed: compare software/{} with software/{}",
                       started.python_path, packages_file(submitted), packages_file(started));
  }
  return "";
}

}  // namespace dlscale::contract
