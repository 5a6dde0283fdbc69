// SPDX-License-Identifier: Apache-2.0
#include "analysis/proposal/proposal.hpp"

#include <catch2/catch.hpp>

#include "analysis/proposal/proposal_files.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/repeated_runs.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using Content = ProposalPart::Content;
using test::add_repeats;
using test::frame_of;

/// Returns a study with six repetitions in which 8 GPUs are not worthwhile.
Frame measured_study() {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 195, 6);
  add_repeats(frame, 4, 370, 6);
  add_repeats(frame, 8, 500, 6);
  for (RunRow& run : frame.runs) {
    run.peak_memory_bytes = 2e9;
    run.point["model"] = "mlp";
    run.epochs.resize(2);
  }
  return frame;
}

RequestedRun requested(int gpus, double hours) {
  RequestedRun run;
  run.point = {{"model", "mlp"}, {"gpus", std::to_string(gpus)}};
  run.gpus = gpus;
  run.nodes = (gpus + 3) / 4;
  run.charged_gpus = 4 * run.nodes;
  run.cores = 48 * run.nodes;
  run.time_s = {3600 * hours, 3000 * hours, 4000 * hours};
  run.memory_bytes = {1e9 * gpus, 0.9e9 * gpus, 1.1e9 * gpus};
  run.epochs = 2;
  return run;
}

RequestedStudy large_study() {
  RequestedStudy study{.study = "large", .site = "cluster", .scaling = "weak", .worker = "GPU"};
  study.axes = {"model", "gpus"};
  study.runs = {requested(4, 3), requested(8, 2), requested(8, 2), requested(16, 1)};
  study.basis = "measured steps";
  return study;
}

struct Made {
  Frame frame = measured_study();
  AnalysisOptions options;
  std::optional<RequestedStudy> request = large_study();
  ApplicantFacts facts;
  bool is_read_from_logs = false;

  Proposal with(const std::string& form) const {
    return make_proposal(find_proposal_form(form), {.frame = frame,
                                                    .options = options,
                                                    .site = "laptop",
                                                    .run_bytes = {1e6, 2e6, 3e6},
                                                    .request = request,
                                                    .facts = facts,
                                                    .is_read_from_logs = is_read_from_logs});
  }
};

const ProposalPart& part_with(const Proposal& proposal, const std::string& quantity) {
  for (const ProposalPart& part : proposal.parts) {
    if (part.line.quantity == quantity) return part;
  }
  FAIL("no part " << quantity);
  return proposal.parts.front();
}

const Table& table_with(const Proposal& proposal, const std::string& id) {
  for (const Table& table : proposal.page.report.tables) {
    if (table.id == id) return table;
  }
  FAIL("no table " << id);
  return proposal.page.report.tables.front();
}

std::string all_text(const ProposalPart& part) {
  std::string text;
  for (const std::string& paragraph : part.text) text += paragraph + "\n";
  return text;
}

/// Checks that each line of the form is in all documents, with its content or its reason.
void check_complete(const Proposal& proposal) {
  const std::string markdown = proposal_markdown(proposal);
  const std::string html = proposal_html(proposal);
  const std::string latex = proposal_latex(proposal);
  CHECK(proposal.parts.size() == proposal.form.lines.size());
  for (const ProposalPart& part : proposal.parts) {
    INFO(proposal.form.name << ": " << part.line.quantity);
    CHECK_THAT(markdown, Contains("\n## " + part.line.title));
    CHECK_THAT(html, Contains(">" + part.line.title + "</h2>"));
    CHECK_THAT(latex, Contains("\\section{" + part.line.title + "}"));
    switch (part.content) {
      case Content::table:
        CHECK_FALSE(table_with(proposal, part.id).rows.empty());
        CHECK_THAT(latex, Contains("\\input{tables/" + part.id + ".tex}"));
        CHECK_THAT(html, Contains("id=\"caption-" + part.id + "\""));
        break;
      case Content::figure:
        CHECK_THAT(markdown, Contains("(figures/" + part.id + ".svg)"));
        CHECK_THAT(latex, Contains("\\input{figures/" + part.id + ".tex}"));
        break;
      case Content::absent:
        CHECK_FALSE(part.commands.empty());
        CHECK_THAT(markdown, Contains("**Not stated.** "));
        CHECK_THAT(markdown, Contains(part.commands.front()));
        break;
      case Content::applicant:
        CHECK_THAT(markdown, Contains("**TO BE FILLED IN.** "));
        break;
      case Content::text:
        CHECK_FALSE(all_text(part).empty());
        break;
    }
  }
}

}  // namespace

