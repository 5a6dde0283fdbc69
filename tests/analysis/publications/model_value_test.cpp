// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/model_value.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/publications/publication.hpp"
#include "tests/analysis/support/rows.hpp"
#include "tests/predict/made_layers.hpp"

using namespace dlscale;
using analysis::ModelValue;

namespace {

/// Returns the only value of a table with this header and row.
analysis::Published published(const std::string& header, const std::string& row) {
  return test::publication_of(header + "\n" + row + "\n").values.at(0);
}

analysis::Published error_of(const std::string& estimate, const std::string& kernel,
                             const std::string& relation) {
  return published("estimate,kernel,quantity,relation,value,unit",
                   estimate + "," + kernel + ",relative_error," + relation + ",15,%");
}

analysis::Published time_of(const std::string& gpus, const std::string& bytes) {
  return published("bytes,gpus,allreduce_time [ms]", bytes + "," + gpus + ",1");
}

contract::Calibration calibration() {
  contract::Calibration all;
  for (const auto& [kernel, error] : {std::pair("copy", 0.1), std::pair("add", 0.3)}) {
    contract::KernelModel model;
    model.kernel = kernel;
    model.relative_error = error;
    all.kernel_models.push_back(model);
  }
  for (const std::int64_t bytes : {100, 1000, 10000}) {
    all.all_reduce.push_back({.gpus = 2, .bytes = bytes, .seconds = 1e-3 * bytes});
  }
  contract::AllReduceFit fit;
  fit.gpus = 2;
  fit.least_bytes = 100;
  fit.most_bytes = 10000;
  fit.latency_s.value = 0;
  fit.seconds_per_byte = {1.1e-3, 1e-3, 1.2e-3};
  fit.points = 3;
  all.all_reduce_fits.push_back(fit);
  return all;
}

}  // namespace

TEST_CASE("errors of kernels come from the learned models of these kernels") {
  const contract::Calibration all = calibration();
  const ModelValue copy = model_value(error_of("kernel", "copy", "="), {&all, {}});
  REQUIRE(copy.value.estimate);
  CHECK(copy.value.estimate->value == Approx(0.1));
  CHECK(copy.source == "calibration");
  CHECK(model_value(error_of("kernel", "copy|add", "="), {&all, {}}).value.estimate->value ==
        Approx(0.2));
  CHECK(model_value(error_of("kernel", "*", "<="), {&all, {}}).value.estimate->value ==
        Approx(0.3));
  const ModelValue none = model_value(error_of("kernel", "softmax_forward", "="), {&all, {}});
  CHECK_FALSE(none.value.estimate);
  CHECK(none.value.missing == "the calibration has no learned model of these kernels");
}

TEST_CASE("errors of layers compare measured layers with the kernel models") {
  contract::Calibration all;
  all.layers = {test::made_step()};
  all.kernel_models = test::made_models();
  const auto value = [&](const std::string& estimate, const std::string& stage,
                         const std::string& quantity, const std::string& batch) {
    return model_value(published("estimate,stage,batch_per_gpu,quantity,relation,value,unit",
                                 estimate + "," + stage + "," + batch + "," + quantity + ",=,3,%"),
                       {&all, {}});
  };
  const ModelValue backward = value("layer", "backward", "weighted_relative_error", "8");
  REQUIRE(backward.value.estimate);
  CHECK(backward.value.estimate->value == Approx(0.003 / 0.024));
  CHECK(backward.point == "2 measured layers");
  CHECK(backward.source == "calibration");
  // The absolute errors of all layers and stages are 0, 0, 0.1, 0.1 and 0.25.
  CHECK(value("layer", "", "relative_error", "8").value.estimate->value == Approx(0.1));
  CHECK(value("step", "", "relative_error", "8").value.estimate->value ==
        Approx(std::abs(0.037 / 0.037 - 1)).margin(1e-12));
  CHECK(value("layer", "backward", "weighted_relative_error", "64").value.missing ==
        "the calibration has no layers of this model and batch");
  all.kernel_models.erase(all.kernel_models.begin());  // the model of linear_forward
  CHECK(value("layer", "forward", "weighted_relative_error", "8").value.missing ==
        "the kernel models estimate 17 % of the measured time, and 90 % are needed");
}

