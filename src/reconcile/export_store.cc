#include "logbook/reconcile/export_store.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "logbook/reconcile/slice.h"
#include "logbook/reconcile/view_at.h"
#include "logbook/store/base.h"
#include "logbook/store/export_writer.h"
#include "logbook/store/history.h"
#include "logbook/store/journal.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/state_rows.h"
#include "logbook/store/trim.h"

namespace logbook::reconcile {
namespace {

using store::FrameType;

// Bodies that need no other event.
class NoDeltas : public BodyEncoder {
 public:
  explicit NoDeltas(const store::Dictionaries& dictionaries) : compressor_(dictionaries) {}

  CodedBody Encode(const Event&, std::string_view body) override {
    return compressor_.Compress(body);
  }

 private:
  store::BodyCompressor compressor_;
};

absl::StatusOr<store::Position> PositionAt(const store::Journal& journal, EventSeq seq) {
  const store::Position watermark = journal.watermark();
  if (seq == watermark.seq) {
    return watermark;
  }
  LOGBOOK_ASSIGN_OR_RETURN(const std::string record, journal.GetRecord(seq));
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  return store::Position{.seq = seq, .run = fixed.run, .chain = fixed.chain};
}

absl::Status CheckSince(const store::Journal& journal, EventSeq since, EventSeq watermark) {
  if (since <= watermark) {
    return OutOfRange("event ", since.value, " was trimmed: the oldest is event ",
                      watermark.value + 1);
  }
  return since <= journal.last() ? absl::OkStatus()
                                 : OutOfRange("there is no event ", since.value,
                                              " yet: the last is ", journal.last().value);
}

// The view that the export begins with.
absl::StatusOr<ViewState> StartOf(const store::Journal& journal, const ExportOptions& options) {
  LOGBOOK_ASSIGN_OR_RETURN(ViewState start, store::LoadBase(journal));
  if (options.since) {
    LOGBOOK_RETURN_IF_ERROR(CheckSince(journal, *options.since, start.seq));
  } else if (!options.not_before) {
    return start;
  }
  Fold fold(start);
  LOGBOOK_RETURN_IF_ERROR(journal.Read(
      start.seq.Next(), options.since ? EventSeq(options.since->value - 1) : journal.last(),
      [&](const Event& event) -> absl::StatusOr<bool> {
        if (options.not_before && event.wall_time >= *options.not_before) {
          return false;
        }
        fold.Apply(event);
        if (event.seq == store::LastBlockEnd(event.seq) && !fold.ListPending()) {
          start = fold.state();
        }
        return true;
      }));
  return start;
}

// One export. Confined.
class Exporter {
 public:
  Exporter(const store::Journal& journal, const ExportOptions& options, ViewState base,
           EventSeq last)
      : journal_(journal),
        options_(options),
        base_(std::move(base)),
        last_(last),
        bodies_(journal.dictionaries()) {}

  absl::StatusOr<ExportReport> Write(const std::string& file) {
    LOGBOOK_RETURN_IF_ERROR(FindSlice());
    LOGBOOK_RETURN_IF_ERROR(Begin(file));
    LOGBOOK_RETURN_IF_ERROR(WriteDictionaries());
    LOGBOOK_RETURN_IF_ERROR(WriteBase());
    LOGBOOK_RETURN_IF_ERROR(WriteNames());
    LOGBOOK_RETURN_IF_ERROR(WriteKept());
    LOGBOOK_RETURN_IF_ERROR(slice_ ? WriteSlice() : WriteRecords());
    LOGBOOK_ASSIGN_OR_RETURN(const store::Position end, PositionAt(journal_, last_));
    LOGBOOK_RETURN_IF_ERROR(writer_->Finish(end.chain));
    return ExportReport{.first = first(),
                        .last = last_,
                        .events = writer_->counts().events,
                        .objects = base_.objects.size(),
                        .bytes = writer_->bytes()};
  }

 private:
  EventSeq first() const { return base_.seq.Next(); }

  absl::Status FindSlice() {
    if (!options_.object) {
      return absl::OkStatus();
    }
    slice_ = std::make_unique<Slice>(*options_.object);
    slice_->ShowBase(base_);
    LOGBOOK_RETURN_IF_ERROR(
        journal_.Read(first(), last_, [&](const Event& event) -> absl::StatusOr<bool> {
          slice_->Show(event);
          return true;
        }));
    if (!slice_->Knows()) {
      return NotFound("no event from ", first().value, " to ", last_.value, " is about ",
                      options_.object->ToString(),
                      ": name it as in deployments.apps/shop/web, or look further back");
    }
    slice_->Close();
    base_ = slice_->PartOf(base_);
    return absl::OkStatus();
  }

  absl::Status Begin(const std::string& file) {
    LOGBOOK_ASSIGN_OR_RETURN(const store::Position base, PositionAt(journal_, base_.seq));
    const store::StoreFormat& format = journal_.format();
    LOGBOOK_ASSIGN_OR_RETURN(
        writer_, store::ExportWriter::Create(file, {.uuid = format.uuid,
                                                    .identity = format.identity,
                                                    .first = first(),
                                                    .last = last_,
                                                    .base = base,
                                                    .object = options_.object,
                                                    .version = options_.version,
                                                    .store_format = format.version.ToString()}));
    return absl::OkStatus();
  }

