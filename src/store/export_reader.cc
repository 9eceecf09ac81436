#include "logbook/store/export_reader.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/escaping.h"
#include <fcntl.h>
#include <unistd.h>

#include "logbook/store/key_codec.h"
#include "logbook/store/posix_file.h"

namespace logbook::store {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
constexpr size_t kVersionBytesMax = 16;

template <typename Int>
Int GetInt(std::string_view bytes, size_t offset) {
  Int value = 0;
  for (size_t i = 0; i < sizeof(Int); ++i) {
    value |= static_cast<Int>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  }
  return value;
}

absl::StatusOr<ExportReader::Source> FileSource(const std::string& path) {
  LOGBOOK_ASSIGN_OR_RETURN(FileHandle opened, OpenFile(path, O_RDONLY));
  auto file = std::make_shared<const FileHandle>(std::move(opened));
  return [file, path](char* to, size_t size) -> absl::StatusOr<size_t> {
    ssize_t read = 0;
    do {
      read = ::read(file->fd(), to, size);
    } while (read < 0 && errno == EINTR);
    return read < 0 ? FileError("read", path, errno)
                    : absl::StatusOr<size_t>(static_cast<size_t>(read));
  };
}

// Whether the key is one that such a row may have.
bool FitsType(FrameType type, const std::string& key) {
  const std::string_view kind = std::string_view(key).substr(0, 1);
  switch (type) {
    case FrameType::kDictionary:
      return ParseStreamRowKey(kMetaDictionaryPrefix, key).ok();
    case FrameType::kBase:
      return kind == kStateObjectPrefix || kind == kStateKeyPrefix ||
             kind == kBaseTombstonePrefix || kind == kBaseStreamPrefix || key == kBaseBuildPrefix;
    case FrameType::kName:
      return ParseNamedSeqRowKey(key).ok();
    default:
      return false;
  }
}

}  // namespace

template <typename... Parts>
absl::Status ExportReader::Damaged(const Parts&... what) const {
  return DataLoss(name_, " is damaged at byte ", offset_, " (", what...,
                  "): copy it again from where it was written, or export again");
}

absl::StatusOr<std::unique_ptr<ExportReader>> ExportReader::Open(const std::string& path) {
  LOGBOOK_ASSIGN_OR_RETURN(Source source, FileSource(path));
  return Read(path, std::move(source));
}

absl::StatusOr<std::unique_ptr<ExportReader>> ExportReader::Read(std::string name, Source source) {
  std::unique_ptr<ExportReader> reader(new ExportReader(std::move(name), std::move(source)));
  LOGBOOK_RETURN_IF_ERROR(reader->ReadStart());
  return reader;
}

absl::StatusOr<size_t> ExportReader::FillUpTo(size_t bytes) {
  size_t filled = 0;
  while (filled < bytes) {
    if (used_ == buffer_.size()) {
      buffer_.resize(kBufferBytes);
      absl::StatusOr<size_t> read = source_(buffer_.data(), buffer_.size());
      buffer_.resize(read.value_or(0));
      used_ = 0;
      LOGBOOK_RETURN_IF_ERROR(read.status());
      if (buffer_.empty()) {
        break;
      }
    }
    const size_t size = std::min(bytes - filled, buffer_.size() - used_);
    frame_.append(buffer_, used_, size);
    used_ += size;
    filled += size;
  }
  return filled;
}

absl::Status ExportReader::Fill(size_t bytes) {
  LOGBOOK_ASSIGN_OR_RETURN(const size_t filled, FillUpTo(bytes));
  if (filled == bytes) {
    return absl::OkStatus();
  }
  return DataLoss(name_, " ends at byte ", offset_ + frame_.size(),
                  ", before its footer: copy it again from where it was written, or export again");
}

absl::Status ExportReader::ReadFirstLine() {
  LOGBOOK_RETURN_IF_ERROR(FillUpTo(kExportMagic.size()).status());
  if (frame_ != kExportMagic) {
    return FailedPrecondition(name_, " is no export, which begins with ", kExportMagic,
                              "at byte 0: name a file that logbook log export wrote");
  }
  while (!frame_.ends_with('\n') && frame_.size() < kExportMagic.size() + kVersionBytesMax) {
    LOGBOOK_RETURN_IF_ERROR(Fill(1));
  }
  const std::string_view version = std::string_view(frame_).substr(kExportMagic.size());
  if (version != Concat(kExportVersion, "\n")) {
    return FailedPrecondition(name_, " has version \"",
                              ToStd(absl::CEscape(ToAbsl(version.substr(0, version.size() - 1)))),
                              "\" at byte ", kExportMagic.size(), ", this build reads ",
                              kExportVersion, ": import it with the build that wrote it");
  }
  sha256_.Add(frame_);
  offset_ = frame_.size();
  return absl::OkStatus();
}

