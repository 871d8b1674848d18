// SPDX-License-Identifier: Apache-2.0
// posix_spawn with captured output, a time limit and a process group to kill.
#include "generator/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

extern char **environ;

namespace warpwright::support {
namespace {

using Clock = std::chrono::steady_clock;

/// Groups that a signal handler must kill; lock-free, so that the handler may read it. More than fit are not killed.
constexpr size_t kTrackedGroups = 256;
std::array<std::atomic<pid_t>, kTrackedGroups> running_groups{};

/// Keeps a group in the table for as long as it runs.
class TrackedGroup {
 public:
  explicit TrackedGroup(pid_t group) {
    for (std::atomic<pid_t> &entry : running_groups) {
      pid_t free_entry = 0;
      if (entry.compare_exchange_strong(free_entry, group)) {
        entry_ = &entry;
        return;
      }
    }
  }
  ~TrackedGroup() {
    if (entry_ != nullptr) entry_->store(0);
  }
  TrackedGroup(const TrackedGroup &) = delete;
  TrackedGroup &operator=(const TrackedGroup &) = delete;

 private:
  std::atomic<pid_t> *entry_ = nullptr;
};

/// Both ends close on every way out.
struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close(int &fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  ~Pipe() {
    close(read_end);
    close(write_end);
  }
};

std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>> &added) {
  std::vector<std::string> merged;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const bool is_replaced = std::any_of(added.begin(), added.end(), [&](const auto &a) { return a.first == name; });
    if (!is_replaced) merged.push_back(text);
  }
  for (const auto &[name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> out;
  for (std::string &text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Starts the program in a group of its own, with default signal handling; 0 or an error number.
int spawn(const ProcessRequest &request, const Pipe &in, const Pipe &out, const Pipe &err, pid_t &pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  if (!request.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, request.folder.c_str());
  sigset_t none, reset;
  sigemptyset(&none);
  sigemptyset(&reset);
  for (const int signal_number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&reset, signal_number);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &reset);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> argv = request.argv;
  std::vector<std::string> environment = merged_environment(request.environment);
  const int error = posix_spawnp(&pid, argv[0].c_str(), &actions, &attributes, pointers(argv).data(),
                                 pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Moves bytes between the program and us until it ends, its streams close or time runs out.
class Conversation {
 public:
  Conversation(const ProcessRequest &request, pid_t pid, int in, int out, int err, ProcessResult &result)
      : request_(request), pid_(pid), in_(in), out_(out), err_(err), result_(result), started_(Clock::now()) {}

  void run() {
    while (!has_exited_ || out_ >= 0 || err_ >= 0) {
      if (!has_exited_ && is_over(request_.limit_seconds)) {
        result_.timed_out = true;
        break;
      }
      // A child of the program may hold its output open for ever: grant it a moment after the program's end.
      if (has_exited_ && std::chrono::duration<double>(Clock::now() - exited_).count() > kGraceSeconds) break;
      exchange();
      if (!has_exited_ && ::waitpid(pid_, &status_, WNOHANG) == pid_) {
        has_exited_ = true;
        exited_ = Clock::now();
      }
    }
    if (!has_exited_ || out_ >= 0 || err_ >= 0) ::kill(-pid_, SIGKILL);
    while (!has_exited_ && ::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    result_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    result_.signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    result_.exit_code = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }

  int in() const { return in_; }
  int out() const { return out_; }
  int err() const { return err_; }

 private:
  static constexpr double kGraceSeconds = 0.25;
  static constexpr int kPollMilliseconds = 10;

  bool is_over(double limit_seconds) const {
    return limit_seconds > 0 && std::chrono::duration<double>(Clock::now() - started_).count() > limit_seconds;
  }

  void exchange() {
    if (out_ < 0 && err_ < 0 && in_ < 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return;
    }
    pollfd fds[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {in_, POLLOUT, 0}};
    if (::poll(fds, 3, kPollMilliseconds) <= 0) return;
    if (fds[0].revents != 0) receive(out_, result_.out);
    if (fds[1].revents != 0) receive(err_, result_.err);
    if (fds[2].revents != 0) send();
  }

  void receive(int &fd, std::string &text) {
    char buffer[1 << 16];
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return Pipe::close(fd);
    const int64_t room = request_.output_limit_bytes - static_cast<int64_t>(text.size());
    const int64_t kept = std::clamp<int64_t>(room, 0, got);
    if (kept < got) result_.is_truncated = true;
    text.append(buffer, static_cast<size_t>(kept));
  }

  void send() {
    const ssize_t sent = ::write(in_, request_.input.data() + sent_, request_.input.size() - sent_);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return;
    sent_ += sent < 0 ? 0 : static_cast<size_t>(sent);
    if (sent < 0 || sent_ == request_.input.size()) Pipe::close(in_);  // a reader that went away is not our error
  }

  const ProcessRequest &request_;
  pid_t pid_;
  int in_, out_, err_;
  ProcessResult &result_;
  Clock::time_point started_, exited_;
  bool has_exited_ = false;
  int status_ = 0;
  size_t sent_ = 0;
};

/// A program that closes its input early must not end us by SIGPIPE.
void ignore_sigpipe() {
  struct sigaction action {};
  if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

ProcessResult run_process(const ProcessRequest &request) {
  ProcessResult result;
  if (request.argv.empty()) {
    result.why = "the argument vector is empty";
    return result;
  }
  Pipe in, out, err;
  pid_t pid = 0;
  if (!in.open() || !out.open() || !err.open()) {
    result.why = std::strerror(errno);
    return result;
  }
  if (const int error = spawn(request, in, out, err, pid); error != 0) {
    result.why = std::strerror(error);
    return result;
  }
  result.started = true;
  const TrackedGroup tracked(pid);
  Pipe::close(in.read_end);
  Pipe::close(out.write_end);
  Pipe::close(err.write_end);
  if (request.input.empty()) {
    Pipe::close(in.write_end);
  } else {
    ignore_sigpipe();
    ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  }
  Conversation conversation(request, pid, in.write_end, out.read_end, err.read_end, result);
  conversation.run();
  in.write_end = conversation.in();
  out.read_end = conversation.out();
  err.read_end = conversation.err();
  return result;
}

void kill_running_processes() {
  for (const std::atomic<pid_t> &entry : running_groups) {
    const pid_t group = entry.load();
    if (group > 0) ::kill(-group, SIGKILL);
  }
}

std::optional<std::string> find_program(const std::string &name) {
  const auto is_executable = [](const std::string &file) { return ::access(file.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) {
    return is_executable(name) ? std::optional<std::string>(name) : std::nullopt;
  }
  const char *path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string file = folders.substr(at, end - at) + "/" + name;
    if (end > at && is_executable(file)) return file;
    at = end + 1;
  }
  return std::nullopt;
}

std::string shell_quoted(const std::vector<std::string> &argv) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string out;
  for (const std::string &argument : argv) {
    if (!out.empty()) out += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
      out += argument;
      continue;
    }
    out += '\'';
    for (const char c : argument) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace warpwright::support
