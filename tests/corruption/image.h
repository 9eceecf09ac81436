// Images: directories as a crash leaves them, and copies of them that are damaged on purpose.
#ifndef LOGBOOK_TESTS_CORRUPTION_IMAGE_H_
#define LOGBOOK_TESTS_CORRUPTION_IMAGE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace logbook::store {

// A directory that is never changed again, and the directories it may be mistaken for.
struct Image {
  std::string path;
  std::vector<std::string> older;   // what the directory was at earlier moments, oldest first
  std::vector<std::string> others;  // directories of others: another store, another cluster
};

std::string ReadBytesOf(const std::string& path);
void WriteBytesTo(const std::string& path, std::string_view bytes);

// The files of an image that hold something, by their paths in it, sorted. Locks are not among
// them.
std::vector<std::string> FilesOf(const std::string& directory);

// A copy for a process that is alive: every byte.
void CopyAll(const std::string& from, const std::string& to);

// A copy for the price of some names. Neither RocksDB nor the store changes a file that is there:
// they write new ones and rename; CheckUntouched holds them to it. Without the locks.
void LinkAll(const std::string& from, const std::string& to);

// A sum over names and contents.
uint64_t SumOf(const std::string& directory);

// Offsets in a write-ahead log at which a record ends.
std::vector<uint64_t> RecordEnds(std::string_view log);

// Where temporary files cost no disk, if there is such a place: thousands of stores are opened.
std::string FastTemporaryDirectory();

// A directory of its own there, removed at the end.
class FastTempDir {
 public:
  FastTempDir();
  ~FastTempDir();
  FastTempDir(const FastTempDir&) = delete;
  FastTempDir& operator=(const FastTempDir&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_IMAGE_H_
