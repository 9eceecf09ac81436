// Damages: what disks, file systems and people do to a directory.
#ifndef LOGBOOK_TESTS_CORRUPTION_DAMAGE_H_
#define LOGBOOK_TESTS_CORRUPTION_DAMAGE_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "image.h"

namespace logbook::store {

enum class DamageKind {
  kNone,
  kBitFlip,
  kTruncation,
  kZeroPage,         // a page that was never written
  kDeletion,         // of one file
  kSwap,             // of two files
  kOlderFile,        // a file as it was earlier, and all others as they are
  kForeignFile,      // a file of another store under the same name
  kLogCutAtRecord,   // a write-ahead log that ends early, where a record ends
  kLastLogsDeleted,  // the newest write-ahead log, or more of them
  kOlderDirectory,
  kOtherDirectory,  // of another store, of another cluster
  kEmptyVolume,
};

std::string ToString(DamageKind kind);

struct Damage {
  DamageKind kind = DamageKind::kNone;
  std::string file;   // path in the image; empty: the directory as a whole
  std::string other;  // where other bytes come from: a file of the image, or a directory
  uint64_t at = 0;    // offset, or how many
  int bit = 0;

  // Everything to do it again by hand.
  std::string ToString() const;

  // Whether the whole directory is another one, consistent in itself.
  bool OfDirectory() const { return kind >= DamageKind::kOlderDirectory; }
};

// What can be done to an image. Thread-compatible.
class DamagePlan {
 public:
  explicit DamagePlan(const Image& image);

  // Each damage there is only so many of: deletions, older files, cuts, directories.
  std::vector<Damage> Each() const;

  // Any damage.
  Damage Random(std::mt19937_64& random) const;

 private:
  void AddFilesFrom(DamageKind kind, const std::vector<std::string>& directories,
                    std::vector<Damage>& damages) const;
  Damage RandomFlip(std::mt19937_64& random) const;

  const Image& image_;
  std::vector<std::string> files_;
  std::vector<std::string> logs_;  // write-ahead logs, oldest first
  std::vector<Damage> each_;
};

// Makes `target` a copy of the image with this damage.
void MakeDamaged(const Image& image, const Damage& damage, const std::string& target);

// Puts the undamaged files back into their places, and touches nothing else.
void Repair(const Image& image, const Damage& damage, const std::string& target);

}  // namespace logbook::store

#endif  // LOGBOOK_TESTS_CORRUPTION_DAMAGE_H_
