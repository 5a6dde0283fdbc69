// SPDX-License-Identifier: Apache-2.0
// Gives the precompiled header of the tests a library: main.cpp has Catch's own code and does
// without it.
