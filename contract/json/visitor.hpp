// SPDX-License-Identifier: Apache-2.0
// Defines which types can be converted to and from JSON: types with one list of fields, which
// serves both directions, so that reading and writing cannot drift apart.
#pragma once

namespace dlscale::contract::codec {

/// Visitor that accepts every field. It tests whether a type has a list of fields.
struct AnyVisitor {
  template <class T>
  void required(const char*, T&) {}
  template <class T>
  void optional(const char*, T&) {}
  template <class T>
  void sparse(const char*, T&) {}
};
/// Type with a function `visit_fields(visitor, value)` that argument-dependent lookup finds. See
/// contract/run_spec/run_spec_fields.hpp.
template <class T>
concept HasFields = requires(AnyVisitor& visitor, T& value) {
  visit_fields(visitor, value);
};

}  // namespace dlscale::contract::codec
