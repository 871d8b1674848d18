# SPDX-License-Identifier: Apache-2.0
"""The linear layers that are measured."""

# Name: (N, K). LLaMA-2's config.json: hidden 8192 and 4096, intermediate 28672 and 11008, 8 key-value heads of 128 in the larger one.
SHAPES = {
    "70B.qkv": (10240, 8192), "70B.o": (8192, 8192), "70B.gate_up": (57344, 8192), "70B.down": (8192, 28672),
    "7B.qkv": (12288, 4096), "7B.gate_up": (22016, 4096), "7B.down": (4096, 11008),
}
BATCHES = (1, 8, 16, 32, 64, 128, 256, 512, 2048, 8192)
LAYER = ("70B.qkv", "70B.o", "70B.gate_up", "70B.down")  # the linear part of one decoder layer
LAYER_BATCHES = (1, 16, 64, 128, 256)
LARGEST_MEMORY_BOUND_BATCH = 64  # up to here the share of the read ceiling is told
