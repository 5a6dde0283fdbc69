// SPDX-License-Identifier: Apache-2.0
// What makes a type codable: one list of its fields serves both directions, so that what is written
// and what is read cannot drift apart.
#pragma once

namespace dlscale::contract::codec {

/// A type with a `visit_fields(visitor, value)` found by argument-dependent lookup; see
/// contract/run_spec/run_spec_fields.hpp.
struct AnyVisitor {
  template <class T>
  void required(const char*, T&) {}
  template <class T>
  void optional(const char*, T&) {}
  template <class T>
  void sparse(const char*, T&) {}
};
template <class T>
concept HasFields = requires(AnyVisitor& visitor, T& value) {
  visit_fields(visitor, value);
};

}  // namespace dlscale::contract::codec