TEST_CASE("all-reduce times are interpolated but not extrapolated") {
  const contract::Calibration all = calibration();
  const ModelValue inside = model_value(time_of("2", "5000"), {&all, {}});
  REQUIRE(inside.value.estimate);
  CHECK(inside.value.estimate->value == Approx(5).epsilon(0.01));
  CHECK(model_value(time_of("2", "20000"), {&all, {}}).value.missing ==
        "the calibration has all-reduces of 100 to 10000 bytes, and times are not extrapolated");
  CHECK(model_value(time_of("8", "5000"), {&all, {}}).value.missing ==
        "the calibration has no all-reduces of 8 ranks");
}

TEST_CASE("the error of fitted all-reduces and the link come from the fits") {
  const contract::Calibration all = calibration();
  const ModelValue error = model_value(error_of("all_reduce", "", "<"), {&all, {}});
  REQUIRE(error.value.estimate);
  CHECK(error.value.estimate->value == Approx(0.1));
  const ModelValue link =
      model_value(published("quantity,value,unit", "calibrated_bandwidth,12,B/s"), {&all, {}});
  REQUIRE(link.value.estimate);
  CHECK(link.value.estimate->value == Approx(1 / 1.1e-3));
  CHECK_FALSE(model_value(published("quantity,value,unit", "calibrated_latency,12,s"), {&all, {}})
                  .value.estimate);  // the fit has no latency above 0
}

TEST_CASE("the latency comes from the smallest messages and the bandwidth from the largest") {
  contract::Calibration all = calibration();
  contract::AllReduceFit small = all.all_reduce_fits.front();
  small.least_bytes = 4;
  small.most_bytes = 100;
  small.latency_s = {2e-6, 1e-6, 3e-6};
  small.seconds_per_byte.value = 1;
  contract::AllReduceFit fewer_ranks = small;
  fewer_ranks.gpus = 1;
  fewer_ranks.least_bytes = 1;
  all.all_reduce_fits.insert(all.all_reduce_fits.begin(), {fewer_ranks, small});
  const auto value = [&](const char* line) {
    return model_value(published("quantity,value,unit", line), {&all, {}}).value.estimate->value;
  };
  CHECK(value("calibrated_latency,12,s") == Approx(2e-6));
  CHECK(value("calibrated_bandwidth,12,B/s") == Approx(1 / 1.1e-3));
}

TEST_CASE("errors of steps come from predictions whose runs were measured") {
  analysis::Frame frame = test::frame_of({test::run_at(1, 640), test::run_at(2, 1280)});
  for (const analysis::RunRow& run : frame.runs) {
    analysis::KeptPrediction kept;
    kept.said.step_s = {run.gpus == 1 ? 0.11 : 0.08, 0, 1};  // measured: 0.1 s
    kept.run_ids = {run.run_id};
    frame.predictions.push_back(kept);
  }
  const ModelValue error = model_value(error_of("step", "", "="), {nullptr, {&frame}});
  REQUIRE(error.value.estimate);
  CHECK(error.value.estimate->value == Approx(0.15));
  CHECK(error.source == "prediction");
}

TEST_CASE("without data the reason names what is needed") {
  CHECK(model_value(error_of("kernel", "copy", "="), {}).value.missing ==
        "needs a calibration (--calibration FILE)");
  CHECK(model_value(error_of("step", "", "="), {}).value.missing ==
        "needs saved predictions of measured runs (--predicted)");
  CHECK(model_value(error_of("layer", "", "="), {}).value.missing ==
        "needs a calibration (--calibration FILE)");
}
