#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "targets.h"

#include "logbook/base/check.h"
#include "logbook/store/export_reader.h"

namespace logbook::fuzz {
namespace {

using Frames = std::vector<std::pair<store::FrameType, std::string>>;

// What `bytes` holds, if the reader takes all of it.
absl::StatusOr<Frames> Read(std::string_view bytes) {
  const auto source = [&](char* to, size_t size) -> absl::StatusOr<size_t> {
    const size_t read = bytes.copy(to, size);
    bytes.remove_prefix(read);
    return read;
  };
  LOGBOOK_ASSIGN_OR_RETURN(const auto reader, store::ExportReader::Read("export", source));
  Frames frames = {{store::FrameType::kHeader, store::EncodeExportHeader(reader->header())}};
  while (true) {
    LOGBOOK_ASSIGN_OR_RETURN(const auto part, reader->Next());
    if (!part.has_value()) {
      return frames;
    }
    frames.emplace_back(part->type, part->record.empty()
                                        ? store::EncodeExportRow(part->row.key, part->row.value)
                                        : std::string(part->record));
  }
}

// An export of `frames`, with a footer that fits them.
std::string Assemble(const Frames& frames) {
  std::string bytes = Concat(store::kExportMagic, store::kExportVersion, "\n");
  store::ExportFooter footer;
  for (const auto& [type, payload] : frames) {
    store::AppendFrame(type, payload, bytes);
    if (uint64_t* count = footer.CountOf(type); count != nullptr) {
      ++*count;
    }
    if (type == store::FrameType::kHeader) {
      footer.chain = store::DecodeExportHeader(payload).value_or(store::ExportHeader()).base.chain;
    } else if (type == store::FrameType::kRecord) {
      footer.chain = ChainOf(payload).value_or(footer.chain);
    }
  }
  footer.sha256 = Sha256().Digest({bytes});
  store::AppendFrame(store::FrameType::kFooter, store::EncodeExportFooter(footer), bytes);
  return bytes;
}

// Each frame: its type, its size in two bytes, its payload. A fuzzer finds no checksums.
Frames FramesIn(std::string_view bytes) {
  Frames frames;
  while (bytes.size() >= 3) {
    const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const size_t size = at(1) + 256U * at(2);
    frames.emplace_back(static_cast<store::FrameType>(at(0)), bytes.substr(3, size));
    bytes.remove_prefix(std::min(bytes.size(), 3 + size));
  }
  return frames;
}

}  // namespace

void FuzzExport(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const bool raw = bytes[0] == 'r';
  const std::string file = raw ? std::string(bytes.substr(1)) : Assemble(FramesIn(bytes.substr(1)));
  const absl::StatusOr<Frames> frames = Read(file);
  if (!frames.ok()) {
    LOGBOOK_CHECK(absl::IsDataLoss(frames.status()) || absl::IsFailedPrecondition(frames.status()));
    return;
  }
  const absl::StatusOr<Frames> again = Read(Assemble(*frames));
  LOGBOOK_CHECK(again.ok() && *again == *frames);
}

}  // namespace logbook::fuzz
