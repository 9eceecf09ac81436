// DiskModel: what of a tree of files a power cut would leave, by what POSIX promises and no more:
// bytes of a file survive once it is synced, a name once its directory is. It is told of every
// call, so that it knows of all files of a store, RocksDB's and ours.
//
// Limits:   a file is taken to grow only; of one that was overwritten (LOGBOOK_LOCK) either all of
//           the new bytes survive or none. sync_file_range counts for nothing.
#ifndef LOGBOOK_TESTS_CRASH_DISK_MODEL_H_
#define LOGBOOK_TESTS_CRASH_DISK_MODEL_H_

#include <map>
#include <random>
#include <string>
#include <utility>

#include "supervisor.h"

namespace logbook::crash {

// What becomes of bytes that were written and not synced.
enum class Tail {
  kLost,
  kPrefix,    // some are there
  kTorn,      // all but the last few
  kZeroed,    // pages of them are zeros
  kGarbled,   // pages of them are something else
  kExtended,  // the file has grown, and holds zeros
  kThere,
};

// What becomes of names that were made, changed or removed and not synced.
enum class Names { kUndone, kThere };

struct Cut {
  Tail tail = Tail::kLost;
  Names names = Names::kUndone;
};

std::string ToString(const Cut& cut);

// Confined.
class DiskModel {
 public:
  // `root` is an empty directory, and survives.
  explicit DiskModel(std::string root);

  // The call is about to be made; a sync is taken to succeed.
  void Before(const Call& call);

  // Writes to the new directory `to` what a power cut now would leave of the root.
  void WriteImage(const std::string& to, const Cut& cut, std::mt19937_64& random) const;

  // A file's bytes, and the other way round.
  static std::string Read(const std::string& path);
  static void Write(const std::string& path, const std::string& bytes);

  static bool IsSync(const Call& call) { return call.name == "fsync" || call.name == "fdatasync"; }

 private:
  // A file or directory, whatever its name; numbers are given again, with another time of birth.
  using Inode = std::pair<uint64_t, int64_t>;
  using Entries = std::map<std::string, Inode>;

  static Inode InodeOf(const std::string& path);
  static Entries List(const std::string& directory);

  void WriteDirectory(const std::string& live, Inode inode, const std::string& to, const Cut& cut,
                      std::mt19937_64& random) const;
  std::string SyncedBytes(Inode file) const;

  const std::string root_;
  std::map<Inode, std::string> synced_files_;
  std::map<Inode, Entries> synced_directories_;
};

}  // namespace logbook::crash

#endif  // LOGBOOK_TESTS_CRASH_DISK_MODEL_H_
