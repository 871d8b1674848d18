// SPDX-License-Identifier: Apache-2.0
// Makes CMake build the precompiled header that every test executable uses.
int main() { return 0; }
