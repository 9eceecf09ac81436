#include "damage.h"

#include <algorithm>
#include <filesystem>

#include "logbook/base/check.h"
#include "logbook/base/status.h"

namespace logbook::store {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPage = 4096;

std::vector<std::string> LogsAmong(const std::vector<std::string>& files) {
  std::vector<std::string> logs;
  std::copy_if(files.begin(), files.end(), std::back_inserter(logs),
               [](const std::string& file) { return file.ends_with(".log"); });
  return logs;
}

void FlipBit(std::string& bytes, uint64_t at, int bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
}

void ZeroPage(std::string& bytes, uint64_t at) {
  const uint64_t page = at / kPage * kPage;
  const uint64_t size = std::min<uint64_t>(kPage, bytes.size() - page);
  std::fill_n(bytes.begin() + static_cast<long>(page), size, '\0');
}

void SwapFiles(const std::string& one, const std::string& other) {
  const std::string aside = one + ".aside";
  fs::rename(one, aside);
  fs::rename(other, one);
  fs::rename(aside, other);
}

// Of what is left when whole logs go: the newest `count` of them.
void DeleteLogs(const std::string& target, uint64_t count) {
  std::vector<std::string> logs = LogsAmong(FilesOf(target));
  LOGBOOK_CHECK(count <= logs.size());
  for (uint64_t i = 0; i < count; ++i) {
    fs::remove(target + "/" + logs[logs.size() - 1 - i]);
  }
}

void ChangeBytes(const Damage& damage, const std::string& path) {
  std::string bytes = ReadBytesOf(path);
  switch (damage.kind) {
    case DamageKind::kBitFlip:
      FlipBit(bytes, damage.at, damage.bit);
      break;
    case DamageKind::kZeroPage:
      ZeroPage(bytes, damage.at);
      break;
    default:
      bytes.resize(damage.at);
  }
  WriteBytesTo(path, bytes);
}

}  // namespace

std::string ToString(DamageKind kind) {
  switch (kind) {
    case DamageKind::kNone:
      return "none";
    case DamageKind::kBitFlip:
      return "bit flip";
    case DamageKind::kTruncation:
      return "truncation";
    case DamageKind::kZeroPage:
      return "zero page";
    case DamageKind::kDeletion:
      return "file deleted";
    case DamageKind::kSwap:
      return "files swapped";
    case DamageKind::kOlderFile:
      return "older file";
    case DamageKind::kForeignFile:
      return "foreign file";
    case DamageKind::kLogCutAtRecord:
      return "log cut at record";
    case DamageKind::kLastLogsDeleted:
      return "last logs deleted";
    case DamageKind::kOlderDirectory:
      return "older directory";
    case DamageKind::kOtherDirectory:
      return "other directory";
    case DamageKind::kEmptyVolume:
      return "empty volume";
  }
  return "unknown";
}

std::string Damage::ToString() const {
  return Concat(store::ToString(kind), " ", file, " at ", at, " bit ", bit,
                other.empty() ? "" : " with ", fs::path(other).filename().string());
}

DamagePlan::DamagePlan(const Image& image)
    : image_(image), files_(FilesOf(image.path)), logs_(LogsAmong(files_)) {
  each_.push_back({});
  for (const std::string& file : files_) {
    each_.push_back({.kind = DamageKind::kDeletion, .file = file});
  }
  AddFilesFrom(DamageKind::kOlderFile, image.older, each_);
  AddFilesFrom(DamageKind::kForeignFile, image.others, each_);
  for (const std::string& log : logs_) {
    for (uint64_t end : RecordEnds(ReadBytesOf(image.path + "/" + log))) {
      each_.push_back({.kind = DamageKind::kLogCutAtRecord, .file = log, .at = end});
    }
  }
  for (uint64_t count = 1; count <= logs_.size(); ++count) {
    each_.push_back({.kind = DamageKind::kLastLogsDeleted, .at = count});
  }
  for (const std::string& older : image.older) {
    each_.push_back({.kind = DamageKind::kOlderDirectory, .other = older});
  }
  for (const std::string& other : image.others) {
    each_.push_back({.kind = DamageKind::kOtherDirectory, .other = other});
  }
  each_.push_back({.kind = DamageKind::kEmptyVolume});
}

// Every file that is there under the same name with other bytes.
void DamagePlan::AddFilesFrom(DamageKind kind, const std::vector<std::string>& directories,
                              std::vector<Damage>& damages) const {
  for (const std::string& directory : directories) {
    for (const std::string& file : files_) {
      const std::string other = directory + "/" + file;
      if (fs::exists(other) && ReadBytesOf(other) != ReadBytesOf(image_.path + "/" + file)) {
        damages.push_back({.kind = kind, .file = file, .other = directory});
      }
    }
  }
}

std::vector<Damage> DamagePlan::Each() const {
  return each_;
}

Damage DamagePlan::Random(std::mt19937_64& random) const {
  const uint64_t dice = random() % 100;
  if (dice < 10) {
    return each_[random() % each_.size()];
  }
  Damage damage = RandomFlip(random);
  if (dice < 20) {
    damage.kind = DamageKind::kSwap;
    damage.other = files_[random() % files_.size()];
  } else if (dice < 35) {
    damage.kind = DamageKind::kTruncation;
  } else if (dice < 45) {
    damage.kind = DamageKind::kZeroPage;
  }
  return damage;
}

Damage DamagePlan::RandomFlip(std::mt19937_64& random) const {
  Damage damage{.kind = DamageKind::kBitFlip, .file = files_[random() % files_.size()]};
  damage.at = random() % fs::file_size(image_.path + "/" + damage.file);
  damage.bit = static_cast<int>(random() % 8);
  return damage;
}

void MakeDamaged(const Image& image, const Damage& damage, const std::string& target) {
  const std::string path = target + "/" + damage.file;
  if (damage.kind == DamageKind::kEmptyVolume) {
    fs::create_directories(target);
    return;
  }
  LinkAll(damage.OfDirectory() ? damage.other : image.path, target);
  switch (damage.kind) {
    case DamageKind::kBitFlip:
    case DamageKind::kTruncation:
    case DamageKind::kZeroPage:
    case DamageKind::kLogCutAtRecord:
      return ChangeBytes(damage, path);
    case DamageKind::kDeletion:
      fs::remove(path);
      return;
    case DamageKind::kSwap:
      if (damage.file != damage.other) {
        SwapFiles(path, target + "/" + damage.other);
      }
      return;
    case DamageKind::kOlderFile:
    case DamageKind::kForeignFile:
      return WriteBytesTo(path, ReadBytesOf(damage.other + "/" + damage.file));
    case DamageKind::kLastLogsDeleted:
      return DeleteLogs(target, damage.at);
    default:
      return;
  }
}

void Repair(const Image& image, const Damage& damage, const std::string& target) {
  std::vector<std::string> files = {damage.file};
  if (damage.kind == DamageKind::kSwap) {
    files.push_back(damage.other);
  } else if (damage.kind == DamageKind::kLastLogsDeleted) {
    files = LogsAmong(FilesOf(image.path));
  }
  for (const std::string& file : files) {
    fs::remove(target + "/" + file);
    fs::create_hard_link(image.path + "/" + file, target + "/" + file);
  }
}

}  // namespace logbook::store
