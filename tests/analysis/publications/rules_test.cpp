// SPDX-License-Identifier: Apache-2.0
// Tests that each rule reports the flaw for which the rule was written, and reports nothing for the
// same data without the flaw.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/analysis/publications/publication.hpp"

using namespace dlscale;
using analysis::Publication;

namespace {

struct RuleCase {
  std::string rule;
  std::string flawed;
  std::string sound;
  /// Function that adds further data of the publication. If `flawed` is true, the data has the
  /// flaw.
  void (*add)(Publication&, bool flawed) = [](Publication&, bool) {};
};

void add_devices(Publication& publication, bool) {
  publication.hardware = test::publication_of(
                             "device,link,precision,quantity,value,unit\n"
                             "T4,,,memory,16,GiB\nGTX,,,usable_memory,10.91,GiB\n"
                             "V100S,,fp32,peak,16.4,TFLOP/s\n,EDR,,link_bandwidth,100,Gbit/s\n")
                             .values;
}

void add_definition(Publication& publication, const std::string& quantity,
                    const std::string& formula) {
  publication.baseline_gpus = 4;
  publication.baseline_nodes = 1;
  publication.definitions[quantity].formula = formula;
}

void add_parts(Publication& publication, bool flawed) {
  publication.settings = {{"framework", {"ddp"}},
                          {"computation", {"forward", "backward"}},
                          {"communication", {flawed ? "barrier" : "all_reduce"}}};
}

void add_processes(Publication& publication, bool flawed) {
  publication.settings = {{"framework", {"data_parallel"}},
                          {"processes_per_node", {flawed ? "2" : "1"}}};
}

void add_units(Publication& publication, bool flawed) {
  analysis::Definition& time = publication.definitions["time"];
  time = {"alpha + n * beta", "", "", "s", {{"alpha", "s"}, {"n", "B"}}, {}};
  time.units["beta"] = flawed ? "bit/s" : "s/B";
}

void add_classifier(Publication& publication, bool) {
  publication.settings = {{"classifier_layers", {"3"}}, {"classes", {"10"}}};
}

void add_measured(Publication& publication, bool) {
  publication.measured = {{{"table", {"table.csv"}}, {"gpus", {"1", "2"}}}};
}

void add_setups(Publication& publication, bool) {
  publication.settings = {{"defined.setup", {"plain"}}};
}

void add_fixed_work(Publication& publication, bool) {
  publication.work = "fixed";
  publication.baseline_gpus = 4;
  publication.baseline_nodes = 1;
}

std::vector<RuleCase> value_cases() {
  return {
      {"conflicting_statements",
       "loader,framework,quantity,relation,value\nnative,ddp|horovod,efficiency,<,0.24\n"
       "native,?ddp|horovod,efficiency,=,0.45\n",
       // A statement about one framework does not conflict with a bound for a different framework.
       "loader,framework,quantity,relation,value\nnative,ddp,efficiency,<,0.24\n"
       "native,?ddp|horovod,efficiency,=,0.45\n"},
      {"claimed_ratio",
       "gpus,time [s],quantity,relation,value,unit,along,from,to\n1,1.4,,,,,,,\n2,0.6,,,,,,,\n"
       ",,time,times,1/2,1,gpus,1,2\n",
       "gpus,time [s],quantity,relation,value,unit,along,from,to\n1,60,,,,,,,\n2,30,,,,,,,\n"
       ",,time,times,1/2,1,gpus,1,2\n"},
      {"broken_trend",
       "gpus,share [%],quantity,relation,along\n1,10.00,,,\n2,9.90,,,\n,,share,rises,gpus\n",
       "gpus,share [%],quantity,relation,along\n1,10.00,,,\n2,10.10,,,\n,,share,rises,gpus\n"},
      {"repeated_values", "gpus,io [%],dnn [%]\n1,11.87,24.45\n2,11.87,24.45\n",
       "gpus,io [%],dnn [%]\n1,11.87,24.45\n2,11.87,24.46\n"},
      {"missing_points", "gpus,time [s]\n1,10\n", "gpus,time [s]\n1,10\n2,6\n", &add_measured},
      {"odd_gpu_count", "gpus,share [%]\n128,10\n256,11\n512,12\n64,13\n32,14\n1204,15\n",
       "gpus,share [%]\n128,10\n256,11\n512,12\n64,13\n32,14\n1536,15\n"},
      {"undefined_name", "setup,time [s]\naugmented,10\n", "setup,time [s]\nplain,10\n",
       &add_setups},
      {"shares_above_100", "gpus,a [%],b [%]\n1,60,41.5\n", "gpus,a [%],b [%]\n1,60,40.5\n"},
      {"share_of_another_whole",
       "model,gpus,epochs,load_share [%],load_time [s],runtime "
       "[h]\nm,64,10,16.9,25,\nm,4,90,,,17\n",
       "model,gpus,epochs,load_share [%],load_time [s],runtime "
       "[h]\nm,64,10,5.0,25,\nm,4,90,,,17\n"},
      {"speedup_and_efficiency",
       "gpus,quantity,value,along,from,to\n,speedup,234,gpus,4,1024\n1024,efficiency,0.76,,,\n",
       "gpus,quantity,value,along,from,to\n,speedup,234,gpus,4,1024\n1024,efficiency,0.914,,,\n"},
      {"above_ideal", "gpus,train_time [s]\n1,24\n2,11\n", "gpus,train_time [s]\n1,9\n2,4\n"},
      {"mixed_devices", "gpus,device,train_time [s]\n1,K80,24\n2,P100,13\n",
       "gpus,device,train_time [s]\n1,P100,24\n2,P100,13\n"},
      {"best_reversed",
       "gpus,throughput@median [image/s],quantity,relation,along,to\n2,23.02,,,,\n3,24.52,,,,\n"
       ",,throughput,best,gpus,2\n",
       "gpus,throughput@median [image/s],quantity,relation,along,to\n2,23.02,,,,\n3,24.52,,,,\n"
       ",,throughput,best,gpus,3\n"},
      {"best_unproven",
       "gpus,p_value [1],quantity,relation,along,to\n2|3,0.58,,,,\n,,throughput,best,gpus,2\n",
       "gpus,p_value [1],quantity,relation,along,to\n2|3,0.01,,,,\n,,throughput,best,gpus,2\n"},
      {"nothing_learnt",
       "gpus,loss@first [1],loss@last [1],accuracy@first [1],accuracy@last "
       "[1]\n2,2.3,2.3,0.1,0.1\n",
       "gpus,loss@first [1],loss@last [1],accuracy@first [1],accuracy@last "
       "[1]\n2,2.3,1.7,0.1,0.4\n"},
  };
}

std::vector<RuleCase> definition_cases() {
  return {
      {"efficiency_formula", "gpus,time [s]\n4,1\n", "gpus,time [s]\n4,1\n",
       [](Publication& publication, bool flawed) {
         add_definition(publication, "efficiency",
                        flawed ? "speedup / gpus" : "speedup * gpus0 / gpus");
       }},
      {"transfer_without_ring", "gpus,time [s]\n4,1\n", "gpus,time [s]\n4,1\n",
       [](Publication& publication, bool flawed) {
         const std::string formula = "samples / (batch * gpus) * parameters";
         add_definition(publication, "transfer",
                        flawed ? formula : formula + " * 2 * (gpus - 1) / gpus");
       }},
      {"efficiency_and_times", "gpus,epoch_time [s],efficiency [%]\n4,45.86,\n3664,47.30,96\n",
       "gpus,epoch_time [s],efficiency [%]\n4,45.86,\n3664,47.30,97\n", &add_fixed_work},
      {"weak_called_strong", "gpus,epoch_time [s],efficiency [%]\n4,45.86,\n3664,47.30,97\n",
       "gpus,epoch_time [s],efficiency [%]\n4,57.83,\n32,11.07,65\n", &add_fixed_work},
      {"parameter_count", "input_features,hidden,trainable_parameters [1]\n512,4096,5130\n",
       "input_features,hidden,trainable_parameters [1]\n25088,4096,119586826\n", &add_classifier},
      {"communication_elsewhere", "gpus,time [s]\n4,1\n", "gpus,time [s]\n4,1\n", &add_parts},
      {"processes", "gpus,time [s]\n4,1\n", "gpus,time [s]\n4,1\n", &add_processes},
      {"device_memory", "device,memory [GiB]\nT4,10.91\n", "device,memory [GiB]\nT4,14.6\n",
       &add_devices},
      {"device_peak", "device,precision,peak [TFLOP/s]\nV100,fp32|tf32,133\n",
       "device,precision,peak [TFLOP/s]\nV100,fp32,15.7\n", &add_devices},
      {"named_link", "link,link_bandwidth [Gbit/s]\nEDR,200\n",
       "link,link_bandwidth [Gbit/s]\nEDR,100\n", &add_devices},
      {"bits_and_bytes",
       "cluster,calibrated_bandwidth [Gbit/s],link_bandwidth [Gbit/s]\nA,12.24,100\n",
       "cluster,calibrated_bandwidth [GB/s],link_bandwidth [Gbit/s]\nA,12.24,100\n"},
      {"formula_units", "gpus,time [s]\n4,1\n", "gpus,time [s]\n4,1\n", &add_units},
      {"saturated_cause", "quantity,relation,along,from,cause\ntime,rises,P,100,(P - 1) / P\n",
       "quantity,relation,along,from,cause\ntime,rises,P,100,P - 1\n"},
  };
}

std::vector<RuleCase> cases() {
  std::vector<RuleCase> all = value_cases();
  for (RuleCase& one : definition_cases()) all.push_back(std::move(one));
  return all;
}

std::size_t findings(const RuleCase& one, bool flawed) {
  Publication publication = test::publication_of(flawed ? one.flawed : one.sound);
  one.add(publication, flawed);
  const auto& rule = base::find(analysis::contradiction_rules(), "rule", one.rule);
  return rule.find(publication).size();
}

}  // namespace

