// SPDX-License-Identifier: Apache-2.0
// Includes the reader and the writer that convert types to JSON text and back by one list of
// fields.
#pragma once

#include "contract/json/reader.hpp"
#include "contract/json/writer.hpp"
