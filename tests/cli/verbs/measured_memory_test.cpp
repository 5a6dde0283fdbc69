// SPDX-License-Identifier: Apache-2.0
// Tests that memory peaks in the records of runs reach predictions through a calibration.
#include <catch2/catch.hpp>

#include "contract/records/calibration.hpp"
#include "contract/records/run_prediction.hpp"
#include "tests/cli/planned_demo.hpp"
#include "tests/cli/told_rows.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

/// Writes a demo run with this memory peak. The value 0 omits the peak from the records.
void complete_with_peak(const test::PlannedDemo& demo, const std::string& id, double peak_bytes) {
  contract::RunStart start;
  start.run_id = id;
  start.time = 1000;
  start.environment = {{"cpu", "a CPU"}, {"task", "classification"}};
  contract::StepWindow window;
  window.steps = 10;
  window.samples = 320;
  window.wall_s = 1;
  window.parts[2].mean = 0.4;
  window.parts[3].mean = 0.6;
  window.peak_memory_bytes = peak_bytes / 2;
  contract::StepWindow last = window;
  last.first_step = 10;
  last.peak_memory_bytes = peak_bytes;
  contract::RunStop stop;
  stop.time = 1010;
  demo.launch(id, {start, window, last, stop});
}

std::vector<contract::MemoryPeak> calibrated_peaks(const test::PlannedDemo& demo) {
  const auto file = demo.dlscale.folder / "c.json";
  return contract::calibration_from_json(base::read_file(file), file.string()).memory;
}

const std::string kOneRank = R"(
[study]
name = "small"
scaling = "weak"
[matrix]
framework = ["ddp"]
model = ["mlp"]
gpus = [1]
batch_per_gpu = [32]
[training]
dataset = { kind = "cifar10", path = "data" }
epochs = 2
lr.base = 0.1
)";

/// Study whose model fits into the memory of a T4 according to its model card.
const std::string kDenseNet = R"(
[study]
name = "large"
scaling = "weak"
[matrix]
framework = ["ddp"]
model = ["densenet121"]
gpus = [1]
batch_per_gpu = [64]
[training]
dataset = { kind = "image_folder", path = "data", train_samples = 1000 }
epochs = 1
lr.base = 0.1
)";
constexpr double kMiB = 1024.0 * 1024;

std::string card_of_mlp() {
  contract::ModelCard card = test::made_card();
  card.model = "mlp";
  card.input = {3, 32, 32};
  card.classes = 10;
  return to_json(card);
}

/// Bytes of parameters, running statistics and buckets, and bytes of the activations of 32 samples,
/// according to the model card that the test writes.
constexpr double kKept = 601e6, kActivations = 32 * 60e6;

/// Study of one rank with a calibration of its model. The measured peak memory at 8 and at 16
/// samples exceeds the estimate of the model card by 100 MiB plus half of the activations.
struct MeasuredMemory {
  explicit MeasuredMemory(const std::string& device, const std::string& model = "mlp") {
    base::write_file_atomically(dlscale.folder / "study.toml", kOneRank);
    base::make_directories(dlscale.folder / "made");
    base::write_file_atomically(dlscale.folder / "made/mlp-3x32x32-10.json", card_of_mlp());
    contract::Calibration measured;
    measured.compute = {{"mlp", {3, 32, 32}, "fp32", 32, 1, 2, 0.25}};
    for (const int batch : {8, 16}) {
      const double activations = batch * 60e6;
      measured.memory.push_back({model,
                                 {3, 32, 32},
                                 "fp32",
                                 "ddp",
                                 device,
                                 "memory",
                                 "cifar10",
                                 1,
                                 batch,
                                 kKept + 1.5 * activations + 100 * kMiB,
                                 kKept + activations,
                                 activations,
                                 2});
    }
    base::write_file_atomically(dlscale.folder / "c.json", to_json(measured));
  }
  test::Ran predict(std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", "study.toml", "--cards", "made", "--calibration",
                               "c.json", "--up-to", "1", "--format", "json"});
    return dlscale.run(more);
  }
  test::Row needed(const std::vector<std::string>& more) {
    const auto rows = test::told_rows(predict(more), "predicted-memory");
    REQUIRE(rows.size() == 1);
    return rows[0];
  }
  test::DlscaleProgram dlscale;
};

}  // namespace

