// ExportReader: reads an export, and takes nothing that is not exactly as it was written.
//
// Shape:    Open reads the header; Next gives one part after the other, in the order of FrameType.
//           Only when it has given nothing more has the whole been checked: order, counts, chain
//           of records, digest, and that nothing follows. Who imports must keep back until then.
// Errors:   kFailedPrecondition for what is no export, or one of another version; kDataLoss for one
//           that was cut off or altered; each with file, offset in bytes, and what to do. Not
//           checked are rows, and the bodies of records.
// Threads:  Confined.
// Memory:   one frame, at most kFramePayloadMax.
#ifndef LOGBOOK_STORE_EXPORT_READER_H_
#define LOGBOOK_STORE_EXPORT_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "logbook/base/hash.h"
#include "logbook/base/status.h"
#include "logbook/model/record_codec.h"
#include "logbook/store/export_file.h"

namespace logbook::store {

struct ExportPart {
  FrameType type = FrameType::kRecord;
  ExportRow row;            // kDictionary, kBase, kName
  EventSeq seq;             // kKept, kRecord
  std::string_view record;  // the same; stands until the next part is read
};

class ExportReader {
 public:
  // Fills up to `size` bytes at `to`; 0 at the end.
  using Source = std::function<absl::StatusOr<size_t>(char* to, size_t size)>;

  static absl::StatusOr<std::unique_ptr<ExportReader>> Open(const std::string& path);

  // `name` is for errors.
  static absl::StatusOr<std::unique_ptr<ExportReader>> Read(std::string name, Source source);

  const ExportHeader& header() const { return header_; }

  // Nothing after the last part. After an error there is no next one.
  absl::StatusOr<std::optional<ExportPart>> Next();

 private:
  ExportReader(std::string name, Source source)
      : name_(std::move(name)), source_(std::move(source)) {}

  absl::Status ReadStart();
  absl::Status ReadFirstLine();
  absl::StatusOr<FrameType> ReadFrame();
  absl::Status Fill(size_t bytes);
  absl::StatusOr<size_t> FillUpTo(size_t bytes);

  absl::StatusOr<ExportPart> PartOf(FrameType type);
  absl::Status TakeKept(ExportPart& part);
  absl::Status TakeRecord(ExportPart& part);
  absl::Status CheckFooter();

  std::string_view payload() const {
    return std::string_view(frame_).substr(kFrameHeadBytes, payload_bytes_);
  }

  template <typename... Parts>
  absl::Status Damaged(const Parts&... what) const;

  const std::string name_;
  const Source source_;
  std::string buffer_;  // read, not yet used from used_ on
  size_t used_ = 0;
  std::string frame_;         // the last one, or the part of it that was read
  size_t payload_bytes_ = 0;  // of it
  uint64_t offset_ = 0;       // where it begins
  Sha256Stream sha256_;       // of all before it
  FrameType at_ = FrameType::kHeader;
  ExportHeader header_;
  ExportFooter counts_;  // of what was read so far
  RecordCodec codec_;
  Position position_;  // of the last record
  EventSeq last_kept_;
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_EXPORT_READER_H_
