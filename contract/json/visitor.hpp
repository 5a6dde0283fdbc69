// SPDX-License-Identifier: Apache-2.0
// Defines the types that can be converted to and from JSON. Each type has one list of fields for
// reading and writing, so that both directions always use the same keys.
#pragma once

namespace dlscale::contract::codec {

/// Visitor that accepts every field. HasFields uses it to test whether a type has a list of fields.
struct AnyVisitor {
  template <class T>
  void required(const char*, T&) {}
  template <class T>
  void optional(const char*, T&) {}
  template <class T>
  void sparse(const char*, T&) {}
};
/// Type with a function `visit_fields(visitor, value)` that argument-dependent lookup finds.
/// contract/run_spec/run_spec_fields.hpp contains examples.
template <class T>
concept HasFields = requires(AnyVisitor& visitor, T& value) {
  visit_fields(visitor, value);
};

}  // namespace dlscale::contract::codec
