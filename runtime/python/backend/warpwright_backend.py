# SPDX-License-Identifier: Apache-2.0
"""The package's build backend (PEP 517): CMake makes the extension module and the runtime library, this packs the wheel.

It needs a C++ compiler, CMake, and what the runtime needs (cuda.h, FlatBuffers, xxHash); no network and no other Python
package. WARPWRIGHT_BUILD names a build folder of the repository that is configured already, to be used in place of a fresh one.
"""
import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
NAME, VERSION = "warpwright", "0.1.0"
LIBRARY = "libwarpwright_runtime.so.0"


def _wheel_tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp39-abi3-{platform}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nRequires-Python: >=3.9\nLicense: Apache-2.0\n"
            "Summary: Loads and launches ahead-of-time compiled GPU operators from Warpwright archives\n"
            "Description-Content-Type: text/markdown\n\n" + (PACKAGE / "README.md").read_text(encoding="utf-8"))


def _run(*command):
    subprocess.run([str(word) for word in command], check=True)


def _build(folder):
    """The folder that has the built module and library."""
    ready = os.environ.get("WARPWRIGHT_BUILD")
    build = pathlib.Path(ready) if ready else folder
    if not ready:
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        _run("cmake", "-S", REPOSITORY, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DWARPWRIGHT_GENERATOR=OFF",
             "-DWARPWRIGHT_TESTS=OFF", f"-DWARPWRIGHT_PYTHON_INCLUDE={sysconfig.get_paths()['include']}")
    _run("cmake", "--build", build, "--target", "ww_python", "--parallel")
    return build


def _record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    info = f"{NAME}-{VERSION}.dist-info"
    wheel = f"{NAME}-{VERSION}-{_wheel_tag()}.whl"
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted((PACKAGE / NAME).iterdir()) if path.is_file()}
    with tempfile.TemporaryDirectory() as folder:
        build = _build(pathlib.Path(folder))
        files[f"{NAME}/_core.abi3.so"] = (build / "python" / "_core.abi3.so").read_bytes()
        files[f"{NAME}/{LIBRARY}"] = (build / "runtime" / LIBRARY).read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_wheel_tag()}\n".encode()
    files[f"{info}/licenses/LICENSE"] = (REPOSITORY / "LICENSE").read_bytes()
    record = "".join(_record_line(name, data) for name, data in files.items()) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*files.items(), (f"{info}/RECORD", record.encode())]:
            # A fixed time, so that equal files make equal wheels.
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """Refuses: the sources are the repository's."""
    raise NotImplementedError("the package is built from the repository: pip install ./runtime/python")
