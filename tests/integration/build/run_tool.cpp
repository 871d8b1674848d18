// SPDX-License-Identifier: Apache-2.0
// Starting the program under test.
#include "tests/integration/build/run_tool.h"

#include "tests/unit/compile/stub_cuda.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright::build_test {

Run run_tool(std::vector<std::string> arguments, const std::string &folder,
             const std::function<void(pid_t)> &meanwhile) {
  const std::string out = folder + "/stdout.txt", err = folder + "/stderr.txt";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    arguments.insert(arguments.begin(), WARPWRIGHT_PROGRAM);
    std::vector<char *> argv;
    for (std::string &argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(WARPWRIGHT_PROGRAM, argv.data());
    ::_exit(99);
  }
  meanwhile(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), compile_test::read_text(out),
          compile_test::read_text(err)};
}

}  // namespace warpwright::build_test
