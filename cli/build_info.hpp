// SPDX-License-Identifier: Apache-2.0
// Declares the origin of this program: commit and kind of build. The build generates the values
// (cmake/BuildInfo.cmake).
#pragma once

namespace dlscale::cli {

/// Commit of the sources, for example "c2feea3b1d20", or "unknown" for sources without git.
extern const char* const kCommit;
/// Kind of the build and the compiler, for example "Release, GNU 12.2.0".
extern const char* const kBuild;

}  // namespace dlscale::cli
