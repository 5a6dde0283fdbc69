// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/launch_format.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "base/file.hpp"
#include "tests/support/records.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kPatterns = "line = '^epoch (?<epoch>[0-9]+): (?<accuracy>[0-9.]+)'\n";

struct Launches {
  test::TempDir folder;
  contract::RunDir run{folder.path() / "r"};

  void print(const std::string& text) const {
    base::make_directories(run.root());
    base::write_file_atomically(run.make_next_launch().out(), text);
  }
  /// Returns the epochs of the evaluations of a launch.
  std::vector<int> epochs(int launch, const std::string& keys = "") const {
    const DescribedFormat described(kPatterns + keys, "log_format.toml");
    const LaunchFormat format(described, run.launch(launch), {});
    const std::string text = base::read_file(run.launch(launch).out());
    std::vector<int> epochs;
    for (const auto& eval : test::all<contract::EvalRecord>(format.entry().read(text, {}).file)) {
      epochs.push_back(eval.epoch);
    }
    return epochs;
  }
};

}  // namespace

TEST_CASE("the epochs of a resumed launch count like those of the first launch") {
  Launches from_1;
  from_1.print("epoch 1: 0.1\nepoch 2: 0.2\n");
  from_1.print("epoch 3: 0.3\nepoch 4: 0.4\n");
  CHECK(from_1.epochs(1) == std::vector<int>{0, 1});
  CHECK(from_1.epochs(2) == std::vector<int>{2, 3});
  Launches from_0;
  from_0.print("epoch 0: 0.1\n");
  from_0.print("epoch 1: 0.2\nepoch 2: 0.3\n");
  CHECK(from_0.epochs(2) == std::vector<int>{1, 2});
}

TEST_CASE("a launch after launches without epochs counts epochs as its own log shows") {
  Launches launches;
  launches.print("error: out of memory\n");
  launches.print("epoch 1: 0.1\n");
  CHECK(launches.epochs(2) == std::vector<int>{0});
  CHECK(launches.epochs(2, "epochs_from = 0\n") == std::vector<int>{1});
}

}  // namespace dlscale::analysis
