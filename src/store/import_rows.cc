#include "logbook/store/import_rows.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "logbook/store/database.h"
#include "logbook/store/dictionaries.h"
#include "logbook/store/history.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/store_directory.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

constexpr size_t kBatchBytes = size_t{1} << 20;

std::string EncodeWatermark(const Position& position) {
  v1::WatermarkRow row;
  row.set_seq(position.seq.value);
  row.set_run(position.run.value);
  row.set_chain(position.chain.data(), position.chain.size());
  return row.SerializeAsString();
}

// Confined.
class RowImporter {
 public:
  RowImporter(const ExportHeader& header, Database& database)
      : header_(header), database_(database), batch_(database), end_(header.base) {}

  absl::Status Add(const ExportPart& part) {
    switch (part.type) {
      case FrameType::kDictionary:
        LOGBOOK_RETURN_IF_ERROR(CheckDictionary(part.row));
        batch_.Put(ColumnFamily::kMeta, part.row.key, part.row.value);
        break;
      case FrameType::kBase:
        batch_.Put(ColumnFamily::kBase, BaseRowKey(part.row.key, header_.base.seq), part.row.value);
        break;
      case FrameType::kName:
        LOGBOOK_RETURN_IF_ERROR(AddName(part.row));
        break;
      case FrameType::kKept:
        LOGBOOK_RETURN_IF_ERROR(AddKept(part));
        break;
      case FrameType::kRecord:
        LOGBOOK_RETURN_IF_ERROR(AddRecord(part));
        break;
      case FrameType::kHeader:
      case FrameType::kFooter:
        break;
    }
    return batch_.bytes() < kBatchBytes ? absl::OkStatus() : WriteOut(Fsync::kNo);
  }

  // The last batch makes it a store, `uuid`.
  absl::StatusOr<Position> Finish(const std::string& uuid) {
    LOGBOOK_RETURN_IF_ERROR(FillUpTo(header_.last.Next()));
    if (header_.base.seq > EventSeq(0)) {
      batch_.Put(ColumnFamily::kMeta, kMetaWatermark, EncodeWatermark(header_.base));
    }
    batch_.Put(ColumnFamily::kMeta, kMetaStore, uuid);
    batch_.Put(ColumnFamily::kMeta, kMetaRun, EncodeNumber(end_.run.value));
    LOGBOOK_RETURN_IF_ERROR(WriteOut(Fsync::kYes));
    LOGBOOK_RETURN_IF_ERROR(database_.Flush());
    return end_;
  }

 private:
  absl::Status WriteOut(Fsync fsync) {
    LOGBOOK_RETURN_IF_ERROR(database_.Write(batch_, fsync));
    batch_.Clear();
    return absl::OkStatus();
  }

  static absl::Status CheckDictionary(const ExportRow& row) {
    LOGBOOK_ASSIGN_OR_RETURN(const StreamId id, ParseStreamRowKey(kMetaDictionaryPrefix, row.key));
    return DecodeDictionaryRow(id.value, row.value).status();
  }

  absl::Status AddName(const ExportRow& row) {
    LOGBOOK_ASSIGN_OR_RETURN(const NamedSeq name, ParseNamedSeqRowKey(row.key));
    LOGBOOK_ASSIGN_OR_RETURN(const Incarnation named, DecodeNameRow(name.seq, row.value));
    if (names_.insert(NamedSeqPrefix(name.resource, name.key) + named.uid).second) {
      batch_.Put(ColumnFamily::kNames, row.key, row.value);
    }
    return absl::OkStatus();
  }

  absl::Status AddKept(const ExportPart& part) {
    LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(part.record));
    LOGBOOK_ASSIGN_OR_RETURN(const std::vector<ObjectRef> subjects, SubjectsOf(part.record));
    batch_.Put(ColumnFamily::kBase, KeptRowKey(part.seq), part.record);
    for (const ObjectRef& subject : subjects) {
      const std::string prefix = NamedSeqPrefix(subject.resource, subject.key);
      const std::string row = prefix + EncodeNumber(part.seq.value);
      batch_.Put(ColumnFamily::kHistory, row, EncodeHistoryRow(fixed.kind, subject.uid));
      if (!subject.uid.empty() && names_.insert(prefix + subject.uid).second) {
        batch_.Put(ColumnFamily::kNames, row, EncodeNameRow(subject.uid));
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddRecord(const ExportPart& part) {
    LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(part.record));
    LOGBOOK_RETURN_IF_ERROR(FillUpTo(part.seq));
    if (header_.object.has_value()) {
      Put(part.seq, codec_.Relinked(part.record, end_.chain));
    } else {
      Put(part.seq, part.record);
      end_.chain = fixed.chain;
    }
    end_.run = fixed.run;
    wall_unix_nanos_ = fixed.wall_unix_nanos;
    return absl::OkStatus();
  }

  void Put(EventSeq seq, std::string_view record) {
    batch_.Put(ColumnFamily::kEvents, EventRowKey(seq), record);
    end_.seq = seq;
  }

  // Gap events up to the one before `seq`.
  absl::Status FillUpTo(EventSeq seq) {
    while (end_.seq.Next() < seq) {
      const EventSeq missing = end_.seq.Next();
      const Event gap{
          .seq = missing,
          .run = end_.run,
          .wall_time = absl::FromUnixNanos(wall_unix_nanos_),
          .stream = {},
          .subjects = {},
          .resource_version = {},
          .causes = {},
          .marks = {},
          .body = Gap{
              .reason = "not in this slice", .first_missing = missing, .last_missing = missing}};
      Put(missing, codec_.Encode(gap, end_.chain));
      if (batch_.bytes() >= kBatchBytes) {
        LOGBOOK_RETURN_IF_ERROR(WriteOut(Fsync::kNo));
      }
    }
    return absl::OkStatus();
  }

  const ExportHeader& header_;
  Database& database_;
  RowBatch batch_;
  RecordCodec codec_;
  Position end_;                 // of what was added so far
  int64_t wall_unix_nanos_ = 0;  // of the last record
  std::set<std::string> names_;  // prefix and uid of incarnations that have a row
};

}  // namespace

absl::StatusOr<Position> ImportRows(ExportReader& reader, const std::string& directory,
                                    const Logger& logger) {
  const ExportHeader& header = reader.header();
  const StoreFormat format{
      .version = kFormatVersion,
      .uuid = NewUuid(),
      .identity = {.cluster_uid = header.identity.cluster_uid,
                   .operator_name = Concat("import of ", header.identity.operator_name)},
      .restored = {}};
  Position end;
  {
    LOGBOOK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                             Database::Open({.directory = StoreDirectory::DatabasePath(directory),
                                             .create_if_missing = true,
                                             .logger = logger}));
    RowImporter importer(header, *database);
    while (true) {
      LOGBOOK_ASSIGN_OR_RETURN(const std::optional<ExportPart> part, reader.Next());
      if (!part.has_value()) {
        break;
      }
      LOGBOOK_RETURN_IF_ERROR(importer.Add(*part));
    }
    LOGBOOK_ASSIGN_OR_RETURN(end, importer.Finish(format.uuid));
  }
  LOGBOOK_RETURN_IF_ERROR(WriteSynced(directory, end));
  LOGBOOK_RETURN_IF_ERROR(WriteFormat(directory, format));
  return end;
}

}  // namespace logbook::store
