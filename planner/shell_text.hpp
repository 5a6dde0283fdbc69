// SPDX-License-Identifier: Apache-2.0
// Values in job scripts: quoted where a shell reads them, checked where a batch system does.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::planner {

/// One word of bash that stands for exactly this value and never spans lines: bare when nothing in
/// it is special, else '…', with control characters $'…'. Values hold no NUL.
std::string shell_quote(std::string_view value);

/// Wraps a value so that place_values finds it in a rendered script. Throws base::SpecError when
/// the value holds one of the two control characters used for that (\x01, \x02) or NUL.
std::string mark_value(std::string_view value);

/// Gives every marked value the form its line wants. On a line that begins with #SBATCH or #OAR,
/// where nothing can be quoted, the value stands as it is and must be made of characters the batch
/// system takes there; everywhere else it is shell-quoted. Throws base::SpecError naming
/// `template_file` and the directive.
std::string place_values(std::string_view rendered, const std::string& template_file);

}  // namespace dlscale::planner
