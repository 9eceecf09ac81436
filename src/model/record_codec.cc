#include "logbook/model/record_codec.h"

#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"

#include "logbook/model/proto_convert.h"
#include "logbook/v1/record.pb.h"

namespace logbook {
namespace {

template <typename Int>
void PutInt(std::string& out, size_t offset, Int value) {
  for (size_t i = 0; i < sizeof(Int); ++i) {
    out[offset + i] = static_cast<char>(value >> (8 * i));
  }
}

template <typename Int>
Int GetInt(std::string_view in, size_t offset) {
  Int value = 0;
  for (size_t i = 0; i < sizeof(Int); ++i) {
    value |= static_cast<Int>(static_cast<uint8_t>(in[offset + i])) << (8 * i);
  }
  return value;
}

std::string_view AsView(const Chain& chain) {
  return {reinterpret_cast<const char*>(chain.data()), chain.size()};
}

v1::EventHeader HeaderOf(const Event& event, const BodyForm& form) {
  v1::EventHeader header;
  header.set_codec(static_cast<uint32_t>(form.codec));
  header.set_dictionary(form.dictionary);
  header.set_delta_base(form.delta_base.value);
  header.set_stream(event.stream.value);
  for (const ObjectRef& subject : event.subjects) {
    *header.add_subjects() = ToProto(subject);
  }
  header.set_resource_version(event.resource_version);
  for (EventSeq cause : event.causes) {
    header.add_causes(cause.value);
  }
  for (const Mark& mark : event.marks) {
    *header.add_marks() = ToProto(mark);
  }
  if (const auto* observed = std::get_if<Observed>(&event.body)) {
    header.set_change(static_cast<v1::ChangeType>(observed->change));
    header.set_origin(static_cast<v1::Origin>(observed->origin));
    header.set_content_changed(observed->content_changed);
    header.set_listed(observed->listed);
    header.set_object_version(observed->resource.version);
  } else if (const auto* outcome = std::get_if<OutcomeRecorded>(&event.body)) {
    header.set_content_changed(outcome->content_changed);
  }
  return header;
}

// The bodies that are messages: all but Observed.
struct BodyMessage {
  void operator()(const Observed&) {}

  void operator()(const StreamChanged& body) { ToProto(body).AppendToString(&out); }

  void operator()(const Decided& body) { ToProto(body).AppendToString(&out); }

  void operator()(const OutcomeRecorded& body) { ToProto(body).AppendToString(&out); }

  void operator()(const BuildStarted& body) { ToProto(body).AppendToString(&out); }

  void operator()(const Marked& body) {
    v1::Marked proto;
    proto.set_reason(body.reason);
    proto.AppendToString(&out);
  }

  void operator()(const Quarantined& body) {
    v1::Quarantined proto;
    proto.set_bytes(body.bytes);
    proto.set_error(body.error);
    proto.AppendToString(&out);
  }

  void operator()(const Gap& body) {
    v1::Gap proto;
    proto.set_reason(body.reason);
    proto.set_first_missing(body.first_missing.value);
    proto.set_last_missing(body.last_missing.value);
    proto.AppendToString(&out);
  }

  void operator()(const Leadership& body) {
    v1::Leadership proto;
    proto.set_holder(body.holder);
    proto.set_term(body.term);
    proto.AppendToString(&out);
  }

  void operator()(const Admin& body) {
    v1::Admin proto;
    proto.set_who(body.who);
    proto.set_action(body.action);
    proto.set_why(body.why);
    proto.AppendToString(&out);
  }

  std::string& out;
};

// The body's bytes: an object's own JSON for Observed, a message, which is put into `room`, for the
// others.
std::string_view BodyBytes(const EventBody& body, std::string& room) {
  if (const auto* observed = std::get_if<Observed>(&body)) {
    return observed->object->json();
  }
  room.clear();
  std::visit(BodyMessage{room}, body);
  return room;
}

template <typename Message>
absl::StatusOr<Message> Parse(std::string_view bytes, EventSeq seq) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss("event ", seq.value, ": unreadable body");
  }
  return message;
}

absl::StatusOr<EventBody> DecodeObserved(const v1::EventHeader& header, std::string_view body,
                                         EventSeq seq) {
  absl::StatusOr<ObjectPtr> object = Object::FromJson(body);
  if (!object.ok()) {
    return DataLoss("event ", seq.value, ": ", object.status().message());
  }
  Observed observed{.change = static_cast<ChangeType>(header.change()),
                    .origin = static_cast<Origin>(header.origin()),
                    .resource = {},
                    .content_changed = header.content_changed(),
                    .listed = header.listed(),
                    .object = *std::move(object)};
  if (header.subjects_size() > 0) {
    const std::string& name = header.subjects(0).resource();
    const size_t dot = name.find('.');
    observed.resource.plural = name.substr(0, dot);
    observed.resource.group = dot == std::string::npos ? "" : name.substr(dot + 1);
    observed.resource.namespaced = !header.subjects(0).namespace_().empty();
  }
  observed.resource.version = header.object_version();
  return observed;
}

