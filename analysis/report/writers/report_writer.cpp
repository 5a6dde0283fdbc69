// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/writers/report_writer.hpp"

namespace dlscale::analysis {

const ReportWriter& find_report_writer(std::string_view name) {
  for (const ReportWriter* writer : report_writers()) {
    if (writer->extension == name) return *writer;
  }
  return base::find(report_writers(), "format", name);
}

}  // namespace dlscale::analysis