TEST_CASE("each rule finds its flaw") {
  for (const RuleCase& one : cases()) {
    INFO(one.rule);
    CHECK(findings(one, true) == 1);
  }
}

TEST_CASE("each rule reports nothing for the same data without the flaw") {
  for (const RuleCase& one : cases()) {
    INFO(one.rule);
    CHECK(findings(one, false) == 0);
  }
}

TEST_CASE("every rule has a test and finds nothing in an empty publication") {
  std::vector<std::string> tested;
  for (const RuleCase& one : cases()) tested.push_back(one.rule);
  for (const analysis::ContradictionRule* rule : analysis::contradiction_rules()) {
    INFO(rule->name);
    CHECK(std::count(tested.begin(), tested.end(), rule->name) == 1);
    CHECK(rule->find(Publication{}).empty());
    CHECK(std::string(rule->summary).size() > 20);
  }
}

TEST_CASE("a formula with an unknown name is reported with its place") {
  Publication publication;
  publication.baseline_gpus = 4;
  publication.definitions["efficiency"].formula = "speedup / workers";
  publication.definitions["efficiency"].place = {"study.toml", 7, 3};
  CHECK_THROWS_WITH(
      find_contradictions(publication),
      Catch::Contains("study.toml:7:3: character 11 of 'speedup / workers': unknown name") &&
          Catch::Contains("workers"));
}
