// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale predict` with selected runs.
#include <catch2/catch.hpp>
#include <set>

#include "tests/cli/predicted_mlp.hpp"
#include "tests/cli/told_rows.hpp"

using namespace dlscale;
using Catch::Contains;
using test::Prediction;

TEST_CASE("only selected runs are predicted") {
  Prediction prediction;
  const std::vector<std::string> site{"--site", "altec", "--format", "csv", "--up-to", "1"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = site;
    all.insert(all.end(), more.begin(), more.end());
    return prediction.run(all);
  };
  const test::Ran where = with({"--where", "framework == 'ddp' && gpus < 4"});
  CHECK(where.exit_code == 0);
  CHECK(where.err == "2 of 8 runs match\n");
  CHECK_THAT(where.out, Contains(",2,2,32,") && !Contains(",4,4,32,") && !Contains("synchronous"));
  const test::Ran run = with({"--run", "synchronous-*-g2-*"});
  CHECK(run.exit_code == 0);
  CHECK(run.err == "1 of 8 runs match\n");
  CHECK_THAT(run.out, Contains("2,2,32,") && !Contains("8,8,32,"));
}

TEST_CASE("a selected row equals that in the prediction of the whole study") {
  Prediction prediction;
  const std::vector<std::string> site{"--site", "altec", "--format", "csv"};
  auto selected = site;
  selected.insert(selected.end(), {"--where", "gpus == 8 && framework == 'ddp'"});
  const std::string all = prediction.run(site).out, some = prediction.run(selected).out;
  const auto row = [](const std::string& text) {
    const auto begin = text.find("8,8,32,");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const auto of_ddp = all.find("ddp,8,8,32,");
  REQUIRE(of_ddp != std::string::npos);
  CHECK(row(some) == row(all.substr(of_ddp)));  // both efficiencies are relative to one GPU
  CHECK_THAT(some, !Contains("1,1,32,") && !Contains("16,16,32,"));
}

TEST_CASE("a completely selected curve continues up to --up-to") {
  Prediction prediction;
  const test::Ran ran = prediction.run(
      {"--site", "altec", "--format", "csv", "--up-to", "64", "--where", "framework == 'ddp'"});
  CHECK(ran.err == "4 of 8 runs match\n");
  CHECK_THAT(ran.out, Contains("64,64,32,") && !Contains("synchronous"));
}

TEST_CASE("a prediction covers a point, whichever repetition is selected") {
  Prediction prediction;
  const test::Ran one =
      prediction.run({"--site", "altec", "--format", "csv", "--up-to", "1", "-S", "study.repeats=3",
                      "--where", "repetition == 2 && gpus == 8"});
  CHECK(one.exit_code == 0);
  CHECK(one.err == "2 of 24 runs match\n");
  CHECK_THAT(one.out, Contains(",8,8,32,") && !Contains(",4,4,32,"));
}

TEST_CASE("each backbone and width of a frozen backbone is predicted with its own cost model") {
  test::DlscaleProgram dlscale;
  const std::string shipped = DLSCALE_SOURCE_DIR "/share/cards";
  const std::string alexnet =
      "frozen_backbone-1x28x28-10-backbone-alexnet-classifier_hidden-4096-dropout-0.5.json";
  const auto predict = [&](const std::string& cards) {
    return dlscale.run({"predict", DLSCALE_SOURCE_DIR "/examples/studies/princeton/study.toml",
                        "--site", "ionic", "--cards", cards, "--format", "json", "--up-to", "1",
                        "--where", "substudy in [\"backbone\", \"classifier\"]"});
  };
  const test::Ran all = predict(shipped);
  INFO(all.err);
  REQUIRE(all.exit_code == 0);
  std::set<double> seconds;
  for (const auto& row : test::told_rows(all, "predicted-times")) {
    seconds.insert(row.at("step_s").get<double>());
  }
  CHECK(seconds.size() == 7);
  std::filesystem::create_directories(dlscale.folder / "cards");
  std::filesystem::copy(std::filesystem::path(shipped) / alexnet, dlscale.folder / "cards");
  const test::Ran one = predict((dlscale.folder / "cards").string());
  CHECK(test::told_rows(one, "predicted-times").size() == 1);
  CHECK_THAT(one.out + one.err,
             Contains("--classes 10 --backbone vgg16 --classifier-hidden 2048 --dropout 0.5 > "));
}

TEST_CASE("a cost model of other settings under the name of a run is rejected") {
  test::DlscaleProgram dlscale;
  const std::string named = "frozen_backbone-1x28x28-10-backbone-";
  std::filesystem::create_directories(dlscale.folder / "cards");
  std::filesystem::copy(DLSCALE_SOURCE_DIR "/share/cards/" + named + "resnet18-dropout-0.5.json",
                        dlscale.folder / "cards" / (named + "squeezenet1_0-dropout-0.5.json"));
  const test::Ran ran =
      dlscale.run({"predict", DLSCALE_SOURCE_DIR "/examples/studies/princeton/study.toml", "--site",
                   "ionic", "--cards", "cards"});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err,
             Contains("squeezenet1_0-dropout-0.5.json: options: the file name and the cost "
                      "model state different settings"));
}

TEST_CASE("an empty selection gives exit code 3 unless allowed") {
  Prediction prediction;
  const test::Ran none = prediction.run({"--site", "altec", "--where", "gpus > 8"});
  CHECK(none.exit_code == 3);
  CHECK(none.out.empty());
  CHECK(none.err == "dlscale: 0 of 8 runs match\n");
  CHECK(prediction.run({"--site", "altec", "--run", "nothing-*"}).exit_code == 3);
  const test::Ran allowed =
      prediction.run({"--site", "altec", "--where", "gpus > 8", "--allow-empty"});
  CHECK(allowed.exit_code == 0);
  CHECK(allowed.out.empty());
  const test::Ran wrong = prediction.run({"--site", "altec", "--where", "gpu > 8"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("gpu"));
}
