// SPDX-License-Identifier: Apache-2.0
// Tests that the bundled studies can be read and that all their known contradictions are found.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "analysis/publications/contradiction.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"
#include "workspace/reference_reader.hpp"

using namespace dlscale;
using analysis::Contradiction;
using analysis::ReferenceStudy;

namespace {

const std::filesystem::path kFolder = DLSCALE_SOURCE_DIR "/share/references";

struct Known {
  std::string rule;
  std::string values;   ///< text that the quoted values must contain
  std::string meaning;  ///< text that the explanation must contain
};

/// Known contradictions in these studies, by study.
const std::map<std::string, std::vector<Known>> kKnown{
    {"juwels",
     {{"efficiency_formula", "speedup / gpus", "gives 0.25 instead of 1"},
      {"conflicting_statements", "efficiency < 0.24", "cannot all be true"},
      {"conflicting_statements", "efficiency = 0.45", "cannot all be true"},
      {"speedup_and_efficiency", "speedup = 234", "0.914"},
      {"share_of_another_whole", "data_loading_time ~ 25 s", "148 s"},
      {"share_of_another_whole", "data_loading_time ~ 47 s", "286 s"},
      {"odd_gpu_count", "gpus 1204", "1024"},
      {"missing_points", "gpus 1024", "no row"},
      {"repeated_values", "io = 11.87 %", "copy"},
      {"repeated_values", "cudnn = 24.45 %", "copy"},
      {"broken_trend", "37.17 to 36.29 along gpus 64 to 128", "allreduce rises"},
      {"broken_trend", "39.31 to 37.73 along gpus 256 to 512", "allreduce rises"},
      {"broken_trend", "46.18 to 43.21 along model resnet50 to resnet152 (gpus 1024",
       "allreduce rises along model"}}},
    {"nef",
     {{"claimed_ratio", "gain 40 %", "+11.3 %, not +40.0 %"},
      {"claimed_ratio", "gain 50 %", "+43.5 %, not +50.0 %"},
      {"best_reversed", "24.52", "best count is 3, not 2"},
      {"best_unproven", "0.5787", "no significant difference"},
      {"best_unproven", "0.2176", "no significant difference"},
      {"broken_trend", "5.35 to 3.13 along cores 1 to 2", "throughput rises"},
      {"above_ideal", "16.04", "speed-up of 5.00"},
      {"device_memory", "10.91 GiB", "GTX 1080 Ti"}}},
    {"ensias",
     {{"mixed_devices", "Tesla K80", "Tesla K80 to Tesla P100"},
      {"above_ideal", "train_time = 24 s", "speed-up of 2.18"},
      {"undefined_name", "2 GPUs (Augmented)", "never defined"},
      {"claimed_ratio", "0.6 s", "0.43 times, not 0.50"},
      {"claimed_ratio", "26 s", "0.38 times, not 0.50"},
      {"conflicting_statements", "hybrid", "cannot all be true"},
      {"nothing_learnt", "train_loss (last) ~ 2.3", "ln 10"}}},
    {"princeton",
     {{"communication_elsewhere", "barrier", "measures waiting"},
      {"processes", "processes_per_node = 2", "one process"},
      {"transfer_without_ring", "samples / (batch * gpus)", "2 (k - 1) / k"},
      {"parameter_count", "backbone squeezenet1_0", "single linear layer"},
      {"parameter_count", "backbone resnet18", "single linear layer"}}},
    {"barrachina",
     {{"formula_units", "beta [bit/s]", "must be the inverse"},
      {"conflicting_statements", "link_bandwidth = 200 Gbit/s", "cannot all be true"},
      {"conflicting_statements", "link_bandwidth = 400 Gbit/s", "cannot all be true"},
      {"conflicting_statements", "gpu_model = V100S", "cannot all be true"},
      {"named_link", "link_bandwidth = 200 Gbit/s", "EDR link has 100"},
      {"bits_and_bytes", "12.24 Gbit/s", "12.24 GB/s"},
      {"device_peak", "peak = 133 TFLOP/s", "another precision"},
      {"saturated_cause", "from 100", "0.99"}}},
    {"ai4hpc",
     {{"efficiency_and_times", "efficiency = 96 %", "efficiency is 0.9696"},
      {"efficiency_and_times", "47.30 s", "rounded to 3 decimals give 0.9628"},
      {"weak_called_strong", "47.30 s", "weak scaling"}}},
    {"itwinai", {}},
};

bool is_found(const std::vector<Contradiction>& found, const Known& known) {
  return std::any_of(found.begin(), found.end(), [&](const Contradiction& one) {
    return one.rule->name == known.rule &&
           one.finding.values.find(known.values) != std::string::npos &&
           one.finding.meaning.find(known.meaning) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("a rule finds every known contradiction of the published studies") {
  REQUIRE(workspace::references_in(kFolder).size() == kKnown.size());
  for (const auto& [name, known] : kKnown) {
    const ReferenceStudy study = workspace::read_reference(name, kFolder);
    const auto found = find_contradictions(study.publication);
    for (const Known& one : known) {
      INFO(name << ": " << one.rule << ": " << one.values);
      CHECK(is_found(found, one));
    }
    CHECK(found.empty() == known.empty());
  }
}

TEST_CASE("findings have a place, values and one or two sentences") {
  for (const auto& [name, known] : kKnown) {
    const ReferenceStudy study = workspace::read_reference(name, kFolder);
    for (const auto& [rule, finding] : find_contradictions(study.publication)) {
      INFO(name << ": " << rule->name);
      CHECK(finding.where.find(':') != std::string::npos);
      CHECK_FALSE(finding.values.empty());
      CHECK(finding.meaning.ends_with('.'));
    }
  }
}

TEST_CASE("rules depend on data only and not on file names") {
  const ReferenceStudy study = workspace::read_reference("juwels", kFolder);
  analysis::Publication renamed = study.publication;
  for (analysis::Published& value : renamed.values) {
    value.place.file = "/elsewhere/" + std::filesystem::path(value.place.file).filename().string();
    value.where = "somewhere";
  }
  const auto before = find_contradictions(study.publication), after = find_contradictions(renamed);
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(before[i].finding.meaning == after[i].finding.meaning);
  }
}

TEST_CASE("every bundled table names its source and has values") {
  for (const auto& [name, known] : kKnown) {
    const ReferenceStudy study = workspace::read_reference(name, kFolder);
    CHECK_FALSE(study.title.empty());
    CHECK_FALSE(study.source.empty());
    for (const analysis::ReferenceTable& table : study.tables) {
      INFO(table.file);
      CHECK(table.source.size() > 20);
      CHECK_FALSE(table.values.empty());
    }
  }
}

TEST_CASE("errors in a study file are reported with line and column") {
  test::TempDir folder;
  const auto file = folder.path() / "mine.toml";
  const auto complaint = [&](const std::string& text, const std::string& message) {
    base::write_file_atomically(file, text);
    CHECK_THROWS_WITH(workspace::read_reference(file.string(), kFolder),
                      Catch::StartsWith(file.string() + ":" + message));
  };
  complaint("titel = \"x\"\n", "1:1: titel: unknown key; did you mean \"title\"?");
  complaint("title = \"x\"\n", "1:1: tables: a reference needs at least one table");
  complaint("tables = [\"none.csv\"]\n", "1:11: tables: " + folder.path().string());
  complaint("[study]\nwork = \"fix\"\n", "2:8: study.work: unknown work \"fix\"");
  complaint(
      "[definitions.efficiency]\nformula = \"speedup / gpsu\"\n",
      "2:11: character 11 of 'speedup / gpsu': unknown name \"gpsu\"; did you mean \"gpus\"?");
  complaint("[definitions.efficiency]\nformula = \"speedup / (gpus\"\n",
            "2:11: character 16 of 'speedup / (gpus': expected )");
  complaint("[definitions.time]\nunit = \"sek\"\n", "2:8: definitions.time.unit: unknown unit");
  complaint("title = \n", "1:");
}
