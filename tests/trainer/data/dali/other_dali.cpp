// SPDX-License-Identifier: Apache-2.0
// A library with two of DALI's names, in a version that there is none of.
extern "C" int daliInit() {
  return 0;
}
extern "C" const char* daliGetLastErrorMessage() {
  return "";
}