absl::StatusOr<EventBody> DecodeBody(EventKind kind, const v1::EventHeader& header,
                                     std::string_view body, EventSeq seq) {
  switch (kind) {
    case EventKind::kObserved:
      return DecodeObserved(header, body, seq);
    case EventKind::kStreamChanged: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::StreamChanged>(body, seq));
      return FromProto(proto);
    }
    case EventKind::kDecided: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Decided>(body, seq));
      return FromProto(proto);
    }
    case EventKind::kOutcome: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Outcome>(body, seq));
      OutcomeRecorded outcome = FromProto(proto);
      outcome.content_changed = header.content_changed();
      return outcome;
    }
    case EventKind::kMarked: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Marked>(body, seq));
      return Marked{.reason = proto.reason()};
    }
    case EventKind::kLeadership: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Leadership>(body, seq));
      return Leadership{.holder = proto.holder(), .term = proto.term()};
    }
    case EventKind::kAdmin: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Admin>(body, seq));
      return Admin{.who = proto.who(), .action = proto.action(), .why = proto.why()};
    }
    case EventKind::kBuild: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Build>(body, seq));
      return FromProto(proto);
    }
    case EventKind::kQuarantined: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Quarantined>(body, seq));
      return Quarantined{.bytes = proto.bytes(), .error = proto.error()};
    }
    case EventKind::kGap: {
      LOGBOOK_ASSIGN_OR_RETURN(const auto proto, Parse<v1::Gap>(body, seq));
      return Gap{.reason = proto.reason(),
                 .first_missing = EventSeq(proto.first_missing()),
                 .last_missing = EventSeq(proto.last_missing())};
    }
  }
  return DataLoss("event ", seq.value, ": unknown kind ", static_cast<int>(kind));
}

absl::StatusOr<v1::EventHeader> ParseHeader(std::string_view record, const RecordFixed& fixed) {
  v1::EventHeader header;
  if (!header.ParseFromArray(record.data() + kRecordFixedBytes,
                             static_cast<int>(fixed.body_offset - kRecordFixedBytes))) {
    return DataLoss("event ", fixed.seq.value, ": unreadable header");
  }
  return header;
}

CodedBody CodedBodyFrom(std::string_view record, const RecordFixed& fixed,
                        const v1::EventHeader& header) {
  return {.form = {.codec = static_cast<BodyCodec>(header.codec()),
                   .dictionary = header.dictionary(),
                   .delta_base = EventSeq(header.delta_base())},
          .bytes = record.substr(fixed.body_offset)};
}

// For records that are looked at without their store.
class NoBodies : public BodyDecoder {
 public:
  absl::StatusOr<std::string_view> Decode(EventSeq seq, const CodedBody&) override {
    return FailedPrecondition("event ", seq.value,
                              ": its body is compressed and can only be read through its store");
  }
};

// `coded` as it was before it was coded.
absl::StatusOr<std::string_view> PlainBody(EventSeq seq, const CodedBody& coded,
                                           BodyDecoder& bodies) {
  switch (coded.form.codec) {
    case BodyCodec::kStored:
      return coded.bytes;
    case BodyCodec::kZstd:
      return bodies.Decode(seq, coded);
  }
  return FailedPrecondition("event ", seq.value, ": unknown body codec ",
                            static_cast<uint32_t>(coded.form.codec));
}

std::vector<ObjectRef> SubjectsFrom(const v1::EventHeader& header) {
  std::vector<ObjectRef> subjects;
  for (const v1::ObjectRef& subject : header.subjects()) {
    subjects.push_back(FromProto(subject));
  }
  return subjects;
}

}  // namespace

std::string ToHex(const Chain& chain) {
  return absl::BytesToHexString(ToAbsl(AsView(chain)));
}

absl::StatusOr<Chain> ChainFromHex(std::string_view hex) {
  const bool digits = hex.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  Chain chain;
  if (!digits || hex.size() != 2 * chain.size()) {
    return InvalidArgument("\"", hex, "\" is not a chain value of 32 hex digits");
  }
  const std::string bytes = absl::HexStringToBytes(ToAbsl(hex));
  std::memcpy(chain.data(), bytes.data(), chain.size());
  return chain;
}

Chain RecordCodec::Link(const Chain& previous, std::string_view record) {
  const Sha256Digest digest = sha256_.Digest(
      {AsView(previous), record.substr(0, kRecordChainOffset), record.substr(kRecordFixedBytes)});
  Chain chain;
  std::memcpy(chain.data(), digest.data(), chain.size());
  return chain;
}

