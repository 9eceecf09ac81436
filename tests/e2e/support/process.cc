#include "process.h"

#include <array>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "logbook/base/check.h"
#include "logbook/support/eventually.h"

namespace logbook::e2e {
namespace {

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// In the child: becomes the program.
[[noreturn]] void Exec(const ProcessOptions& options) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const auto& [name, value] : options.env) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> argv;
  for (const std::string& argument : options.argv) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

struct Pipe {
  Pipe() { LOGBOOK_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0); }

  ~Pipe() {
    CloseRead();
    CloseWrite();
  }

  void CloseRead() { Close(ends[0]); }

  void CloseWrite() { Close(ends[1]); }

  static void Close(int& fd) {
    if (fd >= 0) {
      close(fd);
      fd = -1;
    }
  }

  std::array<int, 2> ends = {-1, -1};
};

// False at the end of the stream.
bool ReadInto(int fd, std::string& out) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got > 0) {
    out.append(buffer.data(), static_cast<size_t>(got));
  }
  return got > 0;
}

void Communicate(Pipe& in, Pipe& out, Pipe& err, std::string_view input, ProcessResult& result) {
  bool out_open = true;
  bool err_open = true;
  while (out_open || err_open) {
    std::array<pollfd, 3> polled = {pollfd{input.empty() ? -1 : in.ends[1], POLLOUT, 0},
                                    pollfd{out_open ? out.ends[0] : -1, POLLIN, 0},
                                    pollfd{err_open ? err.ends[0] : -1, POLLIN, 0}};
    poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) {
      const ssize_t put = write(in.ends[1], input.data(), input.size());
      input.remove_prefix(put > 0 ? static_cast<size_t>(put) : input.size());
    }
    if (input.empty()) {
      in.CloseWrite();
    }
    if (polled[1].revents != 0) {
      out_open = ReadInto(out.ends[0], result.out);
    }
    if (polled[2].revents != 0) {
      err_open = ReadInto(err.ends[0], result.err);
    }
  }
}

}  // namespace

ProcessResult RunProcess(const ProcessOptions& options) {
  Pipe in, out, err;
  const pid_t pid = fork();
  LOGBOOK_CHECK(pid >= 0);
  if (pid == 0) {
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(err.ends[1], STDERR_FILENO);
    Exec(options);
  }
  in.CloseRead();
  out.CloseWrite();
  err.CloseWrite();
  ProcessResult result;
  Communicate(in, out, err, options.input, result);
  int status = 0;
  waitpid(pid, &status, 0);
  result.exit_code = ExitCode(status);
  return result;
}

BackgroundProcess::BackgroundProcess(const ProcessOptions& options) : pid_(fork()) {
  LOGBOOK_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    const int log = open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    Exec(options);
  }
}

BackgroundProcess::~BackgroundProcess() {
  if (!ended_) {
    Signal(SIGKILL);
    Wait();
  }
}

void BackgroundProcess::Signal(int signal) const {
  kill(pid_, signal);
}

bool BackgroundProcess::Running() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = true;
    exit_code_ = ExitCode(status);
  }
  return !ended_;
}

int BackgroundProcess::Wait() {
  if (!Eventually([&] { return !Running(); })) {
    Signal(SIGABRT);
  }
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, 0) == pid_) {
    ended_ = true;
    exit_code_ = ExitCode(status);
  }
  return exit_code_;
}

}  // namespace logbook::e2e
