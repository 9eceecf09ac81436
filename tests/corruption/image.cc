#include "image.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <unistd.h>

#include "logbook/base/check.h"
#include "logbook/base/hash.h"
#include "logbook/base/status.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

bool IsLock(const fs::path& path) {
  return path.filename() == "LOCK" || path.filename() == "LOGBOOK_LOCK";
}

uint32_t LittleEndian(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

}  // namespace

std::string ReadBytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A new file: the old one may be linked from the image.
void WriteBytesTo(const std::string& path, std::string_view bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

std::vector<std::string> FilesOf(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file() && !IsLock(entry.path()) && entry.file_size() > 0) {
      files.push_back(fs::relative(entry.path(), directory).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void CopyAll(const std::string& from, const std::string& to) {
  fs::copy(from, to, fs::copy_options::recursive);
}

void LinkAll(const std::string& from, const std::string& to) {
  fs::create_directories(to);
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = fs::path(to) / fs::relative(entry.path(), from);
    if (entry.is_directory()) {
      fs::create_directories(target);
    } else if (!IsLock(entry.path())) {
      fs::create_hard_link(entry.path(), target);
    }
  }
}

uint64_t SumOf(const std::string& directory) {
  uint64_t sum = 0;
  for (const std::string& file : FilesOf(directory)) {
    sum += HashBytes(Concat(file, " ", ReadBytesOf(directory + "/" + file))).low;
  }
  return sum;
}

// Blocks of 32 KiB, in them fragments: checksum (4), length (2), type (1), bytes.
std::vector<uint64_t> RecordEnds(std::string_view log) {
  constexpr size_t kBlock = 32768;
  constexpr size_t kHeader = 7;
  constexpr int kFull = 1;
  constexpr int kLast = 4;
  std::vector<uint64_t> ends;
  size_t at = 0;
  while (at + kHeader <= log.size()) {
    if (const size_t left = kBlock - at % kBlock; left < kHeader) {
      at += left;
      continue;
    }
    const uint32_t length = LittleEndian(log, at + 4, 2);
    const int type = log[at + 6];
    if (type == 0) {
      break;
    }
    at += kHeader + length;
    if (type == kFull || type == kLast) {
      ends.push_back(at);
    }
  }
  return ends;
}

std::string FastTemporaryDirectory() {
  const std::string shared_memory = "/dev/shm";
  return ::access(shared_memory.c_str(), W_OK) == 0 ? shared_memory
                                                    : fs::temp_directory_path().string();
}

FastTempDir::FastTempDir() {
  std::string pattern = FastTemporaryDirectory() + "/logbook-test-XXXXXX";
  LOGBOOK_CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

FastTempDir::~FastTempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace logbook::store
