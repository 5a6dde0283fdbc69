// SPDX-License-Identifier: Apache-2.0
// Small study whose model has a model card, for tests of `dlscale predict`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/dlscale_program.hpp"
#include "tests/predict/made_card.hpp"

namespace dlscale::test {

inline const std::string kPredictedStudy = R"(
[study]
name = "small"
scaling = "weak"
[matrix]
framework = ["synchronous", "ddp"]
model = ["mlp"]
gpus = [1, 2, 4, 8]
batch_per_gpu = [32]
[training]
dataset = { kind = "cifar10", path = "data" }
epochs = 2
lr.base = 0.1
)";

/// Folder with the study and its model card, in which the program runs.
struct Prediction {
  Prediction() {
    base::write_file_atomically(dlscale.folder.path() / "study.toml", kPredictedStudy);
    contract::ModelCard card = made_card();
    card.model = "mlp";
    card.input = {3, 32, 32};
    card.classes = 10;
    const auto cards = dlscale.folder.path() / "made";
    std::filesystem::create_directories(cards);
    base::write_file_atomically(cards / "mlp-3x32x32-10.json", to_json(card));
  }
  Ran run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"predict", "study.toml", "--cards", "made"});
    return dlscale.run(arguments);
  }
  /// Predicts one and two GPUs of ALTEC with additional options.
  Ran on_altec(const std::vector<std::string>& more) {
    std::vector<std::string> all{"--site",  "altec", "--format", "csv",
                                 "--up-to", "2",     "-S",       "matrix.gpus=[1,2]"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  /// Writes calibration.json with steps of 3.25 s and all-reduces of 0.5 s between two nodes.
  void calibrate(const std::string& device) const {
    base::write_file_atomically(dlscale.folder.path() / "calibration.json",
                                R"({"schema_version": 1, "device": ")" + device + R"(",
          "all_reduce": [{"nodes": 2, "gpus": 2, "bytes": 1000, "seconds": 0.5},
                         {"nodes": 2, "gpus": 2, "bytes": 1000000000, "seconds": 0.5}],
          "compute": [{"model": "mlp", "input": [3, 32, 32], "batch": 32, "forward_s": 1,
                       "backward_s": 2, "optimizer_s": 0.25}]})");
  }
  DlscaleProgram dlscale;
};

}  // namespace dlscale::test
