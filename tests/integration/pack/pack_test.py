# SPDX-License-Identifier: Apache-2.0
"""What `pack` writes: values against formulas written out a second time, folders, overrides, splits."""
import hashlib
import json
import math
import os
import subprocess
import sys
import unittest

from checkpoints import PackCase, TOOL, decode, encode, f32, random_weight, read, write

PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def quantise_row(row, group, up):
    """(scale, codes, group scales, group offsets), from the definition."""
    scale = f32(max(abs(value) for value in row) / 119)
    q8 = [round(f32(value / scale)) for value in row]
    codes, scales, offsets = [], [], []
    for first in range(0, len(row), group):
        part = q8[first:first + group]
        low, span = min(part), max(part) - min(part)
        step = max(1, math.ceil(span / 15) if up else math.floor(span / 15 + 0.5))
        scales.append(step)
        offsets.append(128 + low)
        codes += [min(15, round((value - low) / step)) for value in part]
    return scale, codes, scales, offsets


def lay_out(codes, scales, offsets, k, group):
    """The packed bytes of 64 rows, thread by thread as a wgmma fragment has them. `codes` etc. are lists of rows."""
    out = bytearray()
    for block in range(0, k, 128):
        halves = min(2, (k - block) // 64)
        for half in range(halves):
            for thread in range(128):
                row, c, base = thread // 32 * 16 + thread % 32 // 4, thread % 4 * 4, block + half * 64
                for r, k0 in ((row, base), (row + 8, base), (row, base + 32), (row + 8, base + 32)):
                    out += bytes(codes[r][k0 + c + j] | codes[r][k0 + 16 + c + j] << 4 for j in range(4))
        for warp in range(4 if group else 0):
            for pair in range(8):
                for half in range(halves if group == 64 else 1):
                    row, index = warp * 16 + pair, (block + half * 64) // group
                    out += bytes([scales[row][index], offsets[row][index], scales[row + 8][index], offsets[row + 8][index]])
    return bytes(out)


class Values(PackCase):
    def check_grouped(self, k, group, up):
        values = random_weight(128, k)
        tensors = self.packed({"a.weight": ("F32", [128, k], values)}, "--group", str(group), "--rounding", "up" if up else "nearest")
        rows = [quantise_row(values[row * k:(row + 1) * k], group, up) for row in range(128)]
        codes, scales, offsets = ([row[i] for row in rows] for i in (1, 2, 3))
        self.assertEqual(decode("F32", tensors["a.channel_scale"][2]), [row[0] for row in rows])
        self.assertEqual(tensors["a.q4"], ("U8", [128, k // 2], bytes(row[i] | row[i + 1] << 4 for row in codes for i in range(0, k, 2))))
        self.assertEqual(tensors["a.group_scale"], ("U8", [128, k // group], bytes(sum(scales, []))))
        self.assertEqual(tensors["a.group_offset"], ("U8", [128, k // group], bytes(sum(offsets, []))))
        slabs = b"".join(lay_out(codes[s:s + 64], scales[s:s + 64], offsets[s:s + 64], k, group) for s in (0, 64))
        self.assertEqual(tensors["a.packed"], ("U8", [2, len(slabs) // 2], slabs))

    def test_groups_and_roundings(self):
        for k, group, up in ((192, 64, False), (256, 128, True), (256, 64, True)):
            with self.subTest(k=k, group=group, up=up):
                self.check_grouped(k, group, up)

    def test_per_channel(self):
        values = random_weight(64, 192)
        tensors = self.packed({"a.weight": ("F32", [64, 192], values)}, "--group", "channel")
        codes, zeros, scales = [], [], []
        for row in range(64):
            part = values[row * 192:(row + 1) * 192]
            low, high = min(0, *part), max(0, *part)
            scales.append(f32((high - low) / 15))
            zeros.append(round(f32(-low / scales[-1])))
            codes.append([max(0, min(15, round(f32(value / scales[-1])) + zeros[-1])) for value in part])
        self.assertEqual(decode("F32", tensors["a.channel_scale"][2]), scales)
        self.assertEqual(tensors["a.zero"], ("U8", [64], bytes(zeros)))
        self.assertEqual(tensors["a.packed"], ("U8", [1, 64 * 96], lay_out(codes, None, None, 192, 0)))
        self.assertNotIn("a.group_scale", tensors)

    def test_input_types_agree(self):
        values = random_weight(64, 128)
        outputs = [self.packed({"a.weight": (dtype, [64, 128], values)}) for dtype in ("F32", "F16", "BF16")]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])

    def test_choice_of_tensors(self):
        tensor = {"a.weight": ("F32", [64, 64], random_weight(64, 64))}
        self.assertEqual(set(self.packed(tensor, "--write", "packed")), {"a.channel_scale", "a.packed"})
        self.assertEqual(set(self.packed(tensor, "--write", "canonical")),
                         {"a.channel_scale", "a.q4", "a.group_scale", "a.group_offset"})

    def test_smooth_factors_multiply_columns(self):
        values, factors = random_weight(64, 64), [0.5 + (i % 4) * 0.5 for i in range(64)]
        write(self.folder / "smooth", {"a.smooth": ("F32", [64], factors)})
        smoothed = self.packed({"a.weight": ("F32", [64, 64], values)}, "--smooth", str(self.folder / "smooth"))
        plain = self.packed({"a.weight": ("F32", [64, 64], [f32(value * factors[i % 64]) for i, value in enumerate(values)])})
        self.assertEqual(decode("F32", smoothed.pop("a.smooth")[2]), factors)
        self.assertEqual(smoothed, plain)
        for name, values_of, words in (("b.smooth", factors, "belongs to no layer"), ("a.smooth", [0.0] * 64, "must be positive")):
            write(self.folder / "smooth", {name: ("F32", [64], values_of)})
            done = self.pack(self.folder / "in.safetensors", "--smooth", str(self.folder / "smooth"), expect=1)
            self.assertIn("error[pack.smooth]", done.stderr)
            self.assertIn(words, done.stderr)

    def test_statistics(self):
        values = random_weight(64, 64)
        write(self.folder / "in", {"a.weight": ("F32", [64, 64], values)})
        report = json.loads(self.pack(self.folder / "in", "--check", "--json").stdout)["layers"][0]
        errors, squares = [], sum(value * value for value in values)
        for row in range(64):
            part = values[row * 64:(row + 1) * 64]
            scale, codes, scales, offsets = quantise_row(part, 64, False)
            errors += [scale * (code * scales[0] + offsets[0] - 128) - value for code, value in zip(codes, part)]
        self.assertEqual([report[key] for key in ("name", "source", "n", "k", "group", "split")], ["a", "F32", 64, 64, "64", "none"])
        self.assertAlmostEqual(report["max_error"], max(map(abs, errors)))
        self.assertAlmostEqual(report["rms_error"], math.sqrt(sum(e * e for e in errors) / len(errors)))
        self.assertAlmostEqual(report["relative_error"], math.sqrt(sum(e * e for e in errors) / squares))
        self.assertGreater(report["cosine"], 0.99)
        self.assertLess(report["clipped_share"], 0.05)


class Folders(PackCase):
    def make(self):
        """Two shards, a tokenizer, a config, weights of another kind that stay behind."""
        source = self.folder / "model"
        source.mkdir()
        shards = {"model-00001-of-00002.safetensors": {
            "m.0.q_proj.weight": ("BF16", [128, 128], random_weight(128, 128, 2)), "m.0.q_proj.bias": ("F32", [128], [float(i) for i in range(128)]),
            "m.0.o_proj.weight": ("F16", [64, 256], random_weight(64, 256, 3)), "m.0.o_proj.bias": ("F32", [64], [1.0] * 64),
            "m.embed_tokens.weight": ("F32", [64, 64], random_weight(64, 64, 4))},
            "model-00002-of-00002.safetensors": {
            "m.0.gate_up_proj.weight": ("F32", [256, 64], random_weight(256, 64, 5)), "m.0.norm.weight": ("F32", [64], [1.0] * 64),
            "lm_head.weight": ("F32", [64, 64], random_weight(64, 64, 6))}}
        index = {"metadata": {}, "weight_map": {name: file for file, tensors in shards.items() for name in tensors}}
        for file, tensors in shards.items():
            write(source / file, tensors)
        (source / "model.safetensors.index.json").write_text(json.dumps(index))
        (source / "config.json").write_text('{\n  "model_type": "llama",\n  "hidden_size": 64\n}\n')
        (source / "tokenizer.json").write_text("{}")
        (source / "pytorch_model.bin").write_text("x")
        return source

    def test_folder(self):
        source = self.make()
        done = self.pack(source, "--ignore", "*.gate_up_proj")
        self.assertIn("2 layers quantised, 4 other tensors as they are", done.stdout)
        self.assertEqual(sorted(os.listdir(self.out)), ["config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                                                        "model.safetensors.index.json", "tokenizer.json"])
        config = json.loads((self.out / "config.json").read_text())
        self.assertEqual(config["hidden_size"], 64)
        self.assertEqual(config["quantization_config"], {"quant_method": "warpwright_w4a8", "format_version": 1, "bits": 4, "group": "64",
                                                         "rounding": "nearest", "layout": "slab64-block128"})
        index = json.loads((self.out / "model.safetensors.index.json").read_text())
        total = 0
        for file in ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"):
            tensors, metadata = read(self.out / file)
            self.assertEqual(set(tensors), {name for name, where in index["weight_map"].items() if where == file})
            self.assertEqual(metadata["warpwright.source_sha256"], hashlib.sha256((source / file).read_bytes()).hexdigest())
            self.assertEqual(metadata["warpwright.format_version"], "1")
            total += sum(len(raw) for _, _, raw in tensors.values())
        self.assertEqual(index["metadata"]["total_size"], total)
        for file in ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"):
            before, after = read(source / file)[0], read(self.out / file)[0]
            for name in before.keys() & after.keys():
                self.assertEqual(before[name], after[name])
        self.assertEqual(read(self.out / file)[0].keys(), before.keys())  # the second shard has nothing to quantise

    def test_overrides(self):
        source = self.make()
        (self.folder / "layers.json").write_text(json.dumps({"layers": [
            {"match": "*.o_proj", "group": 128, "rounding": "up"}, {"match": "*.gate_up_proj", "group": "channel"},
            {"match": "lm_head", "group": 64}, {"match": "nothing"}]}))
        done = self.pack(source, "--layers", str(self.folder / "layers.json"))
        self.assertIn('layers.json:1:', done.stderr)
        self.assertIn('warning[pack.unmatched]: "nothing" matches no layer', done.stderr)
        first, metadata = read(self.out / "model-00001-of-00002.safetensors")
        second, _ = read(self.out / "model-00002-of-00002.safetensors")
        self.assertEqual(first["m.0.o_proj.group_scale"][1], [64, 2])
        self.assertEqual(first["m.0.q_proj.group_scale"][1], [128, 2])
        self.assertIn("m.0.gate_up_proj.zero", second)
        self.assertIn("lm_head.packed", second)
        self.assertEqual(json.loads(metadata["warpwright.layers"])["m.0.o_proj"],
                         {"n": 64, "k": 256, "group": "128", "rounding": "up", "source": "F16", "split": "none"})
        (self.folder / "layers.json").write_text('{"layers": [{"match": "*",\n "gruop": 64}]}')
        done = self.pack(source, "--layers", str(self.folder / "layers.json"), out=self.folder / "other", expect=1)
        self.assertIn("layers.json:2:2: error[pack.overrides]: layers.gruop: is unknown; did you mean \"group\"?", done.stderr)

    def test_split_is_the_split_of_the_unsplit(self):
        source = self.make()
        (self.folder / "layers.json").write_text(json.dumps({"layers": [{"match": "*gate_up_proj", "split": "column", "parts": [128, 128]}]}))
        for group in ("64", "128", "channel"):
            with self.subTest(group=group):
                arguments = ["--group", group, "--layers", str(self.folder / "layers.json")]
                if group == "128":
                    arguments += ["--ignore", "*gate_up_proj"]
                whole, split = self.folder / f"whole{group}", self.folder / f"split{group}"
                self.pack(source, *arguments, out=whole)
                self.pack(source, *arguments, "--ranks", "2", out=split)
                self.assertEqual(sorted(os.listdir(split)), ["rank-0", "rank-1"])
                one = {**read(whole / "model-00001-of-00002.safetensors")[0], **read(whole / "model-00002-of-00002.safetensors")[0]}
                for rank in range(2):
                    self.check_rank(one, split / f"rank-{rank}", rank, group)

    def check_rank(self, whole, folder, rank, group):
        first, metadata = read(folder / "model-00001-of-00002.safetensors")
        second, _ = read(folder / "model-00002-of-00002.safetensors")
        self.assertEqual(metadata["warpwright.rank"], f"{rank} of 2")
        config = json.loads((folder / "config.json").read_text())["quantization_config"]
        self.assertEqual((config["tensor_parallel_rank"], config["tensor_parallel_size"]), (rank, 2))
        # Columns: whole slabs, so bytes.
        for end in ("packed", "q4", "channel_scale", "bias", "zero" if group == "channel" else "group_scale"):
            before, after = whole[f"m.0.q_proj.{end}"][2], first[f"m.0.q_proj.{end}"][2]
            self.assertEqual(after, before[rank * len(after):(rank + 1) * len(after)], end)
        # Rows: the same codes and scales, some of the columns.
        before, after = whole["m.0.o_proj.q4"][2], first["m.0.o_proj.q4"][2]
        self.assertEqual(after, b"".join(before[row * 128 + rank * 64:row * 128 + rank * 64 + 64] for row in range(64)))
        self.assertEqual(first["m.0.o_proj.channel_scale"], whole["m.0.o_proj.channel_scale"])
        blocks = 1  # K = 128 of 256
        half = len(whole["m.0.o_proj.packed"][2]) // 2
        self.assertEqual(first["m.0.o_proj.packed"], ("U8", [1, half], whole["m.0.o_proj.packed"][2][rank * half * blocks:][:half]))
        self.assertEqual("m.0.o_proj.bias" in first, rank == 0)
        if group != "128":
            q4 = whole["m.0.gate_up_proj.q4"][2]
            part = 64 * 32
            self.assertEqual(second["m.0.gate_up_proj.q4"][2], q4[rank * part:][:part] + q4[(2 + rank) * part:][:part])
        for name in ("m.embed_tokens.weight", "m.0.norm.weight", "lm_head.weight"):
            self.assertEqual({**first, **second}[name], whole[name])

    def test_what_cannot_be_split(self):
        source = self.make()
        done = self.pack(source, "--ranks", "2", expect=1)
        self.assertIn("error[pack.split]: m.0.gate_up_proj: the rows of a fused layer are split part by part", done.stderr)
        done = self.pack(source, "--ranks", "4", "--ignore", "*gate_up_proj", expect=1)
        self.assertIn("m.0.q_proj: 128 rows do not split into 4 ranks of whole 64 rows", done.stderr)
        self.assertFalse(self.out.exists())

    def test_old_config_is_replaced(self):
        source = self.make()
        (source / "config.json").write_text('{"quantization_config": {"quant_method": "x"}, "a": [1,\n2]}')
        self.pack(source)
        self.assertTrue((self.out / "config.json").read_text().endswith('"layout": "slab64-block128"}, "a": [1,\n2]}'))


class Usage(PackCase):
    def test_exits_and_outputs(self):
        source = self.folder / "in"
        write(source, {"a.weight": ("F32", [64, 64], random_weight(64, 64)), "norm.weight": ("F32", [64], [1.0] * 64)})
        self.assertIn("1 layers would be quantised", self.pack(source, "--dry-run").stdout)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in"])
        self.assertIn("cli.usage", self.pack(source, "--group", "32", expect=2).stderr)
        self.assertIn("cli.unwritable", self.pack(source, out=source / "below", expect=5).stderr)
        self.pack(source)
        before = self.out.read_bytes()
        self.assertIn("error[pack.exists]", self.pack(source, expect=1).stderr)
        self.assertEqual(self.out.read_bytes(), before)
        self.assertEqual(self.staged(), [])

    @unittest.skipIf(os.environ.get("WARPWRIGHT_SANITIZE"), "a sanitizer's own memory is counted too")
    def test_memory_is_less_than_twice_the_largest_tensor(self):
        row = encode("BF16", random_weight(1, 4096))
        write(self.folder / "plain", {"a.weight": ("BF16", [2048, 4096], row * 2048)})
        word = encode("I32", list(range(512)))
        write(self.folder / "awq", {"a.qweight": ("I32", [8192, 512], word * 8192), "a.qzeros": ("I32", [64, 512], encode("I32", [0x77777777] * 512) * 64),
                                    "a.scales": ("F16", [64, 4096], encode("F16", [0.01] * 4096) * 64)})
        for name, largest in (("plain", 2048 * 4096 * 2), ("awq", 8192 * 512 * 4)):
            with self.subTest(name=name):
                # Between the two stands a small process: a child's peak counts what it was before it became the tool.
                done = subprocess.run([sys.executable, "-c", PEAK, TOOL, "pack", str(self.folder / name), "-o",
                                       str(self.folder / (name + ".out"))], capture_output=True, text=True, check=True)
                self.assertLess(int(done.stdout) * 1024, 2 * largest)


if __name__ == "__main__":
    unittest.main()
