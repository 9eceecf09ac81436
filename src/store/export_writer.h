// ExportWriter: writes an export, under a temporary name until it is whole.
//
// Shape:    Create, then what the export holds in the order of FrameType, then Finish, which syncs
//           the file and gives it its name. Without Finish nothing is left behind.
// Errors:   those of posix_file.h; kAlreadyExists if there is such a file.
// Threads:  Confined.
#ifndef LOGBOOK_STORE_EXPORT_WRITER_H_
#define LOGBOOK_STORE_EXPORT_WRITER_H_

#include <memory>
#include <string>
#include <string_view>

#include "logbook/base/hash.h"
#include "logbook/base/status.h"
#include "logbook/store/export_file.h"
#include "logbook/store/posix_file.h"

namespace logbook::store {

class ExportWriter {
 public:
  static absl::StatusOr<std::unique_ptr<ExportWriter>> Create(const std::string& path,
                                                              const ExportHeader& header);
  ~ExportWriter();

  // kDictionary, kBase or kName.
  absl::Status AddRow(FrameType type, std::string_view key, std::string_view value);
  // kKept or kRecord. Errors: kInvalidArgument for one larger than a frame may be.
  absl::Status AddRecord(FrameType type, std::string_view record);

  // `chain` is the last event's.
  absl::Status Finish(const Chain& chain);

  // What was added so far.
  const ExportFooter& counts() const { return footer_; }

  uint64_t bytes() const { return bytes_ + buffer_.size(); }

 private:
  ExportWriter(std::string path, FileHandle file);

  absl::Status Add(FrameType type, std::string_view payload);
  absl::Status WriteOut();

  const std::string path_;
  const std::string temporary_;
  const FileHandle file_;
  std::string buffer_;
  uint64_t bytes_ = 0;   // written
  Sha256Stream sha256_;  // of those
  ExportFooter footer_;
  bool finished_ = false;
};

}  // namespace logbook::store

#endif  // LOGBOOK_STORE_EXPORT_WRITER_H_
