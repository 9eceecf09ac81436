#include "logbook/store/export_file.h"

#include <algorithm>
#include <utility>

#include "logbook/model/proto_convert.h"
#include "logbook/v1/export.pb.h"

namespace logbook::store {
namespace {

template <typename Int>
void AppendInt(Int value, std::string& out) {
  for (size_t i = 0; i < sizeof(Int); ++i) {
    out.push_back(static_cast<char>(value >> (8 * i)));
  }
}

// Bytes of a fixed size: a chain value, a digest.
template <typename Array>
bool CopyExactly(const std::string& bytes, Array& out) {
  if (bytes.size() != out.size()) {
    return false;
  }
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return true;
}

template <typename Message>
bool Parse(std::string_view payload, Message& message) {
  return message.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
}

// The seqs must make sense before anybody counts with them.
absl::Status CheckRange(const ExportHeader& header) {
  const bool in_order = header.first > EventSeq(0) && header.last.value >= header.first.value - 1 &&
                        header.last.value < UINT64_MAX;
  if (!in_order || header.base.seq.Next() != header.first) {
    return DataLoss("its header names events ", header.first.value, " to ", header.last.value,
                    " behind event ", header.base.seq.value);
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t* ExportFooter::CountOf(FrameType type) {
  switch (type) {
    case FrameType::kDictionary:
      return &dictionaries;
    case FrameType::kBase:
      return &base_rows;
    case FrameType::kName:
      return &names;
    case FrameType::kKept:
      return &kept;
    case FrameType::kRecord:
      return &events;
    case FrameType::kHeader:
    case FrameType::kFooter:
      return nullptr;
  }
  return nullptr;
}

uint64_t FrameChecksum(std::string_view head_and_payload) {
  return HashBytes(head_and_payload).low;
}

void AppendFrame(FrameType type, std::string_view payload, std::string& out) {
  const size_t begin = out.size();
  AppendInt(static_cast<uint32_t>(payload.size()), out);
  AppendInt(static_cast<uint32_t>(type), out);
  out.append(payload);
  AppendInt(FrameChecksum(std::string_view(out).substr(begin)), out);
}

std::string EncodeExportHeader(const ExportHeader& header) {
  v1::ExportHeader proto;
  proto.set_store(header.uuid);
  proto.set_cluster(header.identity.cluster_uid);
  proto.set_operator_name(header.identity.operator_name);
  proto.set_first(header.first.value);
  proto.set_last(header.last.value);
  proto.mutable_base()->set_seq(header.base.seq.value);
  proto.mutable_base()->set_run(header.base.run.value);
  proto.mutable_base()->set_chain(header.base.chain.data(), header.base.chain.size());
  if (header.object) {
    *proto.mutable_object() = ToProto(*header.object);
  }
  proto.set_version(header.version);
  proto.set_store_format(header.store_format);
  return proto.SerializeAsString();
}

absl::StatusOr<ExportHeader> DecodeExportHeader(std::string_view payload) {
  v1::ExportHeader proto;
  ExportHeader header;
  if (!Parse(payload, proto) || !CopyExactly(proto.base().chain(), header.base.chain)) {
    return DataLoss("its header cannot be read");
  }
  header.uuid = proto.store();
  header.identity = {.cluster_uid = proto.cluster(), .operator_name = proto.operator_name()};
  header.first = EventSeq(proto.first());
  header.last = EventSeq(proto.last());
  header.base.seq = EventSeq(proto.base().seq());
  header.base.run = RunId(proto.base().run());
  if (proto.has_object()) {
    header.object = FromProto(proto.object());
  }
  header.version = proto.version();
  header.store_format = proto.store_format();
  LOGBOOK_RETURN_IF_ERROR(CheckRange(header));
  return header;
}

std::string EncodeExportFooter(const ExportFooter& footer) {
  v1::ExportFooter proto;
  proto.set_dictionaries(footer.dictionaries);
  proto.set_base_rows(footer.base_rows);
  proto.set_names(footer.names);
  proto.set_kept(footer.kept);
  proto.set_events(footer.events);
  proto.set_chain(footer.chain.data(), footer.chain.size());
  proto.set_sha256(footer.sha256.data(), footer.sha256.size());
  return proto.SerializeAsString();
}

absl::StatusOr<ExportFooter> DecodeExportFooter(std::string_view payload) {
  v1::ExportFooter proto;
  ExportFooter footer;
  if (!Parse(payload, proto) || !CopyExactly(proto.chain(), footer.chain) ||
      !CopyExactly(proto.sha256(), footer.sha256)) {
    return DataLoss("its footer cannot be read");
  }
  footer.dictionaries = proto.dictionaries();
  footer.base_rows = proto.base_rows();
  footer.names = proto.names();
  footer.kept = proto.kept();
  footer.events = proto.events();
  return footer;
}

std::string EncodeExportRow(std::string_view key, std::string_view value) {
  v1::ExportRow proto;
  proto.set_key(std::string(key));
  proto.set_value(std::string(value));
  return proto.SerializeAsString();
}

absl::StatusOr<ExportRow> DecodeExportRow(std::string_view payload) {
  v1::ExportRow proto;
  if (!Parse(payload, proto) || proto.key().empty()) {
    return DataLoss("a row cannot be read");
  }
  return ExportRow{.key = std::move(*proto.mutable_key()),
                   .value = std::move(*proto.mutable_value())};
}

}  // namespace logbook::store
