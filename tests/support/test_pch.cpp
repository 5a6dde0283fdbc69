// SPDX-License-Identifier: Apache-2.0
// A source file that gives the precompiled header of the tests a library to build in. main.cpp
// contains the Catch2 implementation and cannot use the precompiled header.
