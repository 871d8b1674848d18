# SPDX-License-Identifier: Apache-2.0
"""Loads and launches ahead-of-time compiled GPU operators from Warpwright archives.

    archive = warpwright.open("kernels.wwa")
    op = archive["row_scale"]
    op.preload()
    op(x=x, scale=scale, y=y)          # torch tensors, on torch's current stream
    call = op.bind(x=x, scale=scale, y=y)
    call()                             # the same launch again, at the least cost
"""
from . import _core

__all__ = ["Archive", "Call", "Error", "Operator", "TensorError", "open"]
__version__ = "0.1.0"


class Error(RuntimeError):
    """What the runtime refused. `status` is its ww_status_t, `text` its sentence."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status
        self.text = text

    @property
    def status_text(self):
        """The status in words: "shape refused"."""
        return _core.status_text(self.status)

    def __reduce__(self):
        return type(self), (self.status, self.text)


class TensorError(Error, ValueError):
    """A tensor that the operator cannot take; the sentence names it."""


_core._set_exceptions(Error, TensorError)

Call = _core.Call


class Operator(_core.Operator):
    """An operator of an archive; `archive[name]` makes it.

    op(**tensors, stream=None, workspace=None, num_sms=0, **variables) launches it. A tensor is a torch tensor, or an object with
    __dlpack__ or __cuda_array_interface__, contiguous, on one device. Variables that are a dim of a row-major tensor are
    read from its shape. Without `stream`, torch's current stream is taken where a tensor is torch's, else the default
    stream. Without `workspace`, torch's allocator gives it. Nothing is waited for.

    op.bind(...) takes the same arguments and returns a Call, which keeps the tensors and launches with call(stream=None).
    """

    __slots__ = ()

    @property
    def info(self):
        """The operator's description as a dict: name, family, arch, variables, fixed, tensors, kernels, facts."""
        return self.describe()

    @property
    def name(self):
        """The operator's name in the archive."""
        return self.describe()["name"]

    def preload(self, device=None):
        """Loads the kernels for a device (an ordinal, or a torch.device; None: torch's current one, or 0).

        Do this before a stream is captured into a CUDA graph: a launch in a capture loads nothing.
        """
        if device is None:
            import sys
            torch = sys.modules.get("torch")
            device = torch.cuda.current_device() if torch else 0
        index = getattr(device, "index", device)
        self._preload(0 if index is None or callable(index) else index)

    def shape_of(self, tensor, **variables):
        """The logical dims and bytes of a tensor for these variables."""
        return self.measure(variables, tensor, 0)

    def workspace_bytes(self, num_sms=None, device=0, **variables):
        """Workspace bytes for these variables, on a device with so many multiprocessors."""
        if num_sms is None:
            num_sms = _core.describe_device(device)[2]
        return self.measure(variables, None, num_sms)

    def show(self):
        """The description as text: tensors, variables, kernels and facts, a line each."""
        info = self.describe()
        lines = [f"{info['name']} ({info['family']}, {info['arch']})"]
        lines.append("  variables: " + ", ".join(info["variables"] + [f"{key} = {value}" for key, value in info["fixed"].items()]))
        for tensor in info["tensors"]:
            kind = "output" if tensor["is_output"] else "input"
            lines.append(f"  {kind} {tensor['name']}: {tensor['format']}, {tensor['layout']}, {tensor['bytes']} B, "
                         f"aligned to {tensor['align_bytes']}: {tensor['text']}")
        lines.append(f"  workspace: {info['workspace_bytes']} B")
        lines.append("  kernels: " + ", ".join(info["kernels"]))
        lines += [f"  {key}: {value}" for key, value in info["facts"].items()]
        return "\n".join(lines)

    def __repr__(self):
        return f"<warpwright.Operator {self.name}>"


class Archive(_core.Archive):
    """An open archive: a mapping from names to operators, and a context manager that closes it."""

    def __init__(self, path):
        super().__init__(path)
        self._operators = {}

    def operator(self, name):
        """The operator of that name, the same object each time."""
        if name not in self._operators:
            self._operators[name] = Operator(self, name)
        return self._operators[name]

    __getitem__ = operator

    def __iter__(self):
        return iter(self.names())

    def __len__(self):
        return len(self.names())

    def __contains__(self, name):
        return name in self.names()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def open(path):
    """Opens an archive and checks its manifest. Raises Error."""
    return Archive(path)
