// Observations of SimpleApps as events, and a journal to append them to.
#ifndef LOGBOOK_BENCH_JOURNAL_EVENTS_H_
#define LOGBOOK_BENCH_JOURNAL_EVENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "simple_apps.h"

#include "logbook/base/check.h"
#include "logbook/model/event.h"
#include "logbook/store/journal.h"

namespace logbook::bench {

inline std::unique_ptr<store::Journal> MustOpen(const std::string& directory) {
  auto journal =
      store::Journal::Open({.directory = directory,
                            .identity = {.cluster_uid = "cluster", .operator_name = "bench"},
                            .create_if_missing = true});
  LOGBOOK_CHECK(journal.ok());
  return *std::move(journal);
}

inline void Must(const absl::Status& status) {
  LOGBOOK_CHECK(status.ok());
}

// `json` as seen on a watch, and the key that it marks.
inline Event ObservedEvent(EventSeq seq, RunId run, std::string_view json) {
  const ObjectPtr object = *Object::FromJson(json);
  const ObjectKey key = object->key();
  return {
      .seq = seq,
      .run = run,
      .wall_time = absl::FromUnixSeconds(1'780'000'000),
      .stream = StreamId(1),
      .subjects = {{.resource = std::string(kApps), .key = key, .uid = std::string(object->uid())}},
      .resource_version = std::string(object->resource_version()),
      .marks = {{.key = {.controller = "simpleapp", .object = key}}},
      .body = Observed{.change = ChangeType::kModified, .content_changed = true, .object = object}};
}

// The journal's next event, of the i-th app.
inline Event NextEvent(const store::Journal& journal, const ObjectTemplate& app, int64_t i) {
  return ObservedEvent(journal.last().Next(), journal.run(), app.Render(i));
}

// A dictionary is trained after so many events, as a session's housekeeper does within a second.
inline constexpr int64_t kTrainedAfter = 1'000;

// Appends `count` events of as many apps.
inline void AppendMany(store::Journal& journal, const ObjectTemplate& app, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const Event event = NextEvent(journal, app, i);
    Must(journal.Append({&event, 1}, {}, store::Fsync::kNo));
    if (i == kTrainedAfter) {
      Must(journal.TrainDictionaryIfDue());
    }
  }
}

}  // namespace logbook::bench

#endif  // LOGBOOK_BENCH_JOURNAL_EVENTS_H_
