# SPDX-License-Identifier: Apache-2.0
"""Times of our operators and of cuBLASLt's at one problem: CUDA graphs over rotating weights, in turn. Needs torch and a GPU."""
import math
import statistics

import torch

from archive import LAUNCH_WHOLE

MULTIPLE_OF_L2 = 4   # what the sets of one competitor's weights hold at least
GRAPH_US = 1500      # a graph takes about so long, by the estimate
MOST_LAUNCHES = 300
# For the length of a graph only: what an H200 does at best. NVIDIA H200 data sheet.
READ_BYTES_PER_US, MULTIPLY_ADDS_PER_US = 4.8e6, {"bf16": 0.49e9, "fp8": 0.98e9, "fp8_rowwise": 0.98e9, "int8": 0.98e9}


def filled_tensor(about, size):
    """A tensor of so many bytes with finite random values of its format; zeros where the operator wants them before its first launch."""
    fmt, device = about["format"], "cuda"
    if about["layout"] == "zeroed":
        return torch.zeros(size, device=device, dtype=torch.uint8)
    kinds = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}
    if fmt in kinds:
        width = torch.tensor([], dtype=kinds[fmt]).element_size()
        return (torch.rand(size // width, device=device) + 0.5).to(kinds[fmt])
    if fmt == "s32":
        return torch.randint(-2048, 2048, (size // 4,), device=device, dtype=torch.int32)
    return torch.randint(0, 256, (size,), device=device, dtype=torch.uint8)


class Competitor:
    """Something that multiplies: `launch(set)` enqueues one problem into the current stream."""

    def __init__(self, name, sets, weight_bytes, launch, output=None):
        self.name, self.sets, self.weight_bytes, self.launch, self.output = name, sets, weight_bytes, launch, output
        self.graph, self.launches, self.samples_us = None, 0, []

    def capture(self, m, n, k):
        """One graph of launches over all sets."""
        expected_us = max(self.weight_bytes / READ_BYTES_PER_US, m * n * k / MULTIPLY_ADDS_PER_US.get(self.name, 0.98e9))
        turns = max(1, min(math.ceil(GRAPH_US / expected_us), MOST_LAUNCHES) // self.sets)
        self.launches = turns * self.sets
        for which in range(self.sets):  # what is done once is done outside of the capture
            self.launch(which)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(torch.cuda.Stream()):
            # Not torch.cuda.graph(), which collects garbage and empties the allocator's cache each time.
            self.graph.capture_begin()
            for i in range(self.launches):
                self.launch(i % self.sets)
            self.graph.capture_end()

    def replay(self):
        """Events before and after one replay."""
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        self.graph.replay()
        end.record()
        return begin, end

    def median_us(self):
        """Of one launch."""
        return statistics.median(self.samples_us)


def sets_for(weight_bytes):
    """How many sets of weights exceed the L2 several times."""
    l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    return max(2, math.ceil(MULTIPLE_OF_L2 * l2_bytes / weight_bytes))


class Weights:
    """Weights of one (N, K) for the library kernels; each kind is made once, of one random matrix."""

    def __init__(self, n, k):
        self.n, self.k = n, k
        ints = torch.randint(-119, 120, (n, k), device="cuda", dtype=torch.int8)
        self.int8 = self._copies(ints, n * k)
        self.fp8 = self._copies(ints.to(torch.bfloat16).mul_(1 / 64).to(torch.float8_e4m3fn), n * k)
        self.bf16 = self._copies(ints.to(torch.bfloat16).mul_(1 / 64), 2 * n * k)

    @staticmethod
    def _copies(matrix, size):
        return [matrix] + [matrix.clone() for _ in range(sets_for(size) - 1)]

    def competitors(self, m, wanted):
        """cuBLASLt through torch: bf16; fp8 with one scale or one a row and column; int8 with s32 results, M at least 32."""
        n, k = self.n, self.k
        x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        x8, one = x.to(torch.float8_e4m3fn), torch.ones((), device="cuda")
        rows, columns = torch.rand(m, 1, device="cuda") + 0.5, torch.rand(1, n, device="cuda") + 0.5
        xi = torch.randint(-127, 128, (max(m, 32), k), device="cuda", dtype=torch.int8)

        def scaled(which, scale_a, scale_b):
            return torch._scaled_mm(x8, self.fp8[which].t(), scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16, use_fast_accum=True)

        made = [Competitor("bf16", len(self.bf16), 2 * n * k, lambda i: torch.mm(x, self.bf16[i].t())),
                Competitor("fp8", len(self.fp8), n * k, lambda i: scaled(i, one, one)),
                Competitor("fp8_rowwise", len(self.fp8), n * k, lambda i: scaled(i, rows, columns)),
                Competitor("int8", len(self.int8), n * k, lambda i: torch._int_mm(xi, self.int8[i].t()))]
        return [c for c in made if c.name in wanted]


class OurWeights:
    """What an operator's tensors hold: inputs that do not grow with m, once for (N, K), in as many sets as exceed the L2."""

    def __init__(self, op, n, k):
        self.op, self.fixed = op, {name: value for name, value in (("n", n), ("k", k)) if name in op.free}
        self.inputs = [t for t, about in op.tensors.items() if not about["is_output"]]
        self.constant = [t for t in self.inputs if op.bytes_of(t, self.values(1)) == op.bytes_of(t, self.values(4096))]
        sizes = {t: op.bytes_of(t, self.values(1)) for t in self.constant}
        self.weight_bytes = sum(sizes.values())
        first = {t: filled_tensor(op.tensors[t], size) for t, size in sizes.items()}
        self.sets = [first] + [{t: v.clone() for t, v in first.items()} for _ in range(sets_for(self.weight_bytes) - 1)]

    def values(self, m):
        """All free variables."""
        return {**self.fixed, "m": m}

    def competitors(self, m, name, wants_whole):
        """The operator as it is meant, and, if wanted, with each launch whole; they share buffers, and the workspace too."""
        op, values = self.op, self.values(m)
        sms = torch.cuda.get_device_properties(0).multi_processor_count
        shared = {t: filled_tensor(op.tensors[t], op.bytes_of(t, values)) for t in op.tensors
                  if t not in self.constant and not op.tensors[t]["is_output"]}
        outputs = {t: torch.zeros(op.bytes_of(t, values), device="cuda", dtype=torch.uint8) for t in op.tensors if op.tensors[t]["is_output"]}
        size = op.workspace_bytes(values, sms)
        workspace = torch.zeros(max(size, 1), device="cuda", dtype=torch.uint8)
        buffers = [{t: (v.data_ptr(), v.numel() * v.element_size()) for t, v in {**constants, **shared, **outputs}.items()}
                   for constants in self.sets]
        kernels = op.chosen_kernels(values, sms)
        op.load(torch.cuda.current_device())

        def launcher(flags):
            kept = (shared, outputs, workspace)  # alive as long as the launches may be replayed
            return lambda i: kept and op.launch(values, buffers[i], (workspace.data_ptr(), size), torch.cuda.current_stream().cuda_stream, flags)

        output = next(iter(outputs.values()))
        made = []
        if any(early for _, early in kernels):
            made.append(Competitor(name, len(self.sets), self.weight_bytes, launcher(0), output))
        if wants_whole or not made:
            made.append(Competitor(name + "_whole", len(self.sets), self.weight_bytes, launcher(LAUNCH_WHOLE), output))
        moved = sum(op.bytes_of(t, values) for t in op.tensors)
        return made, [kernel for kernel, _ in kernels], moved


def measure(competitors, m, n, k, runs, monitor):
    """Fills samples_us of each, graph by graph in turn; the clocks under load, and whether our launches agree on the output."""
    for competitor in competitors:
        competitor.capture(m, n, k)
    for _ in range(3):
        for competitor in competitors:
            competitor.graph.replay()
    torch.cuda.synchronize()
    taken = []
    for run in range(runs):
        for competitor in competitors:
            taken.append((competitor, *competitor.replay()))
        if run == runs // 2:
            loaded = monitor.read()  # with graphs still to run
    torch.cuda.synchronize()
    for competitor, begin, end in taken:
        competitor.samples_us.append(begin.elapsed_time(end) * 1e3 / competitor.launches)
    outputs = []
    for competitor in competitors:
        if competitor.output is None:
            continue
        competitor.output.fill_(0xFF)
        competitor.graph.replay()
        torch.cuda.synchronize()
        outputs.append((competitor.name.removesuffix("_whole"), competitor.output.clone()))
    agree = all(torch.equal(a, b) for name, a in outputs for other, b in outputs if name == other)
    for competitor in competitors:
        competitor.graph = None
    return loaded, agree