TEST_CASE("every quantity of every shipped form is in the documents or states its reason") {
  const Made made;
  Made empty;
  empty.request.reset();
  empty.frame.scaling = "strong";
  for (RunRow& run : empty.frame.runs) run.outcome = "Failed";
  for (const ProposalForm& form : shipped_proposal_forms()) {
    check_complete(made.with(form.name));
    check_complete(empty.with(form.name));
    CHECK(count_parts(empty.with(form.name), Content::table) == 0);
    CHECK(count_parts(empty.with(form.name), Content::figure) == 0);
  }
}

TEST_CASE("with results and a request, only the other kind of scaling is not stated") {
  const Made made;
  for (const ProposalForm& form : shipped_proposal_forms()) {
    for (const ProposalPart& part : made.with(form.name).parts) {
      if (part.content == Content::absent) CHECK(part.line.quantity == "strong_scaling_table");
    }
  }
}

TEST_CASE("the title of the scaling table names the kind of scaling, and each count has a row") {
  const Proposal proposal = Made().with("generic");
  const Table& table = table_with(proposal, "scaling");
  CHECK(table.title == "Weak scaling of made-up");
  CHECK(table.rows.size() == 4);
  Made strong;
  strong.frame.scaling = "strong";
  for (RunRow& run : strong.frame.runs) {
    run.global_batch = 64;
    run.batch_per_gpu = 64 / run.gpus;
  }
  CHECK(table_with(strong.with("generic"), "scaling").title == "Strong scaling of made-up");
}

TEST_CASE("a form with both kinds of scaling gets one table and the command for the other") {
  const Proposal proposal = Made().with("nhr-zib");
  CHECK(part_with(proposal, "weak_scaling_table").content == Content::table);
  const ProposalPart& strong = part_with(proposal, "strong_scaling_table");
  CHECK(strong.content == Content::absent);
  CHECK_THAT(all_text(strong), Contains("The results are of weak scaling."));
  CHECK_THAT(strong.commands.front(), Contains("scaling = \"strong\" and the axis global_batch"));
}

TEST_CASE("the job size is the largest count whose efficiency has a sufficient lower bound") {
  Made made;
  CHECK_THAT(all_text(part_with(made.with("generic"), "job_size")),
             Contains("has a lower bound of at least 0.8.") && Contains("Use up to 4 GPUs"));
  made.options.min_efficiency = 0.95;
  CHECK_THAT(all_text(part_with(made.with("generic"), "job_size")),
             Contains("at least 0.95.") && Contains("Use up to 2 GPUs"));
}

TEST_CASE("a job size from few repetitions is marked as not proven, with the missing runs") {
  Made made;
  std::erase_if(made.frame.runs, [](const RunRow& run) { return run.repetition > 2; });
  const Proposal proposal = made.with("generic");
  const ProposalPart& part = part_with(proposal, "job_size");
  CHECK_THAT(all_text(part), Contains("The measurements do not prove this answer."));
  REQUIRE(part.commands.size() == 3);
  CHECK_THAT(part.commands[0], Contains("study.repeats=6"));
  CHECK_THAT(part.commands[2], Contains("dlscale collect"));
}

TEST_CASE("job sizes are the smallest, the median and the largest requested count") {
  const Proposal proposal = Made().with("generic");
  const Table& table = table_with(proposal, "job-sizes");
  REQUIRE(table.rows.size() == 3);
  const auto number = [&](std::size_t row, std::size_t column) {
    return std::get<double>(table.rows[row][column]);
  };
  CHECK(std::get<std::string>(table.rows[0][0]) == "minimum");
  CHECK(number(0, 1) == 4);
  CHECK(std::get<std::string>(table.rows[1][0]) == "typical");
  CHECK(number(1, 1) == 8);
  CHECK(number(1, 2) == 2);
  CHECK(number(1, 3) == 2);
  CHECK(number(2, 1) == 16);
  CHECK(number(2, 4) == 3600);
  CHECK(number(2, 6) == 16e9);
}

TEST_CASE("equal job sizes share a row, and memory without a prediction has a reason") {
  Made made;
  made.request->runs = {requested(8, 2), requested(8, 2)};
  for (RequestedRun& run : made.request->runs) run.memory_bytes = {};
  const Proposal proposal = made.with("generic");
  const Table& table = table_with(proposal, "job-sizes");
  REQUIRE(table.rows.size() == 1);
  CHECK(std::get<std::string>(table.rows[0][0]) == "minimum, typical, maximum");
  CHECK(table.columns.size() == 6);
  CHECK_THAT(table.notes.back(), Contains("the memory is not predicted"));
}

