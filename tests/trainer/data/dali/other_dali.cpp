// SPDX-License-Identifier: Apache-2.0
// A library that exports two of DALI's symbols with a version that does not exist.
extern "C" int daliInit() {
  return 0;
}
extern "C" const char* daliGetLastErrorMessage() {
  return "";
}
