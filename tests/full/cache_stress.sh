#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A minute of processes that share a cache and are killed.
set -euo pipefail
cd "$1"
exec env PATH="$2/bin:$PATH" tools/check/cache_stress --kills 200 --seconds 60
