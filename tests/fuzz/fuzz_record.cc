#include "targets.h"

#include "logbook/base/check.h"
#include "logbook/model/record_codec.h"

namespace logbook::fuzz {
namespace {

std::string Encode(const Event& event) {
  Chain chain = {};
  return RecordCodec().Encode(event, chain);
}

}  // namespace

void FuzzRecord(std::string_view bytes) {
  const absl::StatusOr<RecordFixed> fixed = ParseRecordFixed(bytes);
  const absl::StatusOr<std::vector<ObjectRef>> subjects = SubjectsOf(bytes);
  const absl::StatusOr<Event> event = DecodeRecord(bytes);
  Chain chain = {};
  (void)RecordCodec().Follows(bytes, chain);
  if (!event.ok()) {
    return;
  }
  LOGBOOK_CHECK(fixed.ok() && fixed->seq == event->seq && fixed->kind == event->kind());
  LOGBOOK_CHECK(subjects.ok() && *subjects == event->subjects);
  const std::string record = Encode(*event);
  const absl::StatusOr<Event> again = DecodeRecord(record);
  LOGBOOK_CHECK(again.ok());
  LOGBOOK_CHECK(Encode(*again) == record);
}

}  // namespace logbook::fuzz
