// SPDX-License-Identifier: Apache-2.0
// Source file without code. The build compiles it to create the precompiled header.
