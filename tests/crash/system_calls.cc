#include "system_calls.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace logbook::crash {
namespace {

constexpr SystemCall kFileCalls[] = {
    {"openat", SYS_openat, 1, true, true},  // for reading it changes nothing
    {"write", SYS_write, 0, false, true},
    {"pwrite64", SYS_pwrite64, 0, false, true},
    {"sendfile", SYS_sendfile, 0, false, true},
    {"copy_file_range", SYS_copy_file_range, 2, false, true},
    {"fsync", SYS_fsync, 0, false, true},
    {"fdatasync", SYS_fdatasync, 0, false, true},
    {"sync_file_range", SYS_sync_file_range, 0, false, true},
    {"ftruncate", SYS_ftruncate, 0, false, true},
    {"fallocate", SYS_fallocate, 0, false, true},
    {"rename", SYS_renameat, 3, true, true},
    {"rename", SYS_renameat2, 3, true, true},
    {"unlink", SYS_unlinkat, 1, true, true},
    {"mkdir", SYS_mkdirat, 1, true, true},
    {"link", SYS_linkat, 3, true, true},
#ifdef SYS_rename  // newer architectures have only the calls above
    {"rename", SYS_rename, 1, true, true},
    {"unlink", SYS_unlink, 0, true, true},
    {"mkdir", SYS_mkdir, 0, true, true},
    {"rmdir", SYS_rmdir, 0, true, true},
    {"link", SYS_link, 1, true, true},
#endif
    {"read", SYS_read, 0, false, false},
    {"pread64", SYS_pread64, 0, false, false},
    {"getdents64", SYS_getdents64, 0, false, false},
};

// Compares the number of the call with each of ours; calls of another architecture's table do not
// occur in a program of ours.
std::vector<sock_filter> MakeFilter() {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const SystemCall& call : kFileCalls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call.number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

// One byte with room for one descriptor beside it.
struct Message {
  Message() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }

  char byte = 0;
  iovec data = {.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr header = {};
};

bool SendDescriptor(int socket, int descriptor) {
  Message message;
  cmsghdr* item = CMSG_FIRSTHDR(&message.header);
  item->cmsg_level = SOL_SOCKET;
  item->cmsg_type = SCM_RIGHTS;
  item->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(item), &descriptor, sizeof(int));
  return ::sendmsg(socket, &message.header, MSG_NOSIGNAL) == 1;
}

}  // namespace

std::span<const SystemCall> FileCalls() {
  return kFileCalls;
}

bool AskBeforeFileCalls(int socket) {
  std::vector<sock_filter> filter = MakeFilter();
  const sock_fprog program = {.len = static_cast<unsigned short>(filter.size()),
                              .filter = filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    std::perror("PR_SET_NO_NEW_PRIVS");
    return false;
  }
  const long listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  if (listener < 0) {
    std::perror("seccomp with user notification");
    return false;
  }
  const bool sent = SendDescriptor(socket, static_cast<int>(listener));
  ::close(static_cast<int>(listener));  // gone with the supervisor, not kept by ourselves
  ::close(socket);
  return sent;
}

int ReceiveListener(int socket) {
  Message message;
  if (::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC) != 1) {
    return -1;
  }
  const cmsghdr* item = CMSG_FIRSTHDR(&message.header);
  if (item == nullptr || item->cmsg_type != SCM_RIGHTS) {
    return -1;
  }
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(item), sizeof(int));
  return descriptor;
}

}  // namespace logbook::crash
