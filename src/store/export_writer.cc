#include "logbook/store/export_writer.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace logbook::store {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

std::string TemporaryOf(const std::string& path) {
  return path + ".tmp";
}

}  // namespace

ExportWriter::ExportWriter(std::string path, FileHandle file)
    : path_(std::move(path)), temporary_(TemporaryOf(path_)), file_(std::move(file)) {}

ExportWriter::~ExportWriter() {
  if (!finished_) {
    std::error_code ignored;  // nobody takes it for an export
    std::filesystem::remove(temporary_, ignored);
  }
}

absl::StatusOr<std::unique_ptr<ExportWriter>> ExportWriter::Create(const std::string& path,
                                                                   const ExportHeader& header) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    return AlreadyExists(path, " exists already: name another file");
  }
  LOGBOOK_ASSIGN_OR_RETURN(FileHandle file,
                           OpenFile(TemporaryOf(path), O_WRONLY | O_CREAT | O_TRUNC));
  std::unique_ptr<ExportWriter> writer(new ExportWriter(path, std::move(file)));
  writer->buffer_ = Concat(kExportMagic, kExportVersion, "\n");
  LOGBOOK_RETURN_IF_ERROR(writer->Add(FrameType::kHeader, EncodeExportHeader(header)));
  return writer;
}

absl::Status ExportWriter::Add(FrameType type, std::string_view payload) {
  if (payload.size() > kFramePayloadMax) {
    return InvalidArgument(path_, ": ", payload.size(), " bytes are more than a frame takes");
  }
  AppendFrame(type, payload, buffer_);
  if (uint64_t* count = footer_.CountOf(type); count != nullptr) {
    ++*count;
  }
  return buffer_.size() < kBufferBytes ? absl::OkStatus() : WriteOut();
}

absl::Status ExportWriter::WriteOut() {
  LOGBOOK_RETURN_IF_ERROR(WriteAll(file_, temporary_, buffer_));
  sha256_.Add(buffer_);
  bytes_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status ExportWriter::AddRow(FrameType type, std::string_view key, std::string_view value) {
  return Add(type, EncodeExportRow(key, value));
}

absl::Status ExportWriter::AddRecord(FrameType type, std::string_view record) {
  return Add(type, record);
}

absl::Status ExportWriter::Finish(const Chain& chain) {
  LOGBOOK_RETURN_IF_ERROR(WriteOut());
  footer_.chain = chain;
  footer_.sha256 = sha256_.Digest();
  LOGBOOK_RETURN_IF_ERROR(Add(FrameType::kFooter, EncodeExportFooter(footer_)));
  LOGBOOK_RETURN_IF_ERROR(WriteOut());
  LOGBOOK_RETURN_IF_ERROR(SyncFile(file_, temporary_));
  LOGBOOK_RETURN_IF_ERROR(Rename(temporary_, path_));
  finished_ = true;
  return absl::OkStatus();
}

}  // namespace logbook::store