TEST_CASE("a calibration has the median peak of equal runs and the bytes of their model card") {
  test::PlannedDemo demo;
  const test::Ran planned =
      demo.dlscale.run({"plan", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml", "-o",
                        "thrice", "-S", "matrix.lr_schedule='cosine'", "-S",
                        "matrix.batch_per_gpu=32", "-S", "matrix.framework='ddp'"});
  INFO(planned.err);
  REQUIRE(planned.exit_code == 0);
  demo.folder = contract::PlanDir(demo.dlscale.folder / "thrice");
  for (const auto& run : contract::read_plan(demo.folder).runs) {
    complete_with_peak(demo, run.run_id, run.gpus * 200e6 + run.repetition * 1e6);
  }
  REQUIRE(demo.dlscale.run({"collect", "thrice", "--no-tables"}).exit_code == 0);
  const test::Ran made =
      demo.dlscale.run({"calibrate", "thrice", "-o", "c.json", "--format", "json"});
  CHECK(test::told_rows(made, "calibrated-memory").size() == 2);
  const auto peaks = calibrated_peaks(demo);
  REQUIRE(peaks.size() == 2);
  CHECK(peaks[0].model == "mlp");
  CHECK(peaks[0].device == "cpu");
  CHECK(peaks[0].loader == "memory");
  CHECK(peaks[0].dataset == "synthetic_digits");
  CHECK(peaks[0].batch == 32);
  CHECK(peaks[0].runs == 3);
  CHECK(peaks[0].peak_memory_bytes == 202e6);
  CHECK(peaks[1].gpus == 2);
  CHECK(peaks[1].peak_memory_bytes == 402e6);
  CHECK(peaks[0].activations_bytes > 0);
  CHECK(peaks[0].card_bytes > peaks[0].activations_bytes);
}

TEST_CASE("runs that do not record memory give steps without peaks") {
  test::PlannedDemo demo;
  for (const std::string& id : demo.ids) complete_with_peak(demo, id, 0);
  REQUIRE(demo.dlscale.run({"collect", "demo", "--no-tables"}).exit_code == 0);
  const test::Ran made = demo.dlscale.run({"calibrate", "demo", "-o", "c.json"});
  CHECK(made.exit_code == 0);
  CHECK_THAT(made.out, !Contains("Peak memory of a rank"));
  CHECK(calibrated_peaks(demo).empty());
}

TEST_CASE("predicted memory includes the excess over the model card that other batches measured") {
  MeasuredMemory measured("cpu");
  const test::Row row = measured.needed({"--what-if", "capacity=8GiB"});
  const double held = kKept + 1.5 * kActivations + 100 * kMiB;
  CHECK(test::number(row, "memory_bytes") == Approx(held));
  // The batch of the study is larger than the measured batches.
  CHECK(test::number(row, "memory_bounds_bytes_low") == Approx(0.92 * held));
  CHECK(test::text(row, "rests_on") == "card, 4 runs");
  const test::Ran said = measured.predict({"--what-if", "capacity=8GiB"});
  CHECK_THAT(
      said.out,
      Contains("mlp: added to the sum of the cost model: 100 MiB and 0.50 of the activations"));
}

TEST_CASE("a context given on the command line replaces only the measured constant part") {
  MeasuredMemory measured("cpu");
  const std::vector<std::string> asked{"--what-if", "capacity=8GiB,context=300MiB"};
  CHECK(test::number(measured.needed(asked), "memory_bytes") ==
        Approx(kKept + 1.5 * kActivations + 300 * kMiB));
  CHECK_THAT(measured.predict(asked).out, Contains("300 MiB (requested)"));
}

TEST_CASE("predicted memory follows the model card without usable peaks") {
  for (const char* device : {"cuda", ""}) {
    MeasuredMemory measured(*device == '\0' ? "cpu" : device);
    std::vector<std::string> words{"--what-if", "capacity=8GiB"};
    if (*device == '\0') words.insert(words.end(), {"-S", "matrix.loader='native'"});
    const test::Row row = measured.needed(words);
    CHECK(test::number(row, "memory_bytes") == Approx(kKept + kActivations));
    CHECK(test::text(row, "rests_on") == "card");
  }
}

