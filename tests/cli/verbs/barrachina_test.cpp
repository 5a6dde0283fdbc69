// SPDX-License-Identifier: Apache-2.0
// Tests that the command of docs/prediction.md reproduces the findings of Barrachina et al.
// (Computing 105(5), 2023).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "tests/cli/told_rows.hpp"

using namespace dlscale;

namespace {

constexpr const char* kCifar10 = "cifar10";
constexpr const char* kImageNet = "image_folder";
constexpr const char* kNetworks[] = {"vgg16", "resnet50", "densenet121"};

/// Returns the arguments of the documented command, with the path of the study in the source tree.
std::vector<std::string> documented_command() {
  std::istringstream lines(base::read_file(DLSCALE_SOURCE_DIR "/docs/prediction.md"));
  const std::string beginning = "dlscale predict examples/studies/barrachina/";
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(beginning, 0) != 0) continue;
    for (std::string more; line.back() == '\\' && std::getline(lines, more);) {
      line.back() = ' ';
      line += more;
    }
    line.erase(std::remove(line.begin(), line.end(), '\''), line.end());  // quotes of the shell
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    words.erase(words.begin());
    words.at(1) = DLSCALE_SOURCE_DIR "/" + words.at(1);
    words.insert(words.end(), {"--format", "json"});
    return words;
  }
  FAIL("docs/prediction.md has no command that begins with " + beginning);
  return {};
}

/// Rows that the documented command prints.
struct Findings {
  Findings() {
    std::vector<std::string> words = documented_command();
    const auto output = std::find(words.begin(), words.end(), "-o");
    REQUIRE(output != words.end());
    words.erase(output, output + 2);
    test::DlscaleProgram dlscale;
    const test::Ran ran = dlscale.run(words);
    for (const auto& [sweep, column] : columns) {
      rows[sweep] = test::told_rows(ran, "sweep-" + sweep);
    }
    times = test::told_rows(ran, "predicted-times");
  }
  const test::Row& at(const std::string& sweep, const std::string& model, const char* data,
                      double value) const {
    return test::row_with(rows.at(sweep),
                          {{"model", model}, {"dataset.kind", data}, {columns.at(sweep), value}});
  }
  std::string bound(const std::string& sweep, const std::string& model, const char* data,
                    double value) const {
    return test::text(at(sweep, model, data, value), "bound");
  }
  /// Returns the ratio of the step time at `a` to the step time at `b`.
  double ratio(const std::string& sweep, const std::string& model, const char* data, double a,
               double b, const char* part = "step_s") const {
    return test::number(at(sweep, model, data, a), part) /
           test::number(at(sweep, model, data, b), part);
  }
  std::map<std::string, std::string> columns{{"peak", "peak_tflops"},
                                             {"memory", "memory_gb_per_s"},
                                             {"link", "link_gbit_s"},
                                             {"gpus", "gpus"},
                                             {"batch", "batch_per_gpu"}};
  std::map<std::string, std::vector<test::Row>> rows;  ///< rows by sweep
  std::vector<test::Row> times;
};

}  // namespace

TEST_CASE("the documented command writes the tables and figures of the paper's sweeps") {
  test::DlscaleProgram dlscale;
  const test::Ran ran = dlscale.run(documented_command());
  REQUIRE(ran.exit_code == 0);
  for (const char* sweep : {"peak", "memory", "link", "gpus", "batch"}) {
    const std::string stem = std::string("predicted/sweep-") + sweep;
    CHECK(std::filesystem::exists(dlscale.folder / (stem + ".tex")));
    CHECK(std::filesystem::exists(dlscale.folder / (stem + "-figure.csv")));
    // The study has three networks on two data sets.
    const std::vector<test::Row> rows = test::told_rows(ran, std::string("sweep-") + sweep);
    REQUIRE_FALSE(rows.empty());
    CHECK(rows.size() % 6 == 0);
    for (const test::Row& row : rows) CHECK(row.at("exposed_comm_s") == row.at("communication_s"));
  }
}

TEST_CASE("an all-reduce of the study follows eq. (1) between 100 nodes") {
  const Findings found;
  // The message has the gradients of VGG16. The network has 0.5 us per hop and 200 Gbit/s.
  const double bytes = 4.0 * 138'357'544;
  CHECK(test::number(found.at("link", "vgg16", kImageNet, 200), "communication_s") ==
        Approx(2 * 99 * 0.5e-6 + 2 * 0.99 * bytes / 25e9));
}

