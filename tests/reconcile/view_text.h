// A view as text, all of it but for its seq: what tests compare, and what a difference is read
// from.
#ifndef LOGBOOK_TESTS_RECONCILE_VIEW_TEXT_H_
#define LOGBOOK_TESTS_RECONCILE_VIEW_TEXT_H_

#include <string>

#include "absl/strings/str_replace.h"

#include "logbook/model/view_state.h"
#include "logbook/store/state_rows.h"

namespace logbook::reconcile {

// One line for each row, in the order of the tables.
inline std::string TextOf(const ViewState& view) {
  std::string text;
  const auto line = [&](std::string_view table, std::string_view key, std::string_view row) {
    text += absl::StrReplaceAll(Concat(table, " ", key, " ", row), {{"\n", "\\n"}}) + "\n";
  };
  view.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    line("object", path, store::EncodeObjectRow(entry));
  });
  view.children.ForEach([&](const std::string& path, char) { line("child", path, ""); });
  view.keys.ForEach([&](const std::string& path, const KeyStatePtr& key) {
    line("key", path, store::EncodeKeyRow(*key));
  });
  view.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
    line("tombstone", uid, store::EncodeTombstoneRow(tombstone));
  });
  view.streams.ForEach([&](StreamId stream, const StreamState& state) {
    line("stream", std::to_string(stream.value), store::EncodeStreamRow(state));
  });
  line("build", std::to_string(view.run.value), store::EncodeBuildRow(view.build, view.run));
  return text;
}

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_VIEW_TEXT_H_
