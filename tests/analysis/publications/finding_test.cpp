// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/finding.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using namespace dlscale::analysis;

namespace {

constexpr const char* kFaster =
    "[[finding]]\nname = \"faster\"\nclaim = \"Two GPUs are faster.\"\nsource = \"Figure 4\"\n"
    "metric = \"throughput\"\nleft = \"gpus == 2\"\nright = \"gpus == 1\"\n";

std::string reading_error(const std::string& text) {
  try {
    read_findings(text, "f.toml");
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("speed-up and efficiency are not metrics of a finding") {
  CHECK_THAT(reading_error("[[finding]]\nmetric = \"efficiency\"\n"),
             Catch::Contains("finding[0].metric: ") && Catch::Contains("efficiency"));
}

TEST_CASE("errors in a file of findings have a place and a key") {
  CHECK(reading_error("") != "");
  CHECK_THAT(reading_error(std::string(kFaster) + "valu = 1\n"),
             Catch::Contains("f.toml:8:1: finding[0].valu: ") && Catch::Contains("\"value\""));
  CHECK_THAT(reading_error(std::string(kFaster) + "value = 1\n"),
             Catch::Contains("either the key \"right\" or the key \"value\""));
  CHECK_THAT(reading_error(std::string(kFaster) + "relation = \"mor\"\n"),
             Catch::Contains("f.toml:8:") && Catch::Contains("more"));
  CHECK_THAT(reading_error(std::string(kFaster) + kFaster), Catch::Contains("used twice"));
  CHECK_THAT(reading_error("[[finding]]\nname = \"a\"\n"), Catch::Contains("claim"));
}

TEST_CASE("keys of a finding that do not fit together are errors") {
  const std::string faster = kFaster;
  CHECK_THAT(reading_error(faster + "factor = 2\ndifference = 3\n"),
             Catch::Contains("f.toml:1:") && Catch::Contains("give one of them"));
  CHECK_THAT(reading_error(faster + "relation = \"similar\"\ndifference = 0\n"),
             Catch::Contains("a difference other than 0"));
  CHECK_THAT(reading_error(faster + "relation = \"narrows\"\n"),
             Catch::Contains("needs the key \"along\""));
  CHECK_THAT(reading_error(faster + "relation = \"narrows\"\nalong = \"gpus\"\nfactor = 2\n"),
             Catch::Contains("does not accept the key \"factor\""));
  CHECK_THAT(reading_error(faster + "along = \"gpus\"\neach = [\"gpus\"]\n"),
             Catch::Contains("the axis gpus is in both \"each\" and \"along\""));
  const std::string number = faster.substr(0, faster.find("right")) + "value = 1\n";
  CHECK(reading_error(number).empty());
  for (const char* key : {"difference = 3\n", "along = \"gpus\"\n", "right_rank = 1\n"}) {
    CHECK_THAT(reading_error(number + key),
               Catch::Contains("give the key \"right\" instead of \"value\""));
  }
}

TEST_CASE("a rank needs a metric that is recorded for each rank") {
  CHECK_THAT(reading_error(std::string(kFaster) + "left_rank = 1\n"),
             Catch::Contains("metric = \"throughput\" is not recorded for each rank") &&
                 Catch::Contains("train-loss") && Catch::Contains("validation-accuracy"));
  CHECK_THAT(reading_error(std::string(kFaster) + "left_rank = -1\n"),
             Catch::Contains("f.toml:8:") && Catch::Contains("left_rank"));
}

TEST_CASE("the condition of a finding is one line with all of its parts") {
  const auto text = [](const std::string& keys) {
    return condition_text(read_findings(kFaster + keys, "f.toml").at(0));
  };
  CHECK(text("factor = 1.7\n") == "throughput (gpus == 2) > 1.7 x (gpus == 1)");
  CHECK(text("relation = \"similar\"\ndifference = 500\nwithin = 0.2\n") ==
        "throughput (gpus == 2) - throughput (gpus == 1) = 500 within 20 %");
  CHECK(text("along = \"batch_per_gpu\"\n") ==
        "change of throughput (gpus == 2) / throughput (gpus == 1) along batch_per_gpu > 1");
  CHECK(text("along = \"batch_per_gpu\"\nrelation = \"narrows\"\ndifference = 0\n") ==
        "gap of throughput (gpus == 2) - throughput (gpus == 1) narrows along batch_per_gpu");
  std::string loss = std::string(kFaster) + "relation = \"less\"\nleft_rank = 1\nright_rank = 0\n";
  loss.replace(loss.find("throughput"), 10, "train-loss");
  CHECK(condition_text(read_findings(loss, "f.toml").at(0)) ==
        "train-loss of rank 1 (gpus == 2) < rank 0 (gpus == 1)");
}
