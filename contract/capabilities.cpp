// SPDX-License-Identifier: Apache-2.0
#include "contract/capabilities.hpp"

#include <algorithm>

#include "contract/json_codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, Capabilities& c) {
  v.required("version", c.version);
  v.optional("built_with", c.built_with);
  v.required("families", c.families);
}

bool Capabilities::has(std::string_view family, std::string_view name) const {
  const auto found = families.find(std::string(family));
  return found != families.end() &&
         std::find(found->second.begin(), found->second.end(), name) != found->second.end();
}

std::string to_json(const Capabilities& capabilities) {
  return codec::to_text(capabilities, codec::kIndented) + "\n";
}

Capabilities capabilities_from_json(std::string_view text, std::string_view file) {
  return codec::read_object<Capabilities>(text, file);
}

}  // namespace dlscale::contract