  absl::Status WriteDictionaries() {
    return journal_.database().Scan(
        store::ColumnFamily::kMeta, store::kMetaDictionaryPrefix,
        store::EndOfPrefix(store::kMetaDictionaryPrefix),
        [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
          LOGBOOK_RETURN_IF_ERROR(writer_->AddRow(FrameType::kDictionary, key, value));
          return true;
        });
  }

  absl::Status WriteBase() {
    store::BodyCompressor objects(journal_.dictionaries());
    absl::Status status;
    const auto put = [&](const std::string& key, const std::string& value) {
      if (status.ok()) {
        status = writer_->AddRow(FrameType::kBase, key, value);
      }
    };
    base_.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
      const ObjectRef ref = RefFromPath(path);
      put(store::ObjectRowKey(ref.resource, ref.key), store::EncodeObjectRow(entry, &objects));
    });
    base_.keys.ForEach([&](const std::string& path, const KeyStatePtr& state) {
      put(store::KeyRowKey(KeyFromPath(path)), store::EncodeKeyRow(*state));
    });
    base_.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
      put(store::BaseTombstoneKey(uid), store::EncodeTombstoneRow(tombstone));
    });
    base_.streams.ForEach([&](StreamId stream, const StreamState& state) {
      put(store::StreamRowKey(store::kBaseStreamPrefix, stream), store::EncodeStreamRow(state));
    });
    if (base_.seq > EventSeq(0)) {
      put(std::string(store::kBaseBuildPrefix), store::EncodeBuildRow(base_.build, base_.run));
    }
    return status;
  }

  // Which incarnations a name had, of those that began before the first event.
  absl::Status WriteNames() {
    return journal_.database().Scan(
        store::ColumnFamily::kNames, "", "",
        [&](std::string_view key, std::string_view value) -> absl::StatusOr<bool> {
          LOGBOOK_ASSIGN_OR_RETURN(const store::NamedSeq name, store::ParseNamedSeqRowKey(key));
          if (name.seq < first() && InSlice(ObjectPath(name.resource, name.key))) {
            LOGBOOK_RETURN_IF_ERROR(writer_->AddRow(FrameType::kName, key, value));
          }
          return true;
        });
  }

  bool InSlice(const std::string& path) const { return !slice_ || slice_->HasObject(path); }

  absl::Status WriteKeptRecord(std::string_view record) {
    LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(record));
    const bool taken = !slice_ || std::ranges::any_of(subjects, [&](const ObjectRef& subject) {
      return slice_->HasObject(ObjectPath(subject.resource, subject.key));
    });
    return taken ? writer_->AddRecord(FrameType::kKept, record) : absl::OkStatus();
  }

  // What trimming has kept, and what it would keep up to the first event.
  absl::Status WriteKept() {
    const EventSeq watermark = journal_.watermark().seq;
    LOGBOOK_RETURN_IF_ERROR(journal_.database().Scan(
        store::ColumnFamily::kBase, store::kBaseKeptPrefix,
        store::KeptRowKey(std::min(watermark, base_.seq).Next()),
        [&](std::string_view, std::string_view record) -> absl::StatusOr<bool> {
          LOGBOOK_RETURN_IF_ERROR(WriteKeptRecord(record));
          return true;
        }));
    return journal_.Read(
        watermark.Next(), base_.seq, [&](const Event& event) -> absl::StatusOr<bool> {
          LOGBOOK_ASSIGN_OR_RETURN(const auto record, store::RecordToKeep(journal_, event));
          if (record.has_value()) {
            LOGBOOK_RETURN_IF_ERROR(WriteKeptRecord(*record));
          }
          return true;
        });
  }

  absl::Status WriteRecords() {
    return journal_.ReadRecords(
        first(), last_, [&](EventSeq, std::string_view record) -> absl::StatusOr<bool> {
          LOGBOOK_RETURN_IF_ERROR(writer_->AddRecord(FrameType::kRecord, record));
          return true;
        });
  }

  // A delta's base is maybe not in the slice, so it is written anew.
  absl::Status WriteSlice() {
    return journal_.Read(first(), last_, [&](const Event& event) -> absl::StatusOr<bool> {
      if (!slice_->Takes(event)) {
        return true;
      }
      LOGBOOK_ASSIGN_OR_RETURN(std::string record, journal_.GetRecord(event.seq));
      LOGBOOK_ASSIGN_OR_RETURN(const CodedBody body, CodedBodyOf(record));
      if (body.form.delta_base != EventSeq(0)) {
        Chain ignored = {};
        record = codec_.Encode(event, ignored, &bodies_);
      }
      LOGBOOK_RETURN_IF_ERROR(writer_->AddRecord(FrameType::kRecord, record));
      return true;
    });
  }

  const store::Journal& journal_;
  const ExportOptions& options_;
  ViewState base_;
  const EventSeq last_;
  std::unique_ptr<Slice> slice_;  // null: everything
  std::unique_ptr<store::ExportWriter> writer_;
  NoDeltas bodies_;
  RecordCodec codec_;
};

}  // namespace

absl::StatusOr<ExportReport> ExportStore(const store::Journal& journal, const std::string& file,
                                         const ExportOptions& options) {
  const EventSeq last = journal.last();
  LOGBOOK_ASSIGN_OR_RETURN(ViewState base, StartOf(journal, options));
  return Exporter(journal, options, std::move(base), last).Write(file);
}

}  // namespace logbook::reconcile
