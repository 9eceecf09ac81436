#include "checks.h"

#include <algorithm>
#include <utility>

#include "logbook/store/checkpoint.h"
#include "logbook/store/inspect.h"
#include "logbook/store/state_rows.h"
#include "logbook/store/verify.h"

namespace logbook::crash {
namespace {

// Everything a view holds, as text to compare.
std::string Dump(const ViewState& state) {
  std::string text = Concat("seq ", state.seq.value, "\n");
  state.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    text += Concat(path, "=", store::EncodeObjectRow(entry), "\n");
  });
  state.children.ForEach([&](const std::string& path, char) { text += path + "\n"; });
  state.keys.ForEach([&](const std::string& path, const KeyStatePtr& key) {
    text += Concat(path, "=", store::EncodeKeyRow(*key), "\n");
  });
  state.tombstones.ForEach([&](const std::string& uid, const Tombstone& tombstone) {
    text += Concat(uid, "=", store::EncodeTombstoneRow(tombstone), "\n");
  });
  state.streams.ForEach([&](StreamId stream, const StreamState& value) {
    text += Concat(stream.value, "=", store::EncodeStreamRow(value), "\n");
  });
  return text + store::EncodeBuildRow(state.build, state.run);
}

// As every undisturbed run would have said it.
Event Timeless(Event event) {
  event.run = RunId(1);
  event.wall_time = absl::UnixEpoch();
  return event;
}

absl::StatusOr<std::string> FoldOf(const store::Journal& journal, ViewState start) {
  reconcile::Fold fold(std::move(start));
  LOGBOOK_RETURN_IF_ERROR(
      journal.Read(fold.state().seq.Next(), journal.last(), [&](const Event& event) {
        fold.Apply(event);
        return true;
      }));
  return Dump(fold.state());
}

}  // namespace

absl::StatusOr<Contents> ReadContents(const std::string& directory) {
  LOGBOOK_ASSIGN_OR_RETURN(const auto journal, store::OpenOffline(directory, {}));
  Contents contents;
  reconcile::Fold fold((ViewState()));
  RecordCodec codec;
  LOGBOOK_RETURN_IF_ERROR(journal->Read(EventSeq(1), journal->last(), [&](const Event& event) {
    contents.gap = contents.gap || event.kind() == EventKind::kGap;
    Chain chain = {};
    const Event timeless = Timeless(event);
    contents.events.push_back(codec.Encode(timeless, chain));
    fold.Apply(timeless);
    return true;
  }));
  contents.view = Dump(fold.state());
  fold.state().objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    contents.objects += Concat(path, "=", entry.object->json(), "\n");
  });
  LOGBOOK_ASSIGN_OR_RETURN(const auto bookmarks, journal->Bookmarks());
  for (const auto& [stream, bookmark] : bookmarks) {
    contents.bookmarks +=
        Concat(stream.value, " ", bookmark.resource_version, " ", bookmark.seq.value, "\n");
  }
  return contents;
}

Complaints CheckAcknowledged(const store::Journal& journal, const std::vector<Acknowledgement>& all,
                             bool synced_only) {
  EventSeq must_reach;
  for (const Acknowledgement& one : all) {
    must_reach = std::max(must_reach, synced_only ? one.synced : one.last);
  }
  Complaints complaints;
  if (journal.last() < must_reach) {
    complaints.push_back(Concat("it ends at event ", journal.last().value, ", but event ",
                                must_reach.value, " had been acknowledged"));
  }
  for (const Acknowledgement& one : all) {
    if (one.last == EventSeq(0) || one.last > std::min(must_reach, journal.last())) {
      continue;
    }
    const absl::StatusOr<std::string> record = journal.GetRecord(one.last);
    const absl::StatusOr<Chain> chain =
        record.ok() ? ChainOf(*record) : absl::StatusOr<Chain>(record.status());
    if (!chain.ok() || *chain != one.chain) {
      complaints.push_back(
          Concat("event ", one.last.value, " is not the one that was acknowledged"));
    }
  }
  return complaints;
}

Complaints CheckRows(const store::Journal& journal) {
  absl::StatusOr<ViewState> rows = store::LoadState(journal);
  if (!rows.ok()) {
    return {Concat("state checkpoint: ", rows.status().message())};
  }
  const absl::StatusOr<std::string> loaded = FoldOf(journal, *std::move(rows));
  const absl::StatusOr<std::string> folded = FoldOf(journal, ViewState());
  if (!loaded.ok() || !folded.ok()) {
    return {Concat("fold: ", loaded.ok() ? folded.status().message() : loaded.status().message())};
  }
  return *loaded == *folded ? Complaints()
                            : Complaints{"state checkpoint is not the fold of the events"};
}

Complaints CheckSound(const std::string& directory) {
  const absl::StatusOr<store::VerifyReport> report = store::VerifyStore({.directory = directory});
  if (!report.ok()) {
    return {Concat("verify: ", report.status().message())};
  }
  Complaints complaints;
  for (const store::Finding& finding : report->findings) {
    complaints.push_back(Concat("verify: ", finding.check, ": ", finding.text));
  }
  return complaints;
}

}  // namespace logbook::crash
