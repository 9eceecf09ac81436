#include "disk_model.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/stat.h>

#include "logbook/base/status.h"

namespace logbook::crash {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPageBytes = 4096;

// Puts zeros or noise in place of pages of bytes[from..]: the last one, and others by chance.
void SpoilPages(std::string& bytes, size_t from, bool noise, std::mt19937_64& random) {
  for (size_t page = from / kPageBytes * kPageBytes; page < bytes.size(); page += kPageBytes) {
    const size_t end = std::min(page + kPageBytes, bytes.size());
    if (end < bytes.size() && random() % 2 == 0) {
      continue;
    }
    for (size_t i = std::max(page, from); i < end; ++i) {
      bytes[i] = noise ? static_cast<char>(random()) : '\0';
    }
  }
}

// A file of which the first `synced` bytes are safe, after the cut.
std::string AfterCut(std::string bytes, size_t synced, Tail tail, std::mt19937_64& random) {
  const size_t loose = bytes.size() - synced;
  switch (tail) {
    case Tail::kLost:
      bytes.resize(synced);
      break;
    case Tail::kPrefix:
      bytes.resize(synced + (loose == 0 ? 0 : random() % loose));
      break;
    case Tail::kTorn:
      bytes.resize(bytes.size() - std::min<size_t>(loose, 1 + random() % 20));
      break;
    case Tail::kZeroed:
      SpoilPages(bytes, synced, false, random);
      break;
    case Tail::kGarbled:
      SpoilPages(bytes, synced, true, random);
      break;
    case Tail::kExtended:
      bytes.resize(synced);
      bytes.resize(synced + loose + (loose == 0 ? 0 : kPageBytes), '\0');
      break;
    case Tail::kThere:
      break;
  }
  return bytes;
}

}  // namespace

std::string ToString(const Cut& cut) {
  constexpr const char* kTails[] = {"lost",    "a prefix", "torn", "zeroed",
                                    "garbled", "extended", "there"};
  return Concat("unsynced bytes ", kTails[static_cast<size_t>(cut.tail)], ", unsynced names ",
                cut.names == Names::kUndone ? "undone" : "there");
}

DiskModel::DiskModel(std::string root) : root_(std::move(root)) {}

std::string DiskModel::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void DiskModel::Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

DiskModel::Inode DiskModel::InodeOf(const std::string& path) {
  struct statx info = {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &info) != 0) {
    return {};
  }
  return {info.stx_ino, info.stx_btime.tv_sec * int64_t{1'000'000'000} + info.stx_btime.tv_nsec};
}

DiskModel::Entries DiskModel::List(const std::string& directory) {
  Entries entries;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    entries[entry.path().filename().string()] = InodeOf(entry.path().string());
  }
  return entries;
}

void DiskModel::Before(const Call& call) {
  if (!IsSync(call)) {
    return;
  }
  if (fs::is_directory(call.path)) {
    const Entries entries = List(call.path);
    for (const auto& [name, inode] : entries) {
      if (fs::is_directory(call.path + "/" + name)) {
        synced_directories_.try_emplace(inode);  // there, and empty as long as it is not synced
      }
    }
    synced_directories_[InodeOf(call.path)] = entries;
  } else if (const Inode inode = InodeOf(call.path); inode != Inode()) {
    synced_files_[inode] = Read(call.path);
  }
}

void DiskModel::WriteImage(const std::string& to, const Cut& cut, std::mt19937_64& random) const {
  fs::create_directories(to);
  WriteDirectory(root_, InodeOf(root_), to, cut, random);
}

std::string DiskModel::SyncedBytes(Inode file) const {
  const auto found = synced_files_.find(file);
  return found == synced_files_.end() ? "" : found->second;
}

void DiskModel::WriteDirectory(const std::string& live, Inode inode, const std::string& to,
                               const Cut& cut, std::mt19937_64& random) const {
  const auto synced = synced_directories_.find(inode);
  const Entries live_entries = List(live);
  const Entries none;
  const Entries& synced_entries = synced == synced_directories_.end() ? none : synced->second;
  std::map<Inode, std::string> live_names;
  for (const auto& [name, of] : live_entries) {
    live_names[of] = live + "/" + name;
  }
  for (const auto& [name, of] : cut.names == Names::kThere ? live_entries : synced_entries) {
    const auto found = live_names.find(of);
    const std::string path = found == live_names.end() ? "" : found->second;
    if (synced_directories_.contains(of) || (!path.empty() && fs::is_directory(path))) {
      fs::create_directory(to + "/" + name);
      WriteDirectory(path, of, to + "/" + name, cut, random);
      continue;
    }
    const std::string safe = SyncedBytes(of);
    const std::string all = path.empty() ? safe : Read(path);
    Write(to + "/" + name, all.starts_with(safe) ? AfterCut(all, safe.size(), cut.tail, random)
                                                 : (cut.tail == Tail::kLost ? safe : all));
  }
}

}  // namespace logbook::crash
