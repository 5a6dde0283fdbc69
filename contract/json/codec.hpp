// SPDX-License-Identifier: Apache-2.0
// Private to contract/: one list of fields per type serves both directions, so that what is
// written and what is read cannot drift apart. A type is codable when a
// `visit_fields(visitor, value)` is found for it; see contract/run_spec/run_spec_fields.hpp.
#pragma once

#include "contract/json/reader.hpp"
#include "contract/json/writer.hpp"
