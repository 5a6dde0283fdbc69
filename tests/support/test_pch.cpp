// SPDX-License-Identifier: Apache-2.0
// Source file of the library that builds the precompiled header of the tests. main.cpp cannot build
// the header, because it contains the Catch2 implementation.