TEST_CASE("the total is the sum of runs x hours x nodes, in the unit of the centre") {
  // 4 GPUs: 3 h x 1 node; 8 GPUs: 2 runs x 2 h x 2 nodes; 16 GPUs: 1 h x 4 nodes.
  Made made;
  CHECK_THAT(all_text(part_with(made.with("generic"), "request_total")),
             Contains("The 4 runs of large need 15.0 node-h (band 12.5 to 16.7)."));
  CHECK_THAT(all_text(part_with(made.with("archer2"), "request_total")),
             Contains("The request is 15.0 CU (band 12.5 to 16.7), because one node-h counts as 1 "
                      "CU."));
  CHECK_THAT(all_text(part_with(made.with("goethe-hlr"), "request_total")),
             Contains("720 core-h (band 600 to 800)"));
  const Proposal proposal = made.with("generic");
  const Table& table = table_with(proposal, "request");
  double node_hours = 0, runs = 0;
  for (const auto& row : table.rows) {
    runs += std::get<double>(row[3]);
    node_hours += std::get<double>(row[6]);
  }
  CHECK(runs == 4);
  CHECK(node_hours == Approx(15));
}

TEST_CASE("a request with many configurations has one row for each size") {
  Made made;
  made.request->runs.clear();
  for (int i = 0; i < 31; ++i) made.request->runs.push_back(requested(i % 2 == 0 ? 4 : 8, 1 + i));
  const Proposal proposal = made.with("generic");
  const Table& table = table_with(proposal, "request");
  REQUIRE(table.rows.size() == 2);
  CHECK(std::get<double>(table.rows[0][3]) == 16);
  CHECK(std::get<double>(table.rows[0][4]) == 31);           // the longest run on 4 GPUs
  CHECK(std::get<double>(table.rows[0][6]) == Approx(256));  // 1 + 3 + ... + 31 hours on one node
  CHECK_THAT(table.notes.back(), Contains("all configurations of a size"));
}

TEST_CASE("the size of the files of imported results is not stated") {
  Made made;
  made.frame.is_imported = true;
  const Proposal proposal = made.with("generic");
  CHECK(part_with(proposal, "storage").content == Content::absent);
  CHECK_THAT(all_text(part_with(proposal, "storage")), Contains("imported from logs"));
}

TEST_CASE("a unit whose factor is unknown needs the factor from the facts") {
  Made made;
  ProposalForm form = find_proposal_form("generic");
  form.unit = {"credit", "gpu-h", {}};
  const auto total = [&] {
    const Proposal proposal = make_proposal(form, {.frame = made.frame,
                                                   .options = made.options,
                                                   .site = "laptop",
                                                   .run_bytes = {},
                                                   .request = made.request,
                                                   .facts = made.facts});
    return all_text(part_with(proposal, "request_total"));
  };
  CHECK_THAT(total(), Contains("need 60.0 gpu-h (band 50.0 to 66.7)") &&
                          Contains("The total in credit is not stated") &&
                          Contains("Set the key unit_factor"));
  made.facts.unit_factor = 2;
  CHECK_THAT(total(), Contains("The request is 120 credit (band 100 to 133)"));
}

TEST_CASE("a request with runs without a prediction states the reason and the commands") {
  Made made;
  made.request->runs[1].time_s = {};
  made.request->why_unpredicted.text = "there is no model card";
  for (const char* const quantity : {"job_sizes", "request_table", "request_total"}) {
    const Proposal proposal = made.with("generic");
    const ProposalPart& part = part_with(proposal, quantity);
    CHECK(part.content == Content::absent);
    CHECK_THAT(all_text(part), Contains("The run times of 1 of 4 runs of large are not predicted: "
                                        "there is no model card."));
    CHECK_THAT(part.commands.at(0), Contains("dlscale calibrate"));
  }
  CHECK(part_with(made.with("generic"), "run_count").content == Content::text);
}

TEST_CASE("a request for a training script of the user never recommends dlscale calibrate") {
  Made made;
  made.request->is_external = true;
  made.request->runs[1].time_s = {};
  using Cause = UntimedReason::Cause;
  for (const auto& [cause, command] :
       {std::pair{Cause::no_samples, "-S training.dataset.train_samples=N"},
        {Cause::no_length, "-S training.steps=N"},
        {Cause::other, "--calibration rates.toml"}}) {
    made.request->why_unpredicted = {cause, "the reason"};
    const Proposal untimed = made.with("generic");
    const ProposalPart& total = part_with(untimed, "request_total");
    REQUIRE(total.commands.size() == 1);
    CHECK_THAT(total.commands.front(), Contains(command));
  }
  made.request = large_study();
  made.request->is_external = true;
  for (RequestedRun& run : made.request->runs) run.memory_bytes = {};
  const Proposal timed = made.with("generic");
  CHECK_THAT(table_with(timed, "job-sizes").notes.back(),
             Contains("the memory is not predicted") && !Contains("calibrate"));
}

TEST_CASE("results from logs without peak memory name the key of the log format") {
  Made made;
  made.is_read_from_logs = true;
  for (RunRow& run : made.frame.runs) run.peak_memory_bytes.reset();
  const Proposal proposal = made.with("generic");
  const ProposalPart& memory = part_with(proposal, "memory_table");
  CHECK(memory.content == Content::absent);
  CHECK_THAT(all_text(memory), Contains("a log format with a rule that reads peak_memory_bytes"));
  CHECK_THAT(memory.commands.at(0), !Contains("dlscale run"));
}