TEST_CASE(
    "predicted memory on GPUs is allocator memory plus context, and is saved without context") {
  MeasuredMemory measured("cuda");
  const std::vector<std::string> altec{"--site", "altec"};
  const double held = kKept + 1.5 * kActivations + 100 * kMiB;
  const double context = test::number(measured.needed(altec), "memory_bytes") - held;
  CHECK(context > 100e6);
  CHECK(context < 1e9);
  REQUIRE(measured.dlscale.run({"plan", "study.toml", "--site", "altec", "-o", "out"}).exit_code ==
          0);
  CHECK_THAT(measured.predict({"--site", "altec", "--keep", "out"}).err, Contains("1 prediction"));
  const contract::PlanDir out(measured.dlscale.folder / "out");
  const auto kept = contract::parse_predictions(base::read_file(out.predictions())).predictions;
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].memory_bytes.value == Approx(held));
  CHECK_THAT(kept[0].basis, Contains("measured memory"));
}

TEST_CASE("memory of CPU processes is saved and scored if their runs measured memory") {
  test::PlannedDemo demo;
  for (const std::string& id : demo.ids) complete_with_peak(demo, id, 400e6);
  REQUIRE(demo.dlscale.run({"collect", "demo", "--no-tables"}).exit_code == 0);
  REQUIRE(demo.dlscale.run({"calibrate", "demo", "-o", "c.json"}).exit_code == 0);
  const test::Ran kept =
      demo.dlscale.run({"predict", DLSCALE_SOURCE_DIR "/examples/studies/demo/study.toml",
                        "--calibration", "c.json", "--keep", "demo", "-S", "study.repeats=1", "-S",
                        "matrix.lr_schedule='cosine'", "-S", "matrix.batch_per_gpu=32"});
  INFO(kept.err);
  REQUIRE(kept.exit_code == 0);
  const test::Ran compared =
      demo.dlscale.run({"compare", "demo", "--predicted", "--format", "csv"});
  CHECK_THAT(compared.out, Contains("measured memory\n") && Contains("memory of a rank,2,"));
}

TEST_CASE("a plan uses measured memory to leave out points that exceed the GPU") {
  MeasuredMemory measured("cuda", "densenet121");
  base::write_file_atomically(measured.dlscale.folder / "study.toml", kDenseNet);
  const auto file = measured.dlscale.folder / "c.json";
  contract::Calibration held = contract::calibration_from_json(base::read_file(file), "c.json");
  held.device = "Tesla T4";
  for (contract::MemoryPeak& peak : held.memory) {
    peak.input = {3, 224, 224};
    peak.dataset = "image_folder";
    peak.peak_memory_bytes += 12e9;
  }
  base::write_file_atomically(file, to_json(held));
  const std::vector<std::string> words{"plan", "study.toml", "--site", "nef", "--dry-run"};
  CHECK(measured.dlscale.run(words).exit_code == 0);
  auto by_peaks = words;
  by_peaks.insert(by_peaks.end(), {"-S", "resources.calibration=c.json"});
  const test::Ran refused = measured.dlscale.run(by_peaks);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("no point fits the GPUs of nef: out of memory on NVIDIA T4 "
                                   "(with the memory that measured runs used)"));
}

TEST_CASE("peaks of another model on GPUs give the constant part only") {
  MeasuredMemory measured("cuda", "cnn");
  const test::Row row = measured.needed({"--site", "altec"});
  CHECK(test::text(row, "rests_on") == "card, 4 runs of 1 other model");
  MeasuredMemory own("cuda");
  CHECK(test::number(own.needed({"--site", "altec"}), "memory_bytes") -
            test::number(row, "memory_bytes") ==
        Approx(0.5 * kActivations));
}

TEST_CASE("an impossible peak is rejected with its place in the file") {
  MeasuredMemory measured("cpu");
  const auto file = measured.dlscale.folder / "c.json";
  contract::Calibration broken =
      contract::calibration_from_json(base::read_file(file), file.string());
  broken.memory[1].peak_memory_bytes = 0;
  base::write_file_atomically(file, to_json(broken));
  const test::Ran ran = measured.predict({});
  CHECK(ran.exit_code == 2);
  CHECK_THAT(ran.err, Contains("c.json: memory[1].peak_memory_bytes: must be above 0"));
}
