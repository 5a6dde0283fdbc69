// SPDX-License-Identifier: Apache-2.0
#include "forecast/roofline_plot.hpp"

#include "analysis/report/figures/roofline_figure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "predict/workload.hpp"

namespace dlscale::forecast {
namespace {

contract::ModelCard read_card(const std::string& file) {
  try {
    return contract::model_card_from_json(base::read_text_file(file), file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

/// Of the runs whose descriptions can be read and say it.
analysis::SampleInputs inputs_of(const analysis::Frame& frame, const contract::PlanDir& folder) {
  analysis::SampleInputs inputs;
  for (const analysis::RunRow& run : frame.runs) {
    try {
      const std::filesystem::path file = folder.run(run.run_id).run_json();
      const contract::RunSpec spec =
          contract::run_spec_from_json(base::read_text_file(file), file.string());
      const auto shape = predict::sample_shape(spec.dataset);
      if (shape) inputs[run.run_id] = contract::shape_text(shape->input);
    } catch (const base::Error&) {  // collect has told of it
    }
  }
  return inputs;
}

}  // namespace

analysis::Figure figure_of_roofline(const workspace::ChosenStudy& study,
                                    const RooflineChoice& choice, const contract::PlanDir& folder) {
  if (choice.card.empty()) {
    throw base::UsageError(
        "a roofline needs the model's FLOPs and bytes: --card FILE, which dlscale-train --describe "
        "writes");
  }
  if (!(choice.peak_tflops > 0 && choice.memory_gb_per_s > 0)) {
    throw base::UsageError(
        "a roofline needs the device's rates, above 0: --peak TFLOP/s and --memory-bandwidth GB/s");
  }
  const contract::ModelCard card = read_card(choice.card);
  return roofline_figure(
      study.frame, study.options, card,
      {predict::teraflops(choice.peak_tflops), predict::gigabytes_per_s(choice.memory_gb_per_s)},
      inputs_of(study.frame, folder));
}

}  // namespace dlscale::forecast
