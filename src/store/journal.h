// The journal: the ordered, durable, gap-free sequence of events, and the only truth of the
// runtime.
//
// Shape:    Append takes numbered events and the bookmarks that belong to them; Read returns them
//           in the order of seq. What is derived from events is in checkpoint.h and history.h.
// Units:    seq counts events from 1, without gaps; run counts openings for writing. Old events are
//           trimmed up to the watermark (trim.h); what they came to is in the base (base.h).
// Errors:   after the first write that failed, every later write gives kFailedPrecondition: whether
//           that write is on disk is known only when the journal is opened again, so destroy it and
//           do that. What was acknowledged can still be read. RocksDB's own ways of going on
//           (Resume) are never used.
// Threads:  Append, Sync, DropBookmarks and Close are confined to one thread at a time, the writer;
//           RecordSynced, TrainDictionaryIfDue, MoveWatermark and DropTrimmed to one thread at a
//           time, any; everything else is thread-safe.
// Owns:     the database and the lock of the directory.
// Source:   docs/format.md.
//
// Invariants
//   1. seq has no gaps: if n is there, all after the watermark and before n are.
//   2. Events and bookmarks of one Append are on disk together or not at all, so a bookmark never
//      claims an event that is not there.
//   3. What was appended with Fsync::kYes, and everything before it, survives a power cut.
//   4. Events that were acknowledged survive the end of the process, synced or not.
//
// Example
//   LOGBOOK_ASSIGN_OR_RETURN(auto journal, Journal::Open({.directory = "/data"}));
//   LOGBOOK_RETURN_IF_ERROR(journal->Append(events, {}, Fsync::kYes));
#ifndef LOGBOOK_STORE_JOURNAL_H_
#define LOGBOOK_STORE_JOURNAL_H_

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/model/event.h"
#include "logbook/model/record_codec.h"
#include "logbook/store/anchor.h"
#include "logbook/store/body_codec.h"
#include "logbook/store/body_sampler.h"
#include "logbook/store/database.h"
#include "logbook/store/dictionaries.h"
#include "logbook/store/position.h"
#include "logbook/store/store_directory.h"
#include "logbook/store/tail.h"

namespace logbook::store {

enum class Durability {
  kDefault,  // what is appended with Fsync::kNo is synced with the next Fsync::kYes or Sync()
  kStrict,   // every Append is synced
};

struct JournalOptions {
  std::string directory;           // of the store; FORMAT, SYNCED, LOGBOOK_LOCK and db/ are in it
  StoreIdentity identity;          // whom it must belong to; empty parts are not compared
  bool create_if_missing = false;  // needs a complete identity
  bool read_only = false;          // for offline commands: only the lock file is written
  Durability durability = Durability::kDefault;
  const Clock* clock = &SystemClock();  // outlives the journal
  Logger logger;
  rocksdb::Env* env = nullptr;  // where RocksDB's files are; tests inject faults here

  // The first fault, by the field's name.
  absl::Status Validate() const;
};

// Where a stream can be resumed, and after which event that was.
struct Bookmark {
  std::string resource_version;
  EventSeq seq;

  friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

// Moves a stream's bookmark to the end of the events it is appended with.
struct BookmarkUpdate {
  StreamId stream;
  std::string resource_version;  // empty: the stream has none any more
};

// Called per event, in order; false stops the reading, an error ends it and is passed on.
using EventVisitor = absl::FunctionRef<absl::StatusOr<bool>(const Event&)>;
// The same with the record as it is stored, its body maybe compressed; it stands during the call.
using RecordVisitor = absl::FunctionRef<absl::StatusOr<bool>(EventSeq, std::string_view)>;

class Journal {
 public:
  // Opens the store, checks its last records and, for writing, begins a run. A tail that was not
  // synced and cannot be read any more is cut off and told of by a Gap event; bookmarks are then
  // gone, so that streams list anew. Errors: kNotFound without a store; kFailedPrecondition if it
  // is in use, another's, or of a newer format; kDataLoss if anything synced is missing or altered.
  static absl::StatusOr<std::unique_ptr<Journal>> Open(JournalOptions options);

  // Neither syncs nor flushes; see Close.
  ~Journal();

  const std::string& directory() const { return store_.path; }

  const StoreFormat& format() const { return store_.format; }

  // This opening's number; of a journal opened read-only, the last one's.
  RunId run() const { return run_; }

  Position position() const;         // of the last event
  Position synced_position() const;  // of the last event known to be synced

  Position watermark() const;  // of the last event that was trimmed

  EventSeq last() const { return position().seq; }

  EventSeq oldest() const { return watermark().seq.Next(); }

  EventSeq last_synced() const { return synced_position().seq; }

  Chain chain() const { return position().chain; }