std::string RecordCodec::Encode(const Event& event, Chain& chain, BodyEncoder* bodies) {
  const std::string_view body = BodyBytes(event.body, body_);
  const CodedBody coded =
      bodies == nullptr ? CodedBody{.form = {}, .bytes = body} : bodies->Encode(event, body);
  const v1::EventHeader header = HeaderOf(event, coded.form);
  std::string record;
  record.reserve(kRecordFixedBytes + header.ByteSizeLong() + coded.bytes.size());
  record.resize(kRecordFixedBytes);
  header.AppendToString(&record);
  const size_t body_offset = record.size();
  record.append(coded.bytes);
  record[0] = static_cast<char>(kRecordFormat);
  record[1] = static_cast<char>(event.kind());
  PutInt<uint16_t>(record, 2, 0);
  PutInt<uint32_t>(record, 4, static_cast<uint32_t>(body_offset));
  PutInt<uint64_t>(record, 8, event.seq.value);
  PutInt<uint64_t>(record, 16, event.run.value);
  PutInt<uint64_t>(record, 24, static_cast<uint64_t>(absl::ToUnixNanos(event.wall_time)));
  chain = Link(chain, record);
  std::memcpy(record.data() + kRecordChainOffset, chain.data(), chain.size());
  return record;
}

bool RecordCodec::Follows(std::string_view record, Chain& chain) {
  const absl::StatusOr<Chain> carried = ChainOf(record);
  if (!carried.ok() || *carried != Link(chain, record)) {
    return false;
  }
  chain = *carried;
  return true;
}

std::string RecordCodec::Relinked(std::string_view record, Chain& chain) {
  std::string relinked(record);
  chain = Link(chain, record);
  std::memcpy(relinked.data() + kRecordChainOffset, chain.data(), chain.size());
  return relinked;
}

absl::StatusOr<Chain> ChainOf(std::string_view record) {
  if (record.size() < kRecordFixedBytes) {
    return DataLoss("record of ", record.size(), " bytes is too short");
  }
  Chain chain;
  std::memcpy(chain.data(), record.data() + kRecordChainOffset, chain.size());
  return chain;
}

absl::StatusOr<RecordFixed> ParseRecordFixed(std::string_view record) {
  LOGBOOK_ASSIGN_OR_RETURN(const Chain chain, ChainOf(record));
  const RecordFixed fixed{.format = static_cast<uint8_t>(record[0]),
                          .kind = static_cast<EventKind>(record[1]),
                          .body_offset = GetInt<uint32_t>(record, 4),
                          .seq = EventSeq(GetInt<uint64_t>(record, 8)),
                          .run = RunId(GetInt<uint64_t>(record, 16)),
                          .wall_unix_nanos = static_cast<int64_t>(GetInt<uint64_t>(record, 24)),
                          .chain = chain};
  if (fixed.format != kRecordFormat) {
    return FailedPrecondition("event ", fixed.seq.value, ": record format ",
                              static_cast<int>(fixed.format), ", this build reads ",
                              static_cast<int>(kRecordFormat));
  }
  if (fixed.body_offset < kRecordFixedBytes || fixed.body_offset > record.size()) {
    return DataLoss("event ", fixed.seq.value, ": header size ", fixed.body_offset,
                    " does not fit");
  }
  return fixed;
}

absl::StatusOr<std::vector<ObjectRef>> SubjectsOf(std::string_view record) {
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  LOGBOOK_ASSIGN_OR_RETURN(const v1::EventHeader header, ParseHeader(record, fixed));
  return SubjectsFrom(header);
}

absl::StatusOr<CodedBody> CodedBodyOf(std::string_view record) {
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  LOGBOOK_ASSIGN_OR_RETURN(const v1::EventHeader header, ParseHeader(record, fixed));
  return CodedBodyFrom(record, fixed, header);
}

absl::StatusOr<Event> DecodeRecord(std::string_view record) {
  NoBodies none;
  return DecodeRecord(record, none);
}

absl::StatusOr<Event> DecodeRecord(std::string_view record, BodyDecoder& bodies) {
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  LOGBOOK_ASSIGN_OR_RETURN(const v1::EventHeader header, ParseHeader(record, fixed));
  LOGBOOK_ASSIGN_OR_RETURN(const std::string_view plain,
                           PlainBody(fixed.seq, CodedBodyFrom(record, fixed, header), bodies));
  LOGBOOK_ASSIGN_OR_RETURN(EventBody body, DecodeBody(fixed.kind, header, plain, fixed.seq));
  Event event{.seq = fixed.seq,
              .run = fixed.run,
              .wall_time = absl::FromUnixNanos(fixed.wall_unix_nanos),
              .stream = StreamId(header.stream()),
              .subjects = SubjectsFrom(header),
              .resource_version = header.resource_version(),
              .causes = {},
              .marks = {},
              .body = std::move(body)};
  for (uint64_t cause : header.causes()) {
    event.causes.emplace_back(cause);
  }
  for (const v1::Mark& mark : header.marks()) {
    event.marks.push_back(FromProto(mark));
  }
  return event;
}

}  // namespace logbook
