// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/latex_text.hpp"

namespace dlscale::analysis {
namespace {

const char* named(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    case '"':
      return "\\textquotedbl{}";
    default:
      return nullptr;
  }
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string latex_text(std::string_view text) {
  constexpr std::string_view kEscaped = "&%$#_{}";
  std::string escaped;
  for (const char c : text) {
    if (const char* name = named(c); name != nullptr) {
      escaped += name;
    } else if (is_control(c)) {
      escaped += ' ';
    } else if (c == '-' && escaped.ends_with('-')) {
      escaped += "{}-";  // prevents LaTeX from joining hyphens into a dash
    } else {
      if (kEscaped.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string latex_table_packages() {
  return "\\usepackage{booktabs}\n"
         "\\usepackage{threeparttable}\n"
         "\\usepackage{adjustbox}\n"
         "\\usepackage{siunitx} % version 3\n";
}

std::string latex_figure_packages() {
  return "\\usepackage{pgfplots}\n"
         "\\usepgfplotslibrary{fillbetween}\n"
         "\\usetikzlibrary{patterns}\n"
         "\\pgfplotsset{compat=1.18}\n";
}

std::string latex_font_packages() {
  return "\\usepackage{iftex}\n"
         "\\ifPDFTeX\n"
         "  \\usepackage[T1]{fontenc}\n"
         "  \\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
         "  \\makeatletter % replaces letters that pdfLaTeX cannot print\n"
         "  \\def\\UTFviii@undefined@err#1{\\fbox{?}}\n"
         "  \\makeatother\n"
         "\\else\\ifXeTeX\n"
         "  \\usepackage{fontspec}\n"
         "\\else % LuaLaTeX without luaotfload only has the fonts of pdfLaTeX\n"
         "  \\IfFileExists{luaotfload.sty}{\\usepackage{fontspec}}{\\usepackage[T1]{fontenc}%\n"
         "    \\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}}\n"
         "\\fi\\fi\n";
}

}  // namespace dlscale::analysis
