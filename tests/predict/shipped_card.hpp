// SPDX-License-Identifier: Apache-2.0
// Reads the model cards that are shipped with dlscale.
#pragma once

#include <string>

#include "base/file.hpp"
#include "contract/records/model_card.hpp"

namespace dlscale::test {

/// Reads a model card by its name, for example "resnet50-3x224x224-1000".
inline contract::ModelCard shipped_card(const std::string& name) {
  const std::string file = DLSCALE_SOURCE_DIR "/share/cards/" + name + ".json";
  return contract::model_card_from_json(base::read_text_file(file), file);
}

}  // namespace dlscale::test
