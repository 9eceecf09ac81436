#include "logbook/store/journal.h"

#include <utility>

#include "logbook/base/check.h"
#include "logbook/store/key_codec.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

std::string BookmarkRow(const BookmarkUpdate& update, EventSeq seq) {
  v1::BookmarkRow row;
  row.set_resource_version(update.resource_version);
  row.set_seq(seq.value);
  return row.SerializeAsString();
}

void AddBookmark(RowBatch& batch, const BookmarkUpdate& update, EventSeq seq) {
  const std::string key = StreamRowKey(kMetaBookmarkPrefix, update.stream);
  if (update.resource_version.empty()) {
    batch.Delete(ColumnFamily::kMeta, key);
  } else {
    batch.Put(ColumnFamily::kMeta, key, BookmarkRow(update, seq));
  }
}

}  // namespace

absl::Status JournalOptions::Validate() const {
  if (directory.empty()) {
    return InvalidArgument("directory is empty: name the store's data directory");
  }
  if (create_if_missing && read_only) {
    return InvalidArgument("create_if_missing and read_only exclude each other");
  }
  if (clock == nullptr) {
    return InvalidArgument("clock is null");
  }
  return absl::OkStatus();
}

Journal::Journal(JournalOptions options, StoreDirectory store, std::unique_ptr<Database> database,
                 std::unique_ptr<Dictionaries> dictionaries, const Tail& tail,
                 const Position& watermark, RunId run)
    : options_(std::move(options)),
      store_(std::move(store)),
      database_(std::move(database)),
      dictionaries_(std::move(dictionaries)),
      run_(run),
      bodies_(*dictionaries_, sampler_),
      append_batch_(*database_),
      position_(tail.good),
      watermark_(watermark),
      synced_(store_.synced.value_or(Position())) {}

Journal::~Journal() = default;

Position Journal::position() const {
  absl::MutexLock lock(&mu_);
  return position_;
}

Position Journal::synced_position() const {
  absl::MutexLock lock(&mu_);
  return synced_;
}

Position Journal::watermark() const {
  absl::MutexLock lock(&mu_);
  return watermark_;
}

absl::Status Journal::failure() const {
  absl::MutexLock lock(&mu_);
  return failure_;
}

absl::Status Journal::CheckWritable() const {
  absl::MutexLock lock(&mu_);
  return closed_;
}

absl::Status Journal::Fail(const absl::Status& status) {
  absl::MutexLock lock(&mu_);
  if (closed_.ok()) {
    failure_ = status;
    closed_ = FailedPrecondition("store ", directory(), " is closed after: ", status.message(),
                                 ": open it again");
  }
  return status;
}

absl::Status Journal::Commit(RowBatch& batch, const Position& end, Fsync fsync) {
  LOGBOOK_RETURN_IF_ERROR(CheckWritable());
  const bool synced = fsync == Fsync::kYes || options_.durability == Durability::kStrict;
  if (synced) {  // an effect may leave on this word, so nobody else may be writing
    if (const absl::Status held = store_.lock.CheckHeld(); !held.ok()) {
      return Fail(held);
    }
  }
  const absl::Status written = database_->Write(batch, synced ? Fsync::kYes : Fsync::kNo);
  if (!written.ok()) {
    return Fail(written);
  }
  unsynced_ = !synced;
  absl::MutexLock lock(&mu_);
  position_ = end;
  if (synced) {
    synced_ = end;
  }
  return absl::OkStatus();
}

absl::Status Journal::Append(std::span<const Event> events,
                             std::span<const BookmarkUpdate> bookmarks, Fsync fsync) {
  append_batch_.Clear();
  Position end = position();
  for (const Event& event : events) {
    LOGBOOK_CHECK(event.seq == end.seq.Next());
    LOGBOOK_CHECK(event.run == run_);
    append_batch_.Put(ColumnFamily::kEvents, EventRowKey(event.seq),
                      codec_.Encode(event, end.chain, &bodies_));
    end.seq = event.seq;
  }
  for (const BookmarkUpdate& update : bookmarks) {
    AddBookmark(append_batch_, update, end.seq);
  }
  return append_batch_.empty() ? CheckWritable() : Commit(append_batch_, end, fsync);
}

absl::Status Journal::Sync() {
  LOGBOOK_RETURN_IF_ERROR(CheckWritable());
  if (!unsynced_) {
    const absl::Status held = store_.lock.CheckHeld();
    return held.ok() ? held : Fail(held);
  }
  // A synced write takes everything before it along; RocksDB's SyncWAL has reported false damage.
  RowBatch batch(*database_);
  const Position end = position();
  batch.Put(ColumnFamily::kMeta, kMetaSynced, EncodeNumber(end.seq.value));
  return Commit(batch, end, Fsync::kYes);
}

absl::Status Journal::RecordSynced() {
  const Position synced = synced_position();
  if (synced == recorded_) {
    return absl::OkStatus();
  }
  LOGBOOK_RETURN_IF_ERROR(store_.lock.CheckHeld());  // written by path: it must still be ours
  LOGBOOK_RETURN_IF_ERROR(WriteSynced(directory(), synced));
  recorded_ = synced;
  return absl::OkStatus();
}

absl::Status Journal::Close() {
  LOGBOOK_RETURN_IF_ERROR(Sync());
  const absl::Status flushed = database_->Flush();
  if (!flushed.ok()) {
    return Fail(flushed);
  }
  LOGBOOK_RETURN_IF_ERROR(RecordSynced());
  absl::MutexLock lock(&mu_);
  closed_ = FailedPrecondition("store ", directory(), " is closed");
  return absl::OkStatus();
}

absl::Status Journal::DropBookmarks() {
  LOGBOOK_ASSIGN_OR_RETURN(const auto bookmarks, Bookmarks());
  RowBatch batch(*database_);
  for (const auto& [stream, bookmark] : bookmarks) {
    batch.Delete(ColumnFamily::kMeta, StreamRowKey(kMetaBookmarkPrefix, stream));
  }
  return Commit(batch, position(), Fsync::kYes);
}

absl::Status Journal::MoveWatermark(RowBatch& batch, const Position& to) {
  LOGBOOK_RETURN_IF_ERROR(CheckWritable());
  v1::WatermarkRow row;
  row.set_seq(to.seq.value);
  row.set_run(to.run.value);
  row.set_chain(to.chain.data(), to.chain.size());
  batch.Put(ColumnFamily::kMeta, kMetaWatermark, row.SerializeAsString());
  batch.DeleteBelow(ColumnFamily::kEvents, EventRowKey(to.seq.Next()));
  const absl::Status written = database_->Write(batch, Fsync::kYes);
  if (!written.ok()) {
    return Fail(written);
  }
  absl::MutexLock lock(&mu_);
  watermark_ = to;
  return absl::OkStatus();
}

absl::Status Journal::DropTrimmed() {
  LOGBOOK_RETURN_IF_ERROR(CheckWritable());
  const absl::Status dropped =
      database_->DropDeletedBelow(ColumnFamily::kEvents, EventRowKey(watermark().seq.Next()));
  return dropped.ok() ? dropped : Fail(dropped);
}

absl::Status Journal::WriteDerived(RowBatch& batch, Fsync fsync) {
  LOGBOOK_RETURN_IF_ERROR(CheckWritable());
  const absl::Status written = database_->Write(batch, fsync);
  return written.ok() ? written : Fail(written);
}

}  // namespace logbook::store
