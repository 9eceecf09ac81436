#include "supervisor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "system_calls.h"
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "logbook/base/check.h"
#include "logbook/base/status.h"
#include "logbook/support/temp_dir.h"

extern char** environ;

namespace logbook::crash {
namespace {

// The memory of `process`; less than `bytes` if there is not so much.
std::string ReadMemory(pid_t process, uint64_t address, size_t bytes) {
  std::string text(bytes, '\0');
  const iovec ours = {.iov_base = text.data(), .iov_len = bytes};
  const iovec theirs = {.iov_base = reinterpret_cast<void*>(address), .iov_len = bytes};
  const ssize_t read = ::process_vm_readv(process, &ours, 1, &theirs, 1, 0);
  text.resize(read < 0 ? 0 : static_cast<size_t>(read));
  return text;
}

// A path at `address`: as far as the page ends, and then the next.
std::string ReadPath(pid_t process, uint64_t address) {
  constexpr size_t kPage = 4096;
  std::string text = ReadMemory(process, address, kPage - address % kPage);
  if (text.find('\0') == std::string::npos) {
    text += ReadMemory(process, address + text.size(), kPage);
  }
  return text.c_str();
}

std::string PathOfDescriptor(pid_t process, uint64_t descriptor) {
  std::array<char, 4096> path;
  const ssize_t size =
      ::readlink(Concat("/proc/", process, "/fd/", static_cast<int>(descriptor)).c_str(),
                 path.data(), path.size());
  return size < 0 ? "" : std::string(path.data(), static_cast<size_t>(size));
}

Call Describe(const seccomp_notif& notification) {
  const std::span<const SystemCall> calls = FileCalls();
  const auto known = std::find_if(calls.begin(), calls.end(), [&](const SystemCall& call) {
    return call.number == notification.data.nr;
  });
  LOGBOOK_CHECK(known != calls.end());
  Call call{.name = known->name,
            .changes = known->changes,
            .process = static_cast<pid_t>(notification.pid)};
  std::copy_n(std::begin(notification.data.args), call.arguments.size(), call.arguments.begin());
  const uint64_t file = call.arguments[static_cast<size_t>(known->argument)];
  call.path = known->by_path ? ReadPath(call.process, file) : PathOfDescriptor(call.process, file);
  if (call.name == "openat") {
    call.changes = (call.arguments[2] & (O_CREAT | O_TRUNC)) != 0;
  }
  return call;
}

// Does the first half of a write with the driver's own descriptor, as a process that is killed in
// the middle of a long one.
void WriteHalf(const Call& call) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, call.process, 0));
  const int file = static_cast<int>(::syscall(SYS_pidfd_getfd, process, call.arguments[0], 0));
  const std::string half = ReadMemory(call.process, call.arguments[1], call.arguments[2] / 2);
  if (call.name == "pwrite64") {
    (void)!::pwrite(file, half.data(), half.size(), static_cast<off_t>(call.arguments[3]));
  } else if (call.name == "write") {
    (void)!::write(file, half.data(), half.size());
  }
  ::close(file);
  ::close(process);
}

// Serves one listener until its process has gone. Confined.
class Supervision {
 public:
  Supervision(int listener, pid_t process, std::string scope, Judge judge)
      : listener_(listener), process_(process), scope_(std::move(scope)), judge_(judge) {}

  void Run() {
    pollfd wait = {.fd = listener_, .events = POLLIN, .revents = 0};
    while (::poll(&wait, 1, -1) > 0 && (wait.revents & POLLIN) != 0) {
      ServeOne();
    }
  }

 private:
  void ServeOne() {
    notification_ = {};
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &notification_.head) != 0) {
      return;  // its thread was killed meanwhile
    }
    const Call call = Describe(notification_.head);
    const bool ours = call.path.starts_with(scope_);
    const Answer answer = ours && !killed_ ? judge_(call) : Answer();
    if (answer.deed == Deed::kTearAndKill) {
      WriteHalf(call);
    }
    if (answer.deed == Deed::kKill || answer.deed == Deed::kTearAndKill) {
      ::kill(process_, SIGKILL);
      killed_ = true;
    } else if (!killed_) {
      Respond(answer);
    }
  }

  void Respond(const Answer& answer) const {
    seccomp_notif_resp response = {};
    response.id = notification_.head.id;
    if (answer.deed == Deed::kFail) {
      response.error = -answer.error;
    } else {
      response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);
  }

  // A newer kernel's notification may be longer than the one we know.
  union Notification {
    seccomp_notif head;
    std::array<char, 1024> room;
  };

  const int listener_;
  const pid_t process_;
  const std::string scope_;
  const Judge judge_;
  Notification notification_ = {};
  bool killed_ = false;
};

// Starts the driver; `socket` becomes its kSupervisorSocket, if it is not negative.
pid_t Spawn(const DriverOptions& options, int socket) {
  const Workplace& place = options.workplace;
  std::vector<std::string> words = {LOGBOOK_CRASH_DRIVER, place.store(), place.acknowledgements()};
  if (options.strict) {
    words.emplace_back("--strict");
  }
  if (options.trim) {
    words.emplace_back("--trim");
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, place.errors().c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0640);
  if (socket >= 0) {
    words.emplace_back("--supervised");
    posix_spawn_file_actions_adddup2(&files, socket, kSupervisorSocket);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  LOGBOOK_CHECK(error == 0);
  return process;
}

Ending WaitFor(pid_t process, const Workplace& place) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  Ending ending;
  if (WIFEXITED(status)) {
    ending.status = WEXITSTATUS(status);
  } else {
    ending.signal = WTERMSIG(status);
  }
  std::ifstream errors(place.errors());
  ending.errors.assign(std::istreambuf_iterator<char>(errors), {});
  return ending;
}

}  // namespace

std::string Ending::ToString() const {
  return Concat(signal == 0 ? Concat("exit status ", status) : Concat("signal ", signal),
                errors.empty() ? "" : ": ", errors);
}

Ending RunDriver(const DriverOptions& options) {
  return WaitFor(Spawn(options, -1), options.workplace);
}

Ending RunDriver(const DriverOptions& options, Judge judge) {
  std::array<int, 2> sockets;
  LOGBOOK_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) == 0);
  const pid_t process = Spawn(options, sockets[1]);
  ::close(sockets[1]);
  const int listener = ReceiveListener(sockets[0]);
  ::close(sockets[0]);
  if (listener >= 0) {
    Supervision(listener, process, options.workplace.disk(), judge).Run();
    ::close(listener);
  }
  return WaitFor(process, options.workplace);
}

std::string WhyNotSupervised() {
  const TempDir temp;
  int asked = 0;
  const Ending ending = RunDriver({.workplace = {temp.path()}}, [&](const Call&) {
    ++asked;
    return Answer{.deed = Deed::kKill};
  });
  return asked > 0 ? ""
                   : Concat(
                         "needs seccomp's user notification, and to read the memory of a child; "
                         "the driver ended with ",
                         ending.ToString());
}

}  // namespace logbook::crash
