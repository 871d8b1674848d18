// SPDX-License-Identifier: Apache-2.0
// Many processes share one compiler cache while they are killed and its entries rot; no wrong byte may come back.
#include "generator/compile/cache.h"
#include "generator/compile/compile.h"
#include "generator/compile/scratch.h"
#include "generator/support/digest.h"
#include "generator/support/files.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace warpwright;
using Clock = std::chrono::steady_clock;
using support::format_thousands;

constexpr int kSources = 24;  ///< kernels that go through the compiler
constexpr int kEntries = 40;  ///< entries that go straight to the cache, up to 300 KB each
constexpr int kWrongExit = 9;

struct Options {
  int kills = 200;
  double seconds = 60;
  int workers = 4;
};

/// Counters that survive the death of those who count.
struct Counters {
  std::atomic<int64_t> reads{0}, hits{0}, stores{0}, compiles{0}, wrong{0};
};

Counters &counters() {
  static Counters *shared = [] {
    void *memory = ::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    return new (memory) Counters;
  }();
  return *shared;
}

struct Folders {
  std::string root;
  std::string cache() const { return root + "/cache"; }
  std::string scratch() const { return root + "/scratch"; }
  std::string cuda() const { return root + "/cuda"; }
};

/// A compiler whose output follows from its input, so that everybody knows what is right.
constexpr char kStubNvcc[] =
    "#!/bin/sh\n"
    "if [ \"$1\" = --version ]; then echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0; fi\n"
    "for source; do :; done\n"
    "{ echo '// ptx'; cat \"$source\"; } > \"${source%.cu}.ptx\"\n"
    "{ cat \"$source\" \"$source\"; } > out.cubin\n"
    "echo \"ptxas info    : Compiling entry function 'k' for 'sm_100a'\"\n"
    "echo 'ptxas info    : Used 10 registers, used 1 barriers'\n";

std::string make_source(int number) {
  std::string source = fmt::format("// kernel {}\n", number);
  while (source.size() < static_cast<size_t>(1000 + 4000 * number))
    source += fmt::format("line {} of {}\n", source.size(), number);
  return source;
}

std::string make_content(int number) {
  std::string content;
  std::mt19937 random(static_cast<unsigned>(number));
  content.resize(static_cast<size_t>(number) * 7919 % 300'000);
  for (char &byte : content) byte = static_cast<char>(random());
  return content;
}

/// Made once, before any worker starts; one more of each for the recovery, whose last compilation is always a fresh
/// one.
struct Truth {
  std::vector<std::string> sources, contents, keys;
  Truth() {
    for (int number = 0; number <= kSources; ++number) sources.push_back(make_source(number));
    for (int number = 0; number <= kEntries; ++number) {
      contents.push_back(make_content(number));
      keys.push_back(support::sha256_hex(fmt::format("entry {}", number)));
    }
  }
};

const Truth &truth() {
  static const Truth made;
  return made;
}

/// Reports and ends the worker: the one thing that must never happen.
void check(bool is_right, const std::string &what) {
  if (is_right) return;
  ++counters().wrong;
  fmt::print(stderr, "cache_stress: wrong bytes: {}\n", what);
  ::_exit(kWrongExit);
}

void compile_one(const Folders &folders, int number) {
  const std::string &source = truth().sources[static_cast<size_t>(number)];
  compile::CompileOptions options;
  options.cache_folder = folders.cache();
  options.kernel_name = "k";
  support::Diagnostics diagnostics;
  const auto kernel = compile::compile_kernel(source, *target::find_target("sm_100a"), {}, options, diagnostics);
  check(kernel.has_value(), "no kernel: " + diagnostics.render());
  ++counters().reads;
  ++(kernel->from_cache ? counters().hits : counters().compiles);
  check(kernel->ptx == "// ptx\n" + source, fmt::format("PTX of kernel {}", number));
  check(std::string(kernel->cubin.begin(), kernel->cubin.end()) == source + source,
        fmt::format("cubin of kernel {}", number));
  check(kernel->registers == 10, fmt::format("figures of kernel {}", number));
}

void use_entry(const Folders &folders, int number, bool replaces) {
  const compile::Cache cache(folders.cache());
  const std::string &key = truth().keys[static_cast<size_t>(number)];
  const std::string &content = truth().contents[static_cast<size_t>(number)];
  const std::optional<std::string> got = cache.load(key);
  ++counters().reads;
  if (got) {
    ++counters().hits;
    check(*got == content, fmt::format("entry {}", number));
    if (!replaces) return;
  }
  std::string why;
  check(cache.store(key, content, why), "cannot store: " + why);
  ++counters().stores;
}

[[noreturn]] void work(const Folders &folders, unsigned seed) {
  std::mt19937 random(seed);
  while (true) {
    if (random() % 8 == 0) {
      compile_one(folders, static_cast<int>(random() % kSources));
    } else {
      use_entry(folders, static_cast<int>(random() % kEntries), random() % 4 == 0);
    }
  }
}

pid_t start_worker(const Folders &folders, unsigned seed) {
  const pid_t worker = ::fork();
  if (worker == 0) work(folders, seed);
  return worker;
}

/// Runs ordinary work in a process of its own; its exit code.
template <typename Body>
int in_process(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::vector<std::string> files_below(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    if (!item->is_directory(error)) files.push_back(item->path().string());
  }
  return files;
}

/// Rot: a byte changed in place, or the end cut off, of some entry.
bool damage_an_entry(const Folders &folders, std::mt19937 &random) {
  const std::vector<std::string> entries = files_below(folders.cache() + "/entries");
  if (entries.empty()) return false;
  const std::string &file = entries[random() % entries.size()];
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || status.st_size == 0) return false;
  const off_t at = static_cast<off_t>(random() % static_cast<unsigned>(status.st_size));
  if (random() % 3 == 0) return ::truncate(file.c_str(), at) == 0;
  const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  char byte = 0;
  bool is_done = fd >= 0 && ::pread(fd, &byte, 1, at) == 1;
  byte = static_cast<char>(byte ^ (1 << (random() % 8)));
  is_done = is_done && ::pwrite(fd, &byte, 1, at) == 1;
  if (fd >= 0) ::close(fd);
  return is_done;
}

