#include "plain_store.h"

#include <filesystem>
#include <string>
#include <vector>

#include "victim.h"
#include <rocksdb/db.h>

#include "logbook/base/check.h"
#include "logbook/store/key_codec.h"

namespace logbook::store {
namespace {

// Closes what it opened.
class PlainDatabase {
 public:
  PlainDatabase(const std::string& directory, bool create) {
    rocksdb::Options options;
    options.create_if_missing = create;
    options.create_missing_column_families = create;
    const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
        {rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions()},
        {"bookmarks", rocksdb::ColumnFamilyOptions()}};
    rocksdb::DB* db = nullptr;
    status_ = rocksdb::DB::Open(options, directory, families, &handles_, &db);
    db_.reset(db);
  }

  ~PlainDatabase() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      (void)db_->DestroyColumnFamilyHandle(handle);
    }
  }

  PlainDatabase(const PlainDatabase&) = delete;
  PlainDatabase& operator=(const PlainDatabase&) = delete;

  const rocksdb::Status& status() const { return status_; }

  rocksdb::DB& db() { return *db_; }

  void Put(EventSeq seq, const std::string& record, bool sync) {
    rocksdb::WriteBatch batch;
    rocksdb::WriteOptions options;
    options.sync = sync;
    LOGBOOK_CHECK(batch.Put(handles_[0], EventRowKey(seq), record).ok());
    LOGBOOK_CHECK(batch.Put(handles_[1], "bookmark", EventRowKey(seq)).ok());
    LOGBOOK_CHECK(db_->Write(options, &batch).ok());
  }

  void FlushEvents() { LOGBOOK_CHECK(db_->Flush(rocksdb::FlushOptions(), handles_[0]).ok()); }

  void FlushAll() { LOGBOOK_CHECK(db_->Flush(rocksdb::FlushOptions(), handles_).ok()); }

 private:
  rocksdb::Status status_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

class PlainSubject : public Subject {
 public:
  PlainSubject() : victim_(MakeVictim()), live_(victim_->root / "plain") {
    RunThatEndsWell(1, 65);
    RunThatEndsWell(66, 130);
    RunThatIsKilled();
  }

  const Image& image() const override { return image_; }

  Judgement Judge(const Damage& damage) override {
    const std::string directory = victim_->root / "damaged";
    std::filesystem::remove_all(directory);
    MakeDamaged(image_, damage, directory);
    const Verdict verdict = Look(directory);
    return {.with_anchor = verdict, .without_anchor = verdict};
  }

 private:
  void Put(PlainDatabase& database, uint64_t from, uint64_t to, bool sync) {
    for (uint64_t seq = from; seq <= to; ++seq) {
      database.Put(EventSeq(seq), victim_->truth.records[seq - 1], sync);
    }
  }

  void KeepOlder() {
    image_.older.push_back(victim_->root / Concat("plain-", image_.older.size()));
    CopyAll(live_, image_.older.back());
  }

  void RunThatEndsWell(uint64_t from, uint64_t to) {
    {
      PlainDatabase database(live_, true);
      Put(database, from, to, false);
      database.FlushAll();
    }
    KeepOlder();
  }

  // The other family keeps the log before the flush alive.
  void RunThatIsKilled() {
    PlainDatabase database(live_, false);
    Put(database, 131, 180, true);
    KeepOlder();
    database.FlushEvents();
    Put(database, 181, victim_->truth.synced.value, true);
    Put(database, victim_->truth.synced.value + 1, victim_->truth.records.size(), false);
    image_.path = victim_->root / "plain-image";
    CopyAll(live_, image_.path);
  }

  Verdict Look(const std::string& directory) {
    PlainDatabase database(directory, false);
    if (!database.status().ok()) {
      return Verdict::kRefused;
    }
    const std::unique_ptr<rocksdb::Iterator> rows(
        database.db().NewIterator(rocksdb::ReadOptions()));
    const std::vector<std::string>& records = victim_->truth.records;
    uint64_t seq = 0;
    bool same = true;
    for (rows->SeekToFirst(); rows->Valid() && same; rows->Next()) {
      same = seq < records.size() && rows->key() == EventRowKey(EventSeq(seq + 1)) &&
             rows->value() == records[seq];
      ++seq;
    }
    if (!rows->status().ok()) {
      return Verdict::kRefused;
    }
    if (!same || EventSeq(seq) < victim_->truth.synced) {
      return Verdict::kSilent;
    }
    return seq == records.size() ? Verdict::kNoEffect : Verdict::kRolledBack;
  }

  const std::unique_ptr<Victim> victim_;
  const std::string live_;
  Image image_;
};

}  // namespace

std::unique_ptr<Subject> MakePlainSubject() {
  return std::make_unique<PlainSubject>();
}

}  // namespace logbook::store
