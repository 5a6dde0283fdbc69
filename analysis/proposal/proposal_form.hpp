// SPDX-License-Identifier: Apache-2.0
// Reads the form files of computing centres (share/proposals/*.toml). A form lists the quantities
// that a centre requires in an application for computing time, and the source of each quantity.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

// Quantities that dlscale can write into an application.

struct ProposalQuantity {
  const char* name;    ///< name in form files: "scaling_table"
  const char* source;  ///< origin of the quantity: "table", "figure", "answer", …
};

/// Source of quantities that only the applicant can supply, such as the project text. A form can
/// give such a quantity any name, which is then a key of the facts file.
inline constexpr const char* kApplicant = "applicant";

/// Returns all quantities, except those of the source "applicant".
std::span<const ProposalQuantity> proposal_quantities();

// Forms.

struct FormLine {
  std::string title;  ///< heading in the application
  std::string asks;   ///< requirement of the centre, in the words of the form file
  std::string quantity;
  std::string source;
};

/// Web page from which the requirements of a form were taken.
struct FormSource {
  std::string address;
  std::string page;  ///< title or description of the page
  std::string read;  ///< date on which the page was read: "2026-11-28"
};

/// Unit in which a centre counts computing time.
struct FormUnit {
  std::string name = "node-h";  ///< name of the unit: "CU", "core-h"
  std::string per = "node-h";   ///< resource that the unit counts: node-h, gpu-h or core-h
  /// Number of units that one node-hour, GPU-hour or core-hour costs. Empty if the form does not
  /// state it.
  std::optional<double> factor = 1;
};

struct ProposalForm {
  std::string name;         ///< name for --form: "archer2"
  std::string centre;       ///< name of the centre: "ARCHER2 (UK)"
  std::string application;  ///< kind of application: "technical assessment"
  std::string note;         ///< remark for applicants; empty: none
  std::vector<FormSource> sources;
  FormUnit unit;
  std::vector<FormLine> lines;
};

/// Parses a form file. `file` is used in messages. Throws base::SpecError with the place of an
/// error, and with the nearest name for an unknown key, source or quantity.
ProposalForm parse_proposal_form(std::string_view text, const std::string& file);

struct FormText {
  const char* file;  ///< name of the file, for messages
  const char* text;
};
/// Returns the texts of the files in share/proposals, which are compiled into the program.
std::span<const FormText> shipped_proposal_texts();

/// Returns the shipped forms, sorted by name.
std::vector<ProposalForm> shipped_proposal_forms();

/// Returns the shipped form with this name, or the form in a file if `name` ends in ".toml". Throws
/// base::UsageError for an unknown name. The message contains the nearest name. Also throws what
/// parse_proposal_form throws, and base::UsageError for a file that cannot be read.
ProposalForm find_proposal_form(const std::string& name);

// Facts of the applicant.

struct ApplicantFact {
  std::string key;
  std::string text;
};

/// Content of a facts file.
struct ApplicantFacts {
  std::vector<ApplicantFact> texts;
  /// Number of the centre's units that one node-hour, GPU-hour or core-hour costs (key
  /// `unit_factor`).
  std::optional<double> unit_factor;

  /// Returns the text of a key, or an empty text.
  std::string text_for_key(const std::string& key) const;
};

/// Parses a facts file for a form. Keys are quantities of the source "applicant" of this form or of
/// a shipped form, so that several applications can use one file. Throws base::SpecError with the
/// place of an error, and with the nearest key for an unknown key.
ApplicantFacts parse_applicant_facts(std::string_view text, const std::string& file,
                                     const ProposalForm& form);

}  // namespace dlscale::analysis
