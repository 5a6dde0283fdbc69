// SPDX-License-Identifier: Apache-2.0
#include "contract/records/safetensors_header.hpp"

#include <algorithm>
#include <tuple>

#include "contract/json/codec.hpp"

namespace dlscale::contract {
namespace {

constexpr std::string_view kMetadata = "__metadata__";

/// Description of a tensor in the file, without its name.
struct Description {
  std::string type;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offsets;
};

template <class Visitor>
void visit_fields(Visitor& v, Description& d) {
  v.required("dtype", d.type);
  v.required("shape", d.shape);
  v.required("data_offsets", d.offsets);
}

SafetensorsEntry entry_of(std::string_view name, codec::Value value,
                          const codec::JsonPlace& place) {
  Description description;
  codec::from_value(value, description, place);
  const auto& offsets = description.offsets;
  if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0]) {
    place.inside("data_offsets")
        .fail("must be two byte offsets: the start and the end of the data");
  }
  if (std::ranges::any_of(description.shape, [](std::int64_t size) { return size < 0; })) {
    place.inside("shape").fail("must not contain negative sizes");
  }
  return {std::string(name), description.type, description.shape, offsets[0], offsets[1]};
}

void require_one_after_the_other(const std::vector<SafetensorsEntry>& entries,
                                 const codec::JsonPlace& root) {
  std::int64_t end = 0;
  const SafetensorsEntry* before = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    const codec::JsonPlace place = root.inside(entry.name);
    if (entry.begin < end) place.fail("the data overlaps the data of " + before->name);
    if (entry.begin > end) {
      place.fail("the data begins at byte " + std::to_string(entry.begin) +
                 ", but the preceding data ends at byte " + std::to_string(end));
    }
    end = entry.end;
    before = &entry;
  }
}

}  // namespace

std::vector<SafetensorsEntry> safetensors_header_from_json(std::string_view text,
                                                           std::string_view file) {
  codec::Document document;
  const codec::JsonPlace root{file};
  const codec::Members members = codec::members_of(document.parse(text, file), root);
  std::vector<SafetensorsEntry> entries;
  for (const codec::Member& member : members) {
    if (member.key == kMetadata) continue;
    entries.push_back(entry_of(member.key, member.value, root.inside(member.key)));
  }
  std::ranges::sort(entries, {},
                    [](const SafetensorsEntry& entry) { return std::tie(entry.begin, entry.end); });
  require_one_after_the_other(entries, root);
  return entries;
}

std::string to_json(const std::vector<SafetensorsEntry>& entries) {
  codec::TextWriter header(codec::kOneLine);
  header.open('{');
  for (const SafetensorsEntry& entry : entries) {
    header.member(entry.name, Description{entry.type, entry.shape, {entry.begin, entry.end}});
  }
  header.close('}');
  return header.release_text();
}

}  // namespace dlscale::contract
