# SPDX-License-Identifier: Apache-2.0
"""tools/setup on machines that stand-ins for apt-get, dpkg-query, id, nvcc and pip describe."""
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOLS = "bash sed awk sort comm head cat rm mv mkdir dirname uname env xargs tr cp".split()
DEBIAN_12 = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'


def package_names():
    lines = (ROOT / "tools/setup-files/packages.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


class Machine:
    """A folder with a copy of tools/setup and a PATH of stand-ins alone."""

    def __init__(self, folder, installed, uid=0, os_release=DEBIAN_12):
        self.folder = pathlib.Path(folder)
        self.project = self.folder / "project"
        (self.project / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools/setup", self.project / "tools/setup")
        shutil.copytree(ROOT / "tools/setup-files", self.project / "tools/setup-files")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.log = self.folder / "log"
        self.log.write_text("")
        self.installed = self.folder / "installed"
        self.installed.write_text("".join(f"{name} installed\n" for name in installed))
        (self.folder / "os-release").write_text(os_release)
        self.stand_in("dpkg-query", f'cat "{self.installed}"')
        self.stand_in("id", f"echo {uid}")
        # An installed package is one of the words that name no option and no verb.
        self.stand_in("apt-get", f'''case " $* " in
  *" --print-uris "*) printf "'u' f 3000000 h\\n" ;;
  *" -s "*) ;;
  *" install "*) for word in "$@"; do case $word in -* | install) ;; *) echo "$word installed" >>"{self.installed}" ;; esac; done ;;
esac''')
        self.stand_in("apt-cache", "echo 'Installed-Size: 9000'")

    def stand_in(self, name, body, folder=None):
        path = (folder or self.bin) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.log}"\n{body}\n')
        path.chmod(0o755)

    def nvcc(self, version, folder=None):
        short = ".".join(version.split(".")[:2])
        self.stand_in("nvcc", f'echo "Cuda compilation tools, release {short}, V{version}"', folder)

    def pip(self, version="13.0.88", fails=False):
        """python3 whose `-m pip install --target D` puts an nvcc of `version` where NVIDIA's wheels do."""
        if fails:
            self.stand_in("python3", "echo 'hashes differ' >&2; exit 1")
            return
        short = ".".join(version.split(".")[:2])
        self.stand_in("python3", f'''while [ $# -gt 0 ]; do [ "$1" = --target ] && target=$2; shift; done
mkdir -p "$target/nvidia/cu13/bin"
printf '#!/bin/bash\\necho "Cuda compilation tools, release {short}, V{version}"\\n' >"$target/nvidia/cu13/bin/nvcc"
/bin/chmod +x "$target/nvidia/cu13/bin/nvcc"''')

    def environment(self, **more):
        return {"PATH": str(self.bin), "WARPWRIGHT_OS_RELEASE": str(self.folder / "os-release"),
                "WARPWRIGHT_SYSTEM_CUDA": str(self.folder / "no-cuda"), **more}

    def setup(self, *arguments, **environment):
        return subprocess.run([str(self.project / "tools/setup"), *arguments], env=self.environment(**environment),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)

    def setup_on_terminal(self, answer):
        ours, theirs = pty.openpty()
        os.write(ours, answer.encode())
        done = subprocess.run([str(self.project / "tools/setup")], env=self.environment(), stdin=theirs,
                              capture_output=True, text=True, timeout=60, check=False)
        os.close(ours)
        os.close(theirs)
        return done

    def calls(self, start):
        return [line for line in self.log.read_text().splitlines() if line.startswith(start)]


class Setup(unittest.TestCase):
    def machine(self, installed=None, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Machine(folder.name, package_names() if installed is None else installed, **options)

    def test_complete_machine_is_quick_and_untouched(self):
        machine = self.machine()
        machine.nvcc("13.0.88")
        start = time.monotonic()
        done = machine.setup()
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing to install; nvcc 13.0.88", done.stderr)
        self.assertEqual(machine.calls("apt-get"), [])

    def test_quiet_says_nothing_when_complete(self):
        machine = self.machine()
        machine.nvcc("13.1.2")
        self.assertEqual(machine.setup("--quiet").stderr, "")

    def test_another_system_is_told_at_once(self):
        machine = self.machine(os_release='PRETTY_NAME="Ubuntu 24.04.2 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n')
        done = machine.setup("--yes")
        self.assertEqual(done.returncode, 5)
        self.assertIn("this is Ubuntu 24.04.2 LTS", done.stderr)
        self.assertIn("tools/package", done.stderr)
        self.assertEqual(machine.log.read_text(), "")

    def test_says_what_before_it_installs(self):
        machine = self.machine(installed=[name for name in package_names() if name != "catch2"])
        machine.nvcc("13.0.88")
        done = machine.setup("--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 Debian packages", done.stderr)
        self.assertIn("download about 4 MB, on disk about 10 MB", done.stderr)
        self.assertIn("apt: catch2\n", done.stderr)
        self.assertFalse([call for call in machine.calls("apt-get") if "--print-uris" not in call])

    def test_without_root_prints_the_one_apt_line(self):
        machine = self.machine(installed=[], uid=1000)
        machine.nvcc("13.0.88")
        done = machine.setup("--yes")
        self.assertEqual(done.returncode, 5)
        line = [text for text in done.stderr.splitlines() if "sudo apt-get" in text]
        self.assertEqual(len(line), 1)
        for name in package_names():
            self.assertIn(f" {name}", line[0])

    def test_without_terminal_nor_yes_installs_nothing(self):
        machine = self.machine(installed=[])
        machine.nvcc("13.0.88")
        done = machine.setup()
        self.assertEqual(done.returncode, 5)
        self.assertIn("--yes", done.stderr)
        self.assertFalse([call for call in machine.calls("apt-get") if "--print-uris" not in call])

    def test_terminal_is_asked(self):
        refused = self.machine(installed=[])
        refused.nvcc("13.0.88")
        self.assertEqual(refused.setup_on_terminal("n\n").returncode, 5)
        self.assertFalse(refused.calls("apt-get update"))
        agreed = self.machine(installed=[])
        agreed.nvcc("13.0.88")
        self.assertEqual(agreed.setup_on_terminal("y\n").returncode, 0)
        self.assertTrue(agreed.calls("apt-get update"))

    def test_ci_installs_and_the_second_run_has_nothing_to_do(self):
        machine = self.machine(installed=[])
        machine.nvcc("13.0.88")
        done = machine.setup(CI="true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--no-install-recommends", machine.calls("apt-get install -y")[0])
        self.assertIn("nothing to install", machine.setup().stderr)

    def test_wheels_where_there_is_no_nvcc(self):
        machine = self.machine(installed=package_names() + ["python3-pip"])
        machine.pip()
        done = machine.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        call = machine.calls("python3 -m pip")[0]
        for flag in ("--require-hashes", "--no-deps", "--only-binary=:all:", "cuda-requirements.txt"):
            self.assertIn(flag, call)
        self.assertTrue((machine.project / ".cuda/nvidia/cu13/bin/nvcc").exists())
        self.assertIn("nothing to install; nvcc 13.0.88", machine.setup().stderr)

    def test_old_cuda_is_refused_by_name(self):
        machine = self.machine(installed=package_names() + ["python3-pip"])
        machine.nvcc("12.9.86")
        machine.pip()
        done = machine.setup("--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"refused: CUDA 12\.9\.86 \(.*/bin/nvcc\) is older than 13\.0")
        self.assertIn("done; nvcc 13.0.88", done.stderr)

    def test_a_pointed_at_old_cuda_is_an_error(self):
        machine = self.machine()
        machine.nvcc("12.9.86", machine.folder / "cuda12/bin")
        done = machine.setup("--yes", WARPWRIGHT_CUDA=str(machine.folder / "cuda12"))
        self.assertEqual(done.returncode, 5)
        self.assertIn("CUDA 12.9.86", done.stderr)

    def test_versions_are_compared_as_numbers(self):
        machine = self.machine(installed=package_names() + ["python3-pip"])
        machine.nvcc("9.2.148")
        self.assertIn("refused: CUDA 9.2.148", machine.setup("--dry-run").stderr)

    def test_failed_wheels_leave_nothing_behind(self):
        machine = self.machine(installed=package_names() + ["python3-pip"])
        machine.pip(fails=True)
        self.assertEqual(machine.setup("--yes").returncode, 5)
        self.assertEqual([p.name for p in machine.project.iterdir() if p.name.startswith(".cuda")], [])

    def test_unknown_argument_is_a_usage_error(self):
        self.assertEqual(self.machine().setup("--yess").returncode, 2)

    def test_requirements_are_pinned_and_hashed(self):
        text = (ROOT / "tools/setup-files/cuda-requirements.txt").read_text().replace("\\\n", " ")
        rows = [line for line in text.splitlines() if line and not line.startswith("#")]
        self.assertEqual(len(rows), 5)
        for row in rows:
            self.assertRegex(row, r"^nvidia-[a-z-]+==13\.0\.\d+ +--hash=sha256:[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main()