absl::Status ExportReader::ReadStart() {
  LOGBOOK_RETURN_IF_ERROR(ReadFirstLine());
  LOGBOOK_ASSIGN_OR_RETURN(const FrameType type, ReadFrame());
  if (type != FrameType::kHeader) {
    return Damaged("it does not begin with a header");
  }
  absl::StatusOr<ExportHeader> header = DecodeExportHeader(payload());
  if (!header.ok()) {
    return Damaged(header.status().message());
  }
  header_ = *std::move(header);
  position_ = header_.base;
  return absl::OkStatus();
}

// The frame at offset_, its checksum checked; frame_ has it afterwards.
absl::StatusOr<FrameType> ExportReader::ReadFrame() {
  frame_.clear();
  LOGBOOK_RETURN_IF_ERROR(Fill(kFrameHeadBytes));
  payload_bytes_ = GetInt<uint32_t>(frame_, 0);
  const auto type = static_cast<FrameType>(GetInt<uint32_t>(frame_, 4));
  if (payload_bytes_ > kFramePayloadMax) {
    return Damaged("a frame of ", payload_bytes_, " bytes, more than ", kFramePayloadMax);
  }
  LOGBOOK_RETURN_IF_ERROR(Fill(payload_bytes_ + kFrameChecksumBytes));
  const size_t checked = kFrameHeadBytes + payload_bytes_;
  if (FrameChecksum(std::string_view(frame_).substr(0, checked)) !=
      GetInt<uint64_t>(frame_, checked)) {
    return Damaged("a frame has another checksum");
  }
  if (type < FrameType::kHeader || type > FrameType::kFooter) {
    return Damaged("a frame of unknown type ", static_cast<uint32_t>(type));
  }
  return type;
}

absl::StatusOr<std::optional<ExportPart>> ExportReader::Next() {
  sha256_.Add(frame_);
  offset_ += frame_.size();
  LOGBOOK_ASSIGN_OR_RETURN(const FrameType type, ReadFrame());
  if (type < at_ || type == FrameType::kHeader) {
    return Damaged("frames are out of order");
  }
  at_ = type;
  if (type == FrameType::kFooter) {
    LOGBOOK_RETURN_IF_ERROR(CheckFooter());
    return std::nullopt;
  }
  ++*counts_.CountOf(type);
  LOGBOOK_ASSIGN_OR_RETURN(ExportPart part, PartOf(type));
  return part;
}

absl::StatusOr<ExportPart> ExportReader::PartOf(FrameType type) {
  ExportPart part{.type = type, .row = {}, .seq = {}, .record = {}};
  if (type == FrameType::kKept || type == FrameType::kRecord) {
    const absl::StatusOr<RecordFixed> fixed = ParseRecordFixed(payload());
    if (!fixed.ok()) {
      return Damaged(fixed.status().message());
    }
    part.seq = fixed->seq;
    part.record = payload();
    LOGBOOK_RETURN_IF_ERROR(type == FrameType::kKept ? TakeKept(part) : TakeRecord(part));
    return part;
  }
  absl::StatusOr<ExportRow> row = DecodeExportRow(payload());
  if (!row.ok() || !FitsType(type, row->key)) {
    return Damaged("a row that cannot be read");
  }
  part.row = *std::move(row);
  return part;
}

absl::Status ExportReader::TakeKept(ExportPart& part) {
  if (part.seq <= last_kept_ || part.seq >= header_.first) {
    return Damaged("event ", part.seq.value, " is not where it belongs");
  }
  last_kept_ = part.seq;
  return absl::OkStatus();
}

absl::Status ExportReader::TakeRecord(ExportPart& part) {
  const bool whole = !header_.object.has_value();
  if (part.seq <= position_.seq || part.seq > header_.last ||
      (whole && part.seq != position_.seq.Next())) {
    return Damaged("event ", part.seq.value, " behind event ", position_.seq.value);
  }
  if (whole && !codec_.Follows(part.record, position_.chain)) {
    return Damaged("event ", part.seq.value, " does not follow the one before it (chain)");
  }
  position_.seq = part.seq;
  return absl::OkStatus();
}

absl::Status ExportReader::CheckFooter() {
  const absl::StatusOr<ExportFooter> footer = DecodeExportFooter(payload());
  if (!footer.ok()) {
    return Damaged(footer.status().message());
  }
  if (footer->sha256 != sha256_.Digest()) {
    return Damaged("SHA-256 of what is before it is another");
  }
  const bool whole = !header_.object.has_value();
  counts_.sha256 = footer->sha256;
  counts_.chain = whole ? position_.chain : footer->chain;
  if (*footer != counts_ || (whole && position_.seq != header_.last)) {
    return Damaged("the footer counts ", footer->events, " events up to ", header_.last.value,
                   ", there are ", counts_.events, ", or other rows than it counts");
  }
  offset_ += frame_.size();
  frame_.clear();
  LOGBOOK_ASSIGN_OR_RETURN(const size_t more, FillUpTo(1));
  return more == 0 ? absl::OkStatus() : Damaged("something follows its footer");
}

}  // namespace logbook::store
