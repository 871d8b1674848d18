// SPDX-License-Identifier: Apache-2.0
// The source for which the tests' shared header is precompiled: test_main.cpp must not see it, and CMake makes none
// for a target that has no other.
