#include "logbook/store/state_rows.h"

#include <utility>

#include "logbook/model/proto_convert.h"
#include "logbook/v1/record.pb.h"

namespace logbook::store {
namespace {

template <typename Message>
absl::StatusOr<Message> Parse(std::string_view row) {
  Message message;
  if (!message.ParseFromArray(row.data(), static_cast<int>(row.size()))) {
    return DataLoss("unreadable row of ", row.size(), " bytes");
  }
  return message;
}

v1::CauseRow ToRow(const Cause& cause) {
  v1::CauseRow row;
  row.set_seq(cause.seq.value);
  row.set_visible(cause.visible.value);
  row.set_reason(static_cast<v1::MarkReason>(cause.reason));
  return row;
}

Cause FromRow(const v1::CauseRow& row) {
  return {.seq = EventSeq(row.seq()),
          .visible = EventSeq(row.visible()),
          .reason = static_cast<MarkReason>(row.reason())};
}

v1::OutcomeRow ToRow(const EffectState& effect) {
  v1::OutcomeRow row;
  *row.mutable_effect() = ToProto(effect.effect);
  row.set_recorded(effect.recorded);
  row.set_kind(static_cast<v1::OutcomeKind>(effect.kind));
  row.set_class_(effect.failure_class);
  row.set_message(effect.message);
  row.set_seq(effect.seq.value);
  row.set_body_hash(effect.body_hash);
  row.set_resource_version(effect.resource_version);
  return row;
}

EffectState FromRow(const v1::OutcomeRow& row) {
  return {.effect = FromProto(row.effect()),
          .recorded = row.recorded(),
          .kind = static_cast<OutcomeKind>(row.kind()),
          .failure_class = row.class_(),
          .message = row.message(),
          .seq = EventSeq(row.seq()),
          .body_hash = row.body_hash(),
          .resource_version = row.resource_version()};
}

}  // namespace

std::string EncodeObjectRow(const ObjectEntry& entry, BodyCompressor* bodies) {
  const std::string_view json = entry.object->json();
  const CodedBody coded =
      bodies == nullptr ? CodedBody{.form = {}, .bytes = json} : bodies->Compress(json);
  v1::ObjectRow row;
  row.set_seq(entry.seq.value);
  row.set_stream(entry.stream.value);
  row.set_json(coded.bytes.data(), coded.bytes.size());
  row.set_codec(static_cast<uint32_t>(coded.form.codec));
  row.set_dictionary(coded.form.dictionary);
  return row.SerializeAsString();
}

absl::StatusOr<ObjectEntry> DecodeObjectRow(std::string_view row, BodyDecoder* bodies) {
  thread_local v1::ObjectRow message;  // keeps its memory from one row to the next
  if (!message.ParseFromArray(row.data(), static_cast<int>(row.size()))) {
    return DataLoss("unreadable row of ", row.size(), " bytes");
  }
  std::string_view json = message.json();
  if (message.codec() != static_cast<uint32_t>(BodyCodec::kStored)) {
    const CodedBody coded{.form = {.codec = static_cast<BodyCodec>(message.codec()),
                                   .dictionary = message.dictionary(),
                                   .delta_base = {}},
                          .bytes = json};
    if (coded.form.codec != BodyCodec::kZstd || bodies == nullptr) {
      return DataLoss("unknown codec ", message.codec());
    }
    LOGBOOK_ASSIGN_OR_RETURN(json, bodies->Decode(EventSeq(message.seq()), coded));
  }
  absl::StatusOr<ObjectPtr> object = Object::FromJson(json);
  if (!object.ok()) {
    return DataLoss(object.status().message());
  }
  return ObjectEntry{.object = *std::move(object),
                     .seq = EventSeq(message.seq()),
                     .stream = StreamId(message.stream())};
}

std::string EncodeKeyRow(const KeyState& state) {
  v1::KeyRow row;
  row.set_seq(state.seq.value);
  row.set_resource(state.resource);
  row.set_uid(state.uid);
  for (const Cause& cause : state.causes) {
    *row.add_causes() = ToRow(cause);
  }
  row.set_causes_dropped(state.causes_dropped);
  row.set_low_priority(state.low_priority);
  row.set_attempts(state.attempts);
  row.set_due_unix_nanos(ToNanos(state.due));
  row.set_decided(state.decided.value);
  row.set_open(state.open);
  for (const EffectState& effect : state.effects) {
    *row.add_outcomes() = ToRow(effect);
  }
  row.mutable_steps_done()->Assign(state.steps_done.begin(), state.steps_done.end());
  row.set_reason(state.reason);
  return row.SerializeAsString();
}

absl::StatusOr<KeyState> DecodeKeyRow(std::string_view row) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto message, Parse<v1::KeyRow>(row));
  KeyState state;
  state.seq = EventSeq(message.seq());
  state.resource = message.resource();
  state.uid = message.uid();
  for (const v1::CauseRow& cause : message.causes()) {
    state.causes.push_back(FromRow(cause));
  }
  state.causes_dropped = message.causes_dropped();
  state.low_priority = message.low_priority();
  state.attempts = message.attempts();
  state.due = FromNanos(message.due_unix_nanos(), absl::InfiniteFuture());
  state.decided = EventSeq(message.decided());
  state.open = message.open();
  for (const v1::OutcomeRow& outcome : message.outcomes()) {
    state.effects.push_back(FromRow(outcome));
  }
  state.steps_done.assign(message.steps_done().begin(), message.steps_done().end());
  state.reason = message.reason();
  return state;
}

std::string EncodeTombstoneRow(const Tombstone& tombstone) {
  v1::TombstoneRow row;
  row.set_seq(tombstone.seq.value);
  *row.mutable_object() = ToProto(tombstone.object);
  return row.SerializeAsString();
}

absl::StatusOr<Tombstone> DecodeTombstoneRow(std::string_view row) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto message, Parse<v1::TombstoneRow>(row));
  return Tombstone{.seq = EventSeq(message.seq()), .object = FromProto(message.object())};
}

std::string EncodeStreamRow(const StreamState& stream) {
  v1::StreamRow row;
  row.set_seq(stream.seq.value);
  *row.mutable_identity() = ToProto(stream.identity);
  row.set_served_by(stream.served_by);
  row.set_generation(stream.generation);
  row.set_listed(stream.listed);
  row.set_rewound(stream.rewound);
  row.set_closed(stream.closed);
  return row.SerializeAsString();
}

absl::StatusOr<StreamState> DecodeStreamRow(std::string_view row) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto message, Parse<v1::StreamRow>(row));
  return StreamState{.seq = EventSeq(message.seq()),
                     .identity = FromProto(message.identity()),
                     .served_by = message.served_by(),
                     .generation = message.generation(),
                     .listed = message.listed(),
                     .rewound = message.rewound(),
                     .closed = message.closed()};
}

std::string EncodeBuildRow(const BuildStarted& build, RunId run) {
  v1::BuildRow row;
  *row.mutable_build() = ToProto(build);
  row.set_run(run.value);
  return row.SerializeAsString();
}

absl::StatusOr<BuildOfRun> DecodeBuildRow(std::string_view row) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto message, Parse<v1::BuildRow>(row));
  return BuildOfRun{.build = FromProto(message.build()), .run = RunId(message.run())};
}

}  // namespace logbook::store