TEST_CASE("GPU-hours on a site without GPUs are not stated") {
  Made made;
  made.request->worker = "rank";
  ProposalForm form = find_proposal_form("generic");
  form.unit = {"gpu-h", "gpu-h", 1};
  const Proposal proposal = make_proposal(form, {.frame = made.frame,
                                                 .options = made.options,
                                                 .site = "laptop",
                                                 .run_bytes = {},
                                                 .request = made.request,
                                                 .facts = {}});
  CHECK_THAT(all_text(part_with(proposal, "request_total")), Contains("cluster has no GPUs"));
}

TEST_CASE("storage is the size of the largest measured run times the number of requested runs") {
  Made made;
  CHECK_THAT(all_text(part_with(made.with("generic"), "storage")),
             Contains("wrote 1.00 MB to 3.00 MB, median 2.00 MB") &&
                 Contains("The 4 requested runs write at most 0.0120 GB"));
  made.request->runs[0].point["model"] = "resnet50";
  CHECK_THAT(all_text(part_with(made.with("generic"), "storage")),
             Contains("not stated, because no measured run has the model resnet50"));
  made.request->runs[0].point["model"] = "mlp";
  made.request->runs[0].epochs = 90;
  CHECK_THAT(all_text(part_with(made.with("generic"), "storage")),
             Contains("train for 90 epochs, and the longest measured run for 2"));
  for (RunRow& run : made.frame.runs) run.epochs.clear();
  CHECK_THAT(all_text(part_with(made.with("generic"), "storage")),
             Contains("the number of epochs of the measured runs is unknown"));
  made.request->runs[0].epochs = 0;
  CHECK_THAT(all_text(part_with(made.with("generic"), "storage")),
             Contains("the number of epochs of the requested runs is unknown"));
}

TEST_CASE("the limits name repetitions, predictions, extrapolation and unjustified counts") {
  Made made;
  made.request->notes = {"2 points outside the measured GPU counts"};
  const std::string text = all_text(part_with(made.with("generic"), "limits"));
  CHECK_THAT(text, Contains("Used runs: 24 of 24 runs used.") && Contains("n = 6 repeats"));
  CHECK_THAT(text, Contains("The run times of the 4 requested runs are predicted and not measured "
                            "(basis: measured steps)."));
  CHECK_THAT(text, Contains("1 requested run is on more than 8 GPUs, the largest measured count"));
  CHECK_THAT(text, Contains("3 requested runs are on more than 4 GPUs, the largest count that the "
                            "results justify."));
  CHECK_THAT(text,
             Contains("measured on the site laptop, and the request is for the site cluster"));
  CHECK_THAT(text, Contains("Note on the prediction: 2 points outside the measured GPU counts."));
}

TEST_CASE("texts of the applicant replace the lines to be filled in") {
  Made made;
  made.facts.texts = {{"software", "PyTorch & <mine>, 100 %"}};
  const Proposal proposal = made.with("archer2");
  CHECK(part_with(proposal, "software").content == Content::text);
  CHECK(part_with(proposal, "data_handling").content == Content::applicant);
  CHECK_THAT(proposal_latex(proposal), Contains("PyTorch \\& "));
  CHECK_THAT(proposal_html(proposal), Contains("PyTorch &amp; &lt;mine&gt;, 100 %"));
  CHECK_THAT(proposal_markdown(proposal), Contains("PyTorch & \\<mine\\>, 100 %"));
}

TEST_CASE("results at one count have no speed-up, and the reason names the missing counts") {
  Made made;
  std::erase_if(made.frame.runs, [](const RunRow& run) { return run.gpus != 2; });
  for (const char* const quantity : {"scaling_table", "speedup_figure", "job_size"}) {
    const Proposal proposal = made.with("generic");
    const ProposalPart& part = part_with(proposal, quantity);
    CHECK(part.content == Content::absent);
    CHECK_THAT(all_text(part), Contains("All runs have the same GPU count"));
    CHECK_THAT(part.commands.at(0), Contains("matrix.gpus=[2, 4, 8]"));
  }
}

TEST_CASE("the same proposal gives the same files") {
  const Made made;
  const test::TempDir first, second;
  write_proposal(made.with("generic"), first.path(), "");
  write_proposal(made.with("generic"), second.path(), "");
  for (const char* const file : {"proposal.md", "proposal.html", "proposal.tex", "values.tex",
                                 "tables/request.csv", "figures/speedup.svg"}) {
    CHECK(base::read_file(first.path() / file) == base::read_file(second.path() / file));
  }
}

}  // namespace dlscale::analysis
