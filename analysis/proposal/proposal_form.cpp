// SPDX-License-Identifier: Apache-2.0
#include "analysis/proposal/proposal_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "config/toml/fields.hpp"

namespace dlscale::analysis {
namespace {

using config::Item;

constexpr ProposalQuantity kProposalQuantities[] = {
    {"scaling_table", "table"},
    {"weak_scaling_table", "table"},
    {"strong_scaling_table", "table"},
    {"speedup_table", "table"},
    {"throughput_table", "table"},
    {"memory_table", "table"},
    {"speedup_figure", "figure"},
    {"efficiency_figure", "figure"},
    {"job_size", "answer"},
    {"limits", "answer"},
    {"run_count", "plan"},
    {"job_sizes", "prediction"},
    {"request_table", "prediction"},
    {"request_total", "prediction"},
    {"storage", "records"},
};

std::vector<std::string> proposal_quantity_names() {
  std::vector<std::string> names;
  for (const ProposalQuantity& quantity : kProposalQuantities) names.emplace_back(quantity.name);
  return names;
}

std::vector<std::string> proposal_source_names() {
  std::vector<std::string> names{kApplicant};
  for (const ProposalQuantity& quantity : kProposalQuantities) {
    if (std::find(names.begin(), names.end(), quantity.source) == names.end()) {
      names.emplace_back(quantity.source);
    }
  }
  return names;
}

void require_key(const Item& table, const char* key, const std::string& value) {
  if (value.empty()) table.fail(fmt::format("the key {} is missing", key));
}

std::string read_form_date(const Item& item) {
  const std::string& text = item.word();
  const std::string pattern = "dddd-dd-dd";
  const bool fits = text.size() == pattern.size() &&
                    std::equal(text.begin(), text.end(), pattern.begin(), [](char c, char kind) {
                      return kind == 'd' ? c >= '0' && c <= '9' : c == kind;
                    });
  if (!fits) item.fail(fmt::format("must be a date such as \"2026-11-28\" (got \"{}\")", text));
  return text;
}

FormSource read_form_source(const Item& table) {
  static const std::vector<config::Field<FormSource>> fields{
      {"address", [](FormSource& source, const Item& item) { source.address = item.word(); }},
      {"page", [](FormSource& source, const Item& item) { source.page = item.word(); }},
      {"read", [](FormSource& source, const Item& item) { source.read = read_form_date(item); }}};
  FormSource source;
  config::read_fields(table, fields, source);
  require_key(table, "address", source.address);
  require_key(table, "page", source.page);
  require_key(table, "read", source.read);
  return source;
}

/// Line of a form, with the items of its keys for messages.
struct ReadFormLine {
  FormLine line;
  std::optional<Item> quantity, source;
};

/// Throws base::SpecError if no quantity has the name in the line, or if the line states another
/// source than the quantity has.
void check_quantity(const ReadFormLine& read) {
  const FormLine& line = read.line;
  if (line.source == kApplicant) {
    if (!config::is_identifier(line.quantity)) {
      read.quantity->fail(
          "must consist of letters, digits and _, because it is a key of the facts file");
    }
    return;
  }
  const auto* found =
      std::find_if(std::begin(kProposalQuantities), std::end(kProposalQuantities),
                   [&](const ProposalQuantity& one) { return line.quantity == one.name; });
  if (found == std::end(kProposalQuantities)) {
    read.quantity->fail(base::unknown_name("quantity", line.quantity, proposal_quantity_names()));
  }
  if (line.source != found->source) {
    read.source->fail(fmt::format("the source of {} is \"{}\" (got \"{}\")", line.quantity,
                                  found->source, line.source));
  }
}

FormLine read_form_line(const Item& table) {
  static const std::vector<config::Field<ReadFormLine>> fields{
      {"title", [](ReadFormLine& read, const Item& item) { read.line.title = item.word(); }},
      {"asks", [](ReadFormLine& read, const Item& item) { read.line.asks = item.word(); }},
      {"quantity",
       [](ReadFormLine& read, const Item& item) {
         read.line.quantity = item.word();
         read.quantity.emplace(item);
       }},
      {"source", [](ReadFormLine& read, const Item& item) {
         read.line.source = item.one_of("source", proposal_source_names());
         read.source.emplace(item);
       }}};
  ReadFormLine read;
  config::read_fields(table, fields, read);
  require_key(table, "title", read.line.title);
  require_key(table, "asks", read.line.asks);
  require_key(table, "quantity", read.line.quantity);
  require_key(table, "source", read.line.source);
  check_quantity(read);
  return read.line;
}

const std::vector<config::Field<ProposalForm>>& form_fields() {
  static const std::vector<config::Field<ProposalForm>> fields{
      {"name", [](ProposalForm& form, const Item& item) { form.name = item.plain_name(); }},
      {"centre", [](ProposalForm& form, const Item& item) { form.centre = item.word(); }},
      {"application", [](ProposalForm& form, const Item& item) { form.application = item.word(); }},
      {"note", [](ProposalForm& form, const Item& item) { form.note = item.word(); }},
      {"unit.name", [](ProposalForm& form, const Item& item) { form.unit.name = item.word(); }},
      {"unit.per",
       [](ProposalForm& form, const Item& item) {
         form.unit.per = item.one_of("resource", {"node-h", "gpu-h", "core-h"});
       }},
      {"unit.factor",
       [](ProposalForm& form, const Item& item) { form.unit.factor = item.number(1e-9); }},
      {"source",
       [](ProposalForm& form, const Item& item) {
         for (const Item& one : item.items()) form.sources.push_back(read_form_source(one));
       }},
      {"line", [](ProposalForm& form, const Item& item) {
         for (const Item& one : item.items()) form.lines.push_back(read_form_line(one));
       }}};
  return fields;
}

}  // namespace

std::span<const ProposalQuantity> proposal_quantities() {
  return kProposalQuantities;
}

ProposalForm parse_proposal_form(std::string_view text, const std::string& file) {
  const config::Node root = config::parse_document(text, file);
  const Item document{root, ""};
  ProposalForm form;
  form.unit.factor.reset();
  config::read_fields(document, form_fields(), form);
  require_key(document, "name", form.name);
  require_key(document, "centre", form.centre);
  require_key(document, "application", form.application);
  if (form.lines.empty()) document.fail("the form has no [[line]]");
  // A unit with the name of the counted resource needs no factor.
  if (!form.unit.factor && form.unit.name == form.unit.per) form.unit.factor = 1;
  return form;
}

std::vector<ProposalForm> shipped_proposal_forms() {
  std::vector<ProposalForm> forms;
  for (const auto& [file, text] : shipped_proposal_texts()) {
    forms.push_back(parse_proposal_form(text, file));
  }
  std::sort(forms.begin(), forms.end(),
            [](const ProposalForm& a, const ProposalForm& b) { return a.name < b.name; });
  return forms;
}

ProposalForm find_proposal_form(const std::string& name) {
  if (name.ends_with(".toml")) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(name, ignored)) {
      throw base::UsageError(
          fmt::format("--form {}: no such file; dlscale propose --list lists the forms", name));
    }
    return parse_proposal_form(base::read_text_file(name), name);
  }
  std::vector<std::string> names;
  for (ProposalForm& form : shipped_proposal_forms()) {
    if (form.name == name) return std::move(form);
    names.push_back(form.name);
  }
  throw base::UsageError("--form: " + base::unknown_name("form", name, names));
}

std::string ApplicantFacts::text_for_key(const std::string& key) const {
  for (const ApplicantFact& fact : texts) {
    if (fact.key == key) return fact.text;
  }
  return "";
}

ApplicantFacts parse_applicant_facts(std::string_view text, const std::string& file,
                                     const ProposalForm& form) {
  std::set<std::string> known;
  std::vector<ProposalForm> forms = shipped_proposal_forms();
  forms.push_back(form);
  for (const ProposalForm& one : forms) {
    for (const FormLine& line : one.lines) {
      if (line.source == kApplicant) known.insert(line.quantity);
    }
  }
  std::vector<std::string> names{"unit_factor"};
  names.insert(names.end(), known.begin(), known.end());
  const config::Node root = config::parse_document(text, file);
  ApplicantFacts facts;
  config::match_keys(Item{root, ""}, names, [&](std::size_t i, const Item& item) {
    if (i == 0) {
      facts.unit_factor = item.number(1e-9);
    } else {
      facts.texts.push_back({names[i], item.word()});
    }
  });
  return facts;
}

}  // namespace dlscale::analysis
