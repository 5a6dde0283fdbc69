// SPDX-License-Identifier: Apache-2.0
#include "analysis/proposal/proposal_form.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using Catch::StartsWith;

const std::string kHead = "name = \"mine\"\ncentre = \"Mine\"\napplication = \"form\"\n";

std::string line_text(const std::string& quantity, const std::string& source) {
  return "[[line]]\ntitle = \"Scaling\"\nasks = \"a table\"\nquantity = \"" + quantity +
         "\"\nsource = \"" + source + "\"\n";
}

/// Returns the message of the error that parsing `text` throws.
std::string form_error(const std::string& text) {
  try {
    parse_proposal_form(text, "mine.toml");
  } catch (const base::SpecError& error) {
    CHECK(error.exit_code() == 2);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("each shipped form except the generic one names its sources and their dates") {
  const std::vector<ProposalForm> forms = shipped_proposal_forms();
  CHECK(forms.size() >= 7);
  std::set<std::string> names;
  for (const ProposalForm& form : forms) {
    INFO(form.name);
    CHECK(names.insert(form.name).second);
    CHECK(form.sources.empty() == (form.name == "generic"));
    for (const FormSource& source : form.sources) CHECK(source.read.size() == 10);
  }
}

TEST_CASE("each shipped form requires the scaling, the job size, the request and the limits") {
  for (const ProposalForm& form : shipped_proposal_forms()) {
    std::set<std::string> quantities;
    for (const FormLine& line : form.lines) quantities.insert(line.quantity);
    INFO(form.name);
    for (const char* const needed : {"job_size", "request_table", "request_total", "limits"}) {
      CHECK(quantities.contains(needed));
    }
    CHECK((quantities.contains("scaling_table") || quantities.contains("weak_scaling_table")));
  }
}

TEST_CASE("the shipped forms together use every quantity except speedup_table") {
  std::set<std::string> unused;
  for (const ProposalQuantity& quantity : proposal_quantities()) unused.insert(quantity.name);
  for (const ProposalForm& form : shipped_proposal_forms()) {
    for (const FormLine& line : form.lines) unused.erase(line.quantity);
  }
  CHECK(unused == std::set<std::string>{"speedup_table"});
}

TEST_CASE("a form is read with its unit and its lines") {
  const ProposalForm form = parse_proposal_form(kHead + "[unit]\nname = \"CU\"\nper = \"gpu-h\"\n" +
                                                    line_text("scaling_table", "table") +
                                                    line_text("project_text", "applicant"),
                                                "mine.toml");
  CHECK(form.unit.name == "CU");
  CHECK(form.unit.per == "gpu-h");
  CHECK_FALSE(form.unit.factor.has_value());
  REQUIRE(form.lines.size() == 2);
  CHECK(form.lines[1].quantity == "project_text");
}

TEST_CASE("a unit with the name of its resource has the factor 1") {
  const ProposalForm form =
      parse_proposal_form(kHead + line_text("scaling_table", "table"), "mine.toml");
  CHECK(form.unit.name == "node-h");
  CHECK(form.unit.factor == 1);
}

TEST_CASE("an unknown quantity gets its place and the nearest quantity") {
  const std::string error = form_error(kHead + line_text("scaling_tabel", "table"));
  CHECK_THAT(error, StartsWith("mine.toml:7:12: ") &&
                        Contains("unknown quantity \"scaling_tabel\"; did you mean "
                                 "\"scaling_table\"?"));
}

TEST_CASE("an unknown source gets its place and the nearest source") {
  const std::string error = form_error(kHead + line_text("scaling_table", "tabel"));
  CHECK_THAT(error, StartsWith("mine.toml:8:10: ") && Contains("did you mean \"table\"?"));
}

TEST_CASE("a quantity with the source of another quantity is an error") {
  const std::string error = form_error(kHead + line_text("scaling_table", "prediction"));
  CHECK_THAT(error, StartsWith("mine.toml:8:10: ") &&
                        Contains("the source of scaling_table is \"table\" (got \"prediction\")"));
}

TEST_CASE("missing and unknown keys, wrong dates and wrong units of a form are errors") {
  const std::string line = line_text("limits", "answer");
  CHECK_THAT(form_error(line), Contains("the key name is missing"));
  CHECK_THAT(form_error(kHead), Contains("the form has no [[line]]"));
  CHECK_THAT(form_error(kHead + "centr = \"x\"\n" + line), Contains("did you mean \"centre\"?"));
  CHECK_THAT(form_error(kHead + "[[line]]\ntitle = \"Scaling\"\n"),
             Contains("the key asks is missing"));
  CHECK_THAT(
      form_error(kHead + "[[source]]\naddress = \"a\"\npage = \"b\"\nread = \"May\"\n" + line),
      Contains("must be a date such as \"2026-11-28\" (got \"May\")"));
  CHECK_THAT(form_error(kHead + "[unit]\nper = \"node-hour\"\n" + line),
             Contains("did you mean \"node-h\"?"));
}

TEST_CASE("an unknown form gets the nearest name, and a missing form file is named") {
  CHECK_THROWS_WITH(find_proposal_form("archer3"),
                    Contains("unknown form \"archer3\"") && Contains("did you mean \"archer"));
  CHECK_THROWS_WITH(find_proposal_form("nowhere.toml"), Contains("nowhere.toml: no such file"));
}

TEST_CASE("a facts file may contain the keys of all shipped forms and the factor of the unit") {
  const ProposalForm form = find_proposal_form("generic");
  const ApplicantFacts facts = parse_applicant_facts(
      "unit_factor = 48\nproject_text = \"Aims.\"\nwork_plan = \"Plan.\"\n", "facts.toml", form);
  CHECK(facts.unit_factor == 48);
  CHECK(facts.text_for_key("project_text") == "Aims.");
  CHECK(facts.text_for_key("software").empty());
  CHECK_THROWS_WITH(parse_applicant_facts("sofware = \"x\"\n", "facts.toml", form),
                    StartsWith("facts.toml:1:1: ") && Contains("did you mean \"software\"?"));
}

}  // namespace dlscale::analysis
