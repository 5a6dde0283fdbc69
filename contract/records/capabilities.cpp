// SPDX-License-Identifier: Apache-2.0
#include "contract/records/capabilities.hpp"

#include <algorithm>

#include "contract/json/codec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, Traits& t) {
  v.sparse("samples", t.samples);
  v.sparse("task", t.task);
  v.sparse("input_is_target", t.input_is_target);
  v.sparse("smooths_labels", t.smooths_labels);
  v.sparse("is_residual", t.is_residual);
  v.sparse("has_dropout", t.has_dropout);
  v.sparse("is_one_block", t.is_one_block);
  v.sparse("is_generated", t.is_generated);
  v.sparse("augments", t.augments);
  v.sparse("any_size", t.any_size);
  v.sparse("is_in_memory", t.is_in_memory);
  v.sparse("needs_gpu", t.needs_gpu);
  v.sparse("shape", t.shape);
  v.sparse("train_samples", t.train_samples);
  v.sparse("smallest_side", t.smallest_side);
  v.sparse("side_multiple", t.side_multiple);
  v.sparse("channels", t.channels);
  v.sparse("blocks", t.blocks);
}

template <class Visitor>
void visit_fields(Visitor& v, Capabilities& c) {
  v.required("version", c.version);
  v.optional("built_with", c.built_with);
  v.required("families", c.families);
  v.sparse("traits", c.traits);
}

bool Capabilities::has(std::string_view family, std::string_view name) const {
  const auto found = families.find(std::string(family));
  return found != families.end() &&
         std::find(found->second.begin(), found->second.end(), name) != found->second.end();
}

const Traits* Capabilities::traits_of(const std::string& family, const std::string& name) const {
  const auto names = traits.find(family);
  if (names == traits.end()) return nullptr;
  const auto found = names->second.find(name);
  return found == names->second.end() ? nullptr : &found->second;
}

std::string to_json(const Capabilities& capabilities) {
  return codec::to_text(capabilities, codec::kIndented) + "\n";
}

Capabilities capabilities_from_json(std::string_view text, std::string_view file) {
  return codec::read_object<Capabilities>(text, file);
}

}  // namespace dlscale::contract