class Stress {
 public:
  Stress(const Options &options, Folders folders) : options_(options), folders_(std::move(folders)) {}

  int run() {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < options_.workers; ++i) workers_.push_back(start_worker(folders_, seed_++));
    const double period = options_.seconds / options_.kills;
    for (int done = 0; done < options_.kills; ++done) {
      // Kills keep their times; entries rot about every 20 ms in between.
      const auto due =
          start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period * (done + 1)));
      do {
        damaged_ += damage_an_entry(folders_, random_) ? 1 : 0;
        std::this_thread::sleep_until(std::min(due, Clock::now() + std::chrono::milliseconds(20)));
      } while (Clock::now() < due);
      replace_a_worker();
    }
    for (const pid_t worker : workers_) end(worker);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return report(seconds, recover());
  }

 private:
  void end(pid_t worker) {
    ::kill(worker, SIGKILL);
    int status = 0;
    ::waitpid(worker, &status, 0);
    if (WIFSIGNALED(status)) {
      ++killed_;
    } else {
      ++failed_;  // it had ended by itself, which only a wrong byte makes it do
    }
  }

  void replace_a_worker() {
    pid_t &worker = workers_[random_() % workers_.size()];
    end(worker);
    worker = start_worker(folders_, seed_++);
  }

  /// Ordinary use after the storm: what was left behind goes, and every kernel is right. Returns the files left.
  std::vector<std::string> recover() {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // compilers that outlived their callers end
    failed_ += in_process([&] {
                 for (int number = 0; number <= kSources; ++number) compile_one(folders_, number);
                 for (int number = 0; number <= kEntries; ++number) use_entry(folders_, number, false);
               }) != 0;
    std::vector<std::string> left = files_below(folders_.cache() + "/staging");
    const std::vector<std::string> scratch = files_below(folders_.scratch());
    left.insert(left.end(), scratch.begin(), scratch.end());
    return left;
  }

  int report(double seconds, const std::vector<std::string> &left) const {
    const Counters &c = counters();
    fmt::print(
        "cache_stress: {} processes killed and {} entries damaged in {:.1f} s; {} reads, {} hits, {} compilations, "
        "{} stores\n",
        killed_, damaged_, seconds, format_thousands(c.reads), format_thousands(c.hits), format_thousands(c.compiles),
        format_thousands(c.stores));
    fmt::print("cache_stress: {} wrong results, {} temporary files left\n", c.wrong + failed_, left.size());
    for (const std::string &file : left) fmt::print("  {}\n", file);
    if (c.hits == 0 || c.stores == 0 || c.compiles == 0) fmt::print("cache_stress: it did not do all kinds of work\n");
    const bool is_right = c.wrong + failed_ == 0 && left.empty() && c.hits > 0 && c.stores > 0 && c.compiles > 0;
    return static_cast<int>(is_right ? support::Exit::kOk : support::Exit::kCheckFailed);
  }

  const Options options_;
  const Folders folders_;
  std::vector<pid_t> workers_;
  std::mt19937 random_{20'240'229};
  unsigned seed_ = 1;
  int killed_ = 0, damaged_ = 0, failed_ = 0;
};

int usage(const char *program) {
  fmt::print(stderr, "usage: {} [--kills N] [--seconds S] [--workers N]\n", program);
  return static_cast<int>(support::Exit::kUsage);
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const double value = std::atof(argv[i + 1]);
    if (value <= 0) return usage(argv[0]);
    if (name == "--kills") {
      options.kills = static_cast<int>(value);
    } else if (name == "--seconds") {
      options.seconds = value;
    } else if (name == "--workers") {
      options.workers = static_cast<int>(value);
    } else {
      return usage(argv[0]);
    }
  }
  if (argc % 2 == 0) return usage(argv[0]);

  std::string root = (fs::temp_directory_path() / "warpwright-stress-XXXXXX").string();
  if (::mkdtemp(root.data()) == nullptr) return static_cast<int>(support::Exit::kEnvironment);
  const Folders folders{root};
  std::string why;
  fs::create_directories(folders.scratch());
  fs::create_directories(folders.cuda() + "/bin");
  support::write_file(folders.cuda() + "/bin/nvcc", kStubNvcc, why);
  ::chmod((folders.cuda() + "/bin/nvcc").c_str(), 0755);
  ::setenv("WARPWRIGHT_CUDA", folders.cuda().c_str(), 1);
  ::setenv("TMPDIR", folders.scratch().c_str(), 1);
  counters();
  truth();
  const int code = Stress(options, folders).run();
  std::error_code ignored;
  fs::remove_all(root, ignored);
  return code;
}
