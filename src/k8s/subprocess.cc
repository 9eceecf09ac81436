#include "logbook/k8s/subprocess.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "logbook/base/clock.h"

namespace logbook::k8s {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}

  ~Descriptor() { Close(); }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

  void Close() {
    if (fd_ >= 0) {
      close(fd_);
    }
    fd_ = -1;
  }

 private:
  int fd_;
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Signals and descriptors as a program expects to find them, whatever a server did with its own.
class SpawnSettings {
 public:
  explicit SpawnSettings(int stdout_fd) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, stdout_fd, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
  }

  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int Spawn(const Subprocess& subprocess, pid_t& pid) const {
    const std::vector<char*> argv = Pointers(subprocess.argv);
    const std::vector<char*> env = Pointers(subprocess.env);
    return posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), env.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Appends what is in the pipe now.
void Drain(int fd, std::string& output) {
  char buffer[16 * 1024];
  for (ssize_t bytes = 1; bytes > 0;) {
    bytes = read(fd, buffer, sizeof(buffer));
    if (bytes > 0) {
      output.append(buffer, static_cast<size_t>(bytes));
    }
  }
}

// Reads until the process has ended. Not until the pipe is closed: its children may keep that open.
absl::Status Collect(const Subprocess& subprocess, int pipe, int process, std::string& output) {
  const Descriptor stopped(eventfd(0, EFD_CLOEXEC));
  const std::stop_callback on_stop(subprocess.stop, [&] {
    const uint64_t one = 1;
    (void)!write(stopped.get(), &one, sizeof(one));
  });
  const absl::Duration deadline = SystemClock().Monotonic() + subprocess.timeout;
  pollfd polled[] = {{process, POLLIN, 0}, {stopped.get(), POLLIN, 0}, {pipe, POLLIN, 0}};
  for (;;) {
    const absl::Duration left =
        std::max(deadline - SystemClock().Monotonic(), absl::ZeroDuration());
    const absl::Duration wait = std::min(absl::Ceil(left, absl::Milliseconds(1)), absl::Hours(1));
    poll(polled, 3, static_cast<int>(absl::ToInt64Milliseconds(wait)));
    const bool ended = polled[0].revents != 0;
    if ((polled[2].revents & POLLIN) != 0) {
      Drain(pipe, output);
    } else if (polled[2].revents != 0) {
      polled[2].fd = -1;  // closed; the process is still there
    }
    if (output.size() > subprocess.output_bytes_max) {
      return InvalidArgument("printed more than ", subprocess.output_bytes_max, " bytes");
    }
    if (ended) {
      return absl::OkStatus();
    }
    if (subprocess.stop.stop_requested()) {
      return Cancelled("stopped");
    }
    if (left <= absl::ZeroDuration()) {
      return DeadlineExceeded("did not end within ", absl::FormatDuration(subprocess.timeout));
    }
  }
}

absl::Status StatusOfExit(int wait_status) {
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) {
    return absl::OkStatus();
  }
  return WIFEXITED(wait_status) ? Unavailable("ended with exit code ", WEXITSTATUS(wait_status))
                                : Unavailable("was ended by signal ", WTERMSIG(wait_status));
}

}  // namespace

absl::StatusOr<std::string> RunSubprocess(const Subprocess& subprocess) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Unavailable("pipe: ", std::generic_category().message(errno));
  }
  const Descriptor output_end(ends[0]);
  Descriptor input_end(ends[1]);
  fcntl(output_end.get(), F_SETFL, O_NONBLOCK);
  pid_t pid = 0;
  const int error = SpawnSettings(input_end.get()).Spawn(subprocess, pid);
  input_end.Close();
  if (error != 0) {
    return error == ENOENT
               ? NotFound(subprocess.argv[0], ": no such program")
               : Unavailable(subprocess.argv[0], ": ", std::generic_category().message(error));
  }
  // glibc 2.36 declares pidfd_open without C linkage.
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  std::string output;
  absl::Status collected = process.get() < 0
                               ? Unavailable("pidfd_open: ", std::generic_category().message(errno))
                               : Collect(subprocess, output_end.get(), process.get(), output);
  if (!collected.ok()) {
    kill(-pid, SIGKILL);
  }
  int wait_status = 0;
  while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  Drain(output_end.get(), output);
  collected.Update(StatusOfExit(wait_status));
  LOGBOOK_RETURN_IF_ERROR(WithContext(collected, subprocess.argv[0]));
  return output;
}

}  // namespace logbook::k8s
