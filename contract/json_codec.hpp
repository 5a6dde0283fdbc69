// SPDX-License-Identifier: Apache-2.0
// Private to contract/*.cpp: one list of fields per type serves both directions, so that what is
// written and what is read cannot drift apart. A type is codable when a
// `visit_fields(visitor, value)` is found for it; see contract/run_spec_fields.hpp.
#pragma once

#include "contract/json_reader.hpp"
#include "contract/json_writer.hpp"
