// SPDX-License-Identifier: Apache-2.0
// Includes the JSON reader and the JSON writer. Both use the same list of fields of a type.
#pragma once

#include "contract/json/reader.hpp"
#include "contract/json/writer.hpp"
