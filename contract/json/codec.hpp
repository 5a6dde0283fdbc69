// SPDX-License-Identifier: Apache-2.0
// Types to JSON text and back, by one list of their fields.
#pragma once

#include "contract/json/reader.hpp"
#include "contract/json/writer.hpp"
