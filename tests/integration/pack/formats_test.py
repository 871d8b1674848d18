# SPDX-License-Identifier: Apache-2.0
"""AWQ, GPTQ and compressed-tensors INT4: each gives the codes of the same weight in fp32."""
import json
import random
import unittest

from checkpoints import PackCase, random_weight, read, write

N, K, GROUP = 64, 128, 32
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def word(nibbles):
    value = sum((nibble & 15) << (4 * i) for i, nibble in enumerate(nibbles))
    return value - (1 << 32) if value >= 1 << 31 else value


class Formats(PackCase):
    def setUp(self):
        super().setUp()
        source = random.Random(3)
        self.codes = [[source.randrange(16) for _ in range(K)] for _ in range(N)]
        self.zeros = [[source.randrange(1, 16) for _ in range(K // GROUP)] for _ in range(N)]
        self.scales = [[2.0 ** -source.randrange(4, 7) * source.choice([1.0, 1.25, 1.5]) for _ in range(K // GROUP)] for _ in range(N)]

    def expected(self, group_of=lambda k: k // GROUP, zero=None):
        values = [(self.codes[n][k] - (self.zeros[n][group_of(k)] if zero is None else zero)) * self.scales[n][group_of(k)]
                  for n in range(N) for k in range(K)]
        write(self.folder / "float", {"m.a.weight": ("F32", [N, K], values)})
        self.pack(self.folder / "float", out=self.folder / "expected")
        return read(self.folder / "expected")[0]

    def folder_of(self, tensors, config):
        source = self.folder / "model"
        source.mkdir()
        write(source / "model.safetensors", {**tensors, "m.b.weight": ("F32", [64, 64], random_weight(64, 64))})
        (source / "config.json").write_text(json.dumps(config))
        return source

    def check(self, source, expected, name):
        done = self.pack(source)
        self.assertIn(f"note[pack.requantised]: 1 layers are {name}", done.stderr)
        tensors, metadata = read(self.out / "model.safetensors")
        self.assertIn("m.b.weight", tensors)  # what is not quantised in a quantised checkpoint stays as it is
        del tensors["m.b.weight"]
        self.assertEqual(tensors, expected)
        self.assertEqual(json.loads(metadata["warpwright.layers"])["m.a"]["source"], f"{name}, re-quantised")

    def awq(self):
        def row(values):
            return [word([values[8 * c + AWQ_ORDER[i]] for i in range(8)]) for c in range(N // 8)]
        return {"m.a.qweight": ("I32", [K, N // 8], sum((row([self.codes[n][k] for n in range(N)]) for k in range(K)), [])),
                "m.a.qzeros": ("I32", [K // GROUP, N // 8], sum((row([self.zeros[n][g] for n in range(N)]) for g in range(K // GROUP)), [])),
                "m.a.scales": ("F16", [K // GROUP, N], [self.scales[n][g] for g in range(K // GROUP) for n in range(N)])}

    def gptq(self, shift, g_idx=None):
        tensors = {"m.a.qweight": ("I32", [K // 8, N], [word([self.codes[n][8 * r + i] for i in range(8)]) for r in range(K // 8) for n in range(N)]),
                   "m.a.qzeros": ("I32", [K // GROUP, N // 8],
                                  [word([self.zeros[8 * c + i][g] - shift for i in range(8)]) for g in range(K // GROUP) for c in range(N // 8)]),
                   "m.a.scales": self.awq()["m.a.scales"]}
        if g_idx:
            tensors["m.a.g_idx"] = ("I32", [K], g_idx)
        return tensors

    def test_awq(self):
        config = {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm", "zero_point": True}}
        self.check(self.folder_of(self.awq(), config), self.expected(), "AWQ INT4")

    def test_gptq(self):
        config = {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": False}}
        self.check(self.folder_of(self.gptq(1), config), self.expected(), "GPTQ INT4")

    def test_gptq_v2(self):
        config = {"quantization_config": {"quant_method": "gptq", "bits": 4, "checkpoint_format": "gptq_v2"}}
        self.check(self.folder_of(self.gptq(0), config), self.expected(), "GPTQ INT4")

    def test_gptq_with_activation_order(self):
        g_idx = [(k * 5 + 3) % (K // GROUP) for k in range(K)]
        config = {"quantization_config": {"quant_method": "gptq", "bits": 4, "desc_act": True}}
        self.check(self.folder_of(self.gptq(1, g_idx), config), self.expected(lambda k: g_idx[k]), "GPTQ INT4")

    def compressed(self):
        return {"m.a.weight_packed": ("I32", [N, K // 8], [word(self.codes[n][8 * c:8 * c + 8]) for n in range(N) for c in range(K // 8)]),
                "m.a.weight_scale": ("BF16", [N, K // GROUP], sum(self.scales, [])), "m.a.weight_shape": ("I64", [2], [N, K])}

    def test_compressed_tensors(self):
        config = {"quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized"}}
        self.check(self.folder_of(self.compressed(), config), self.expected(zero=8), "compressed-tensors INT4")

    def test_compressed_tensors_with_zero_points(self):
        tensors = self.compressed()
        tensors["m.a.weight_zero_point"] = ("I32", [N // 8, K // GROUP],
                                            [word([self.zeros[8 * c + i][g] for i in range(8)]) for c in range(N // 8) for g in range(K // GROUP)])
        config = {"quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized"}}
        self.check(self.folder_of(tensors, config), self.expected(), "compressed-tensors INT4")

    def test_what_is_refused(self):
        good = self.gptq(1)
        twice = {"m.a.weight": ("F32", [64, 64], random_weight(64, 64)), "m.a.q4": ("U8", [1], [0])}
        cases = [(twice, {}, "there is a tensor m.a.q4 beside those"), ({**good, "m.a.g_idx": ("I32", [K], [99] * K)}, {}, "column 0 is in group 99 of 4"),
                 ({**good, "m.a.qzeros": ("I32", [K // GROUP, N // 4], [0] * (K // GROUP * N // 4))}, {}, "neither AWQ's nor GPTQ's 4-bit shapes"),
                 (good, {"quant_method": "awq"}, "the settings say awq, the shapes GPTQ INT4"),
                 (good, {"quant_method": "gptq", "bits": 8}, "has 8 bits; 4 can be read"),
                 (good, {"quant_method": "gptq", "checkpoint_format": "marlin"}, "GPTQ of format \"marlin\""),
                 (self.awq(), {"quant_method": "awq", "version": "GEMV"}, "AWQ of version \"gemv\""),
                 ({"m.a.weight_packed": self.compressed()["m.a.weight_packed"]}, {}, "compressed-tensors has weight_scale")]
        for i, (tensors, settings, words) in enumerate(cases):
            with self.subTest(words=words):
                source = self.folder / f"bad{i}"
                source.mkdir()
                write(source / "model.safetensors", tensors)
                (source / "config.json").write_text(json.dumps({"quantization_config": settings}))
                done = self.pack(source, expect=1)
                self.assertIn("error[pack.source-format]", done.stderr)
                self.assertIn(words, done.stderr)
                self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