TEST_CASE("found in the output: most networks are memory-bound with 128 images") {
  const Findings found;
  for (const char* model : {"resnet50", "densenet121"}) {
    for (const char* data : {kCifar10, kImageNet}) {
      INFO(model << " " << data);
      const test::Row& alone =
          test::row_with(found.times, {{"model", model}, {"dataset.kind", data}, {"gpus", 1}});
      CHECK(alone.at("batch_per_gpu") == 128);
      CHECK(test::text(alone, "bound") == "memory");
    }
  }
}

TEST_CASE("found in the output: DenseNet-121 reaches its plateau at 50 TFLOP/s") {
  const Findings found;
  for (const char* data : {kCifar10, kImageNet}) {
    CHECK(found.bound("peak", "densenet121", data, 30) == "compute");
    CHECK(found.bound("peak", "densenet121", data, 50) == "memory");
  }
  const auto gain = [&](const char* model, double from, double to) {
    return found.ratio("peak", model, kImageNet, from, to);
  };
  CHECK(gain("densenet121", 10, 50) > 2.5);
  CHECK(gain("densenet121", 50, 300) < 1.3);
  CHECK(gain("resnet50", 50, 300) > 1.5);
  CHECK(gain("vgg16", 50, 300) > 2);
}

TEST_CASE("found in the output: a faster memory helps memory-bound networks most") {
  const Findings found;
  for (const char* model : {"resnet50", "densenet121"}) {
    INFO(model);
    CHECK(found.bound("memory", model, kImageNet, 400) == "memory");
    CHECK(found.ratio("memory", model, kImageNet, 400, 1200, "computing_s") > 2.5);
  }
  CHECK(found.bound("memory", "vgg16", kImageNet, 3000) == "compute");
  CHECK(found.ratio("memory", "vgg16", kImageNet, 3000, 8000, "computing_s") < 1.2);
}

TEST_CASE("found in the output: VGG16 on CIFAR-10 is communication-bound from 30 TFLOP/s") {
  const Findings found;
  CHECK(found.bound("peak", "vgg16", kCifar10, 30) == "communication");
  CHECK(found.bound("peak", "vgg16", kCifar10, 20) == "compute");
}

TEST_CASE("found in the output: a link of 10 Gbit/s is a bottleneck, and 30 Gbit/s hardly is") {
  const Findings found;
  for (const char* model : kNetworks) {
    INFO(model);
    const double slower = found.ratio("link", model, kImageNet, 10, 200);
    CHECK(slower > 1.5);
    CHECK(found.ratio("link", model, kCifar10, 10, 200) > 1.3 * slower);
  }
  // ResNet-50 and DenseNet-121 are limited by the link at 10 Gbit/s only.
  CHECK(found.bound("link", "resnet50", kImageNet, 10) == "communication");
  CHECK(found.bound("link", "resnet50", kImageNet, 30) != "communication");
  CHECK(found.ratio("link", "densenet121", kImageNet, 30, 200) < 1.25);
}

TEST_CASE(
    "found in the output: the cost is flat up to 100 processes and grows with latency beyond") {
  const Findings found;
  for (const char* model : kNetworks) {
    for (const char* data : {kCifar10, kImageNet}) {
      INFO(model << " " << data);
      CHECK(found.ratio("gpus", model, data, 100, 8) < 1.15);
      const test::Row hundred = found.at("gpus", model, data, 100);
      const test::Row most = found.at("gpus", model, data, 4096);
      CHECK(test::number(most, "computing_s") == test::number(hundred, "computing_s"));
      const double more = test::number(most, "step_s") - test::number(hundred, "step_s");
      CHECK(more > 2 * 3996 * 0.5e-6);  // latency of the additional hops
      CHECK(more < 1.15 * 2 * 3996 * 0.5e-6);
    }
  }
}

TEST_CASE("found in the output: 16 images are not compute-bound, and time grows with the batch") {
  const Findings found;
  for (const char* model : kNetworks) {
    INFO(model);
    for (const char* data : {kCifar10, kImageNet}) {
      CHECK(found.bound("batch", model, data, 16) != "compute");
    }
    CHECK(found.ratio("batch", model, kImageNet, 256, 128, "computing_s") ==
          Approx(2).epsilon(0.05));
  }
}