  // The last synced position with the store's uuid, to be kept outside of the volume.
  Anchor anchor() const { return {.uuid = store_.format.uuid, .position = synced_position()}; }

  // Appends `events`, numbered from last() + 1 and of this run (checked), and moves `bookmarks`,
  // all or nothing. Both may be empty. If `fsync` asks for it or durability is strict, it blocks,
  // and finds out whether the lock file is still ours.
  absl::Status Append(std::span<const Event> events, std::span<const BookmarkUpdate> bookmarks,
                      Fsync fsync);

  // Makes everything appended so far survive a power cut. Costs nothing if it does already. Also
  // finds out whether the lock file is still ours. To be called at least each second.
  absl::Status Sync();

  // Notes the last synced position in SYNCED, if it has moved: what a damaged tail is judged by.
  // To be called at most each second, as it blocks for two fsyncs. On an error the journal goes on
  // with the old note.
  absl::Status RecordSynced();

  // Makes a dictionary of the bodies appended lately, and takes it into use, if there is none or
  // they have become other ones than the last was made for; mostly does nothing. To be called now
  // and then. Takes 0.1 s when it is due, while Append goes on.
  absl::Status TrainDictionaryIfDue();

  // Syncs, leaves no log to be replayed at the next opening, and refuses later writes.
  absl::Status Close();

  absl::StatusOr<std::map<StreamId, Bookmark>> Bookmarks() const;

  // Of the first write that failed; OK while there was none.
  absl::Status failure() const;

  // Removes all bookmarks, synced: every stream lists anew.
  absl::Status DropBookmarks();

  // Errors: kNotFound beyond last(); kOutOfRange if it was trimmed, unless it is one of those that
  // are kept (trim.h); kDataLoss if it cannot be read. A record is as it is stored, its body maybe
  // compressed.
  absl::StatusOr<Event> Get(EventSeq seq) const;
  absl::StatusOr<std::string> GetRecord(EventSeq seq) const;

  // Visits the events from `from` to `to` inclusive, as far as they are there when called. Errors:
  // kOutOfRange if `from` was trimmed; kDataLoss if one is missing or cannot be read.
  absl::Status Read(EventSeq from, EventSeq to, EventVisitor visit) const;
  absl::Status ReadRecords(EventSeq from, EventSeq to, RecordVisitor visit) const;

  // For the rest of this folder: rows that are derived from events.
  const Database& database() const { return *database_; }

  const Dictionaries& dictionaries() const { return *dictionaries_; }

  absl::Status WriteDerived(RowBatch& batch, Fsync fsync = Fsync::kNo);

  // For trim.h. Writes `batch`, synced, and with it trims the events up to `to`.
  absl::Status MoveWatermark(RowBatch& batch, const Position& to);
  // Gives back the space of what was trimmed. Blocks for as long as that takes.
  absl::Status DropTrimmed();

 private:
  Journal(JournalOptions options, StoreDirectory store, std::unique_ptr<Database> database,
          std::unique_ptr<Dictionaries> dictionaries, const Tail& tail, const Position& watermark,
          RunId run);

  absl::Status BeginRun(const Tail& tail, const absl::Status& damage);
  Event GapAfter(EventSeq good, const absl::Status& why) const;

  // Writes a batch that takes the journal to `end`; closes the journal on an error.
  absl::Status Commit(RowBatch& batch, const Position& end, Fsync fsync);
  absl::Status CheckWritable() const;
  // What the database says, which a trimming changes in one step with the removal of events.
  EventSeq OldestOnDisk() const;
  // `status`, or kOutOfRange if it is damage because event `seq` was trimmed meanwhile.
  absl::Status UnlessTrimmed(EventSeq seq, const absl::Status& status) const;
  absl::Status Fail(const absl::Status& status);

  const JournalOptions options_;
  const StoreDirectory store_;
  const std::unique_ptr<Database> database_;
  const std::unique_ptr<Dictionaries> dictionaries_;
  const RunId run_;
  BodySampler sampler_;

  // The writer's.
  RecordCodec codec_;
  BodyWriter bodies_;
  RowBatch append_batch_;  // keeps its memory from one Append to the next
  bool unsynced_ = false;  // something was written since the last sync

  Position recorded_;  // RecordSynced's: what SYNCED says

  mutable absl::Mutex mu_;  // never held during I/O
  Position position_ ABSL_GUARDED_BY(mu_);
  Position watermark_ ABSL_GUARDED_BY(mu_);
  Position synced_ ABSL_GUARDED_BY(mu_);
  absl::Status failure_ ABSL_GUARDED_BY(mu_);
  absl::Status closed_ ABSL_GUARDED_BY(mu_);  // why no more is written; OK while open
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_JOURNAL_H_
