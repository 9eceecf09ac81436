#include "logbook/reconcile/retention.h"

#include <algorithm>
#include <utility>

#include "logbook/store/history.h"
#include "logbook/store/holds.h"
#include "logbook/store/journal.h"
#include "logbook/store/trim.h"

namespace logbook::reconcile {
namespace {

// The oldest hold of those it was told.
class Oldest {
 public:
  template <typename... Parts>
  void Add(EventSeq from, const Parts&... what) {
    if (!hold_ || from < hold_->from) {
      hold_ = RetentionHold{.from = from, .what = Concat(what...)};
    }
  }

  std::optional<RetentionHold> Take() { return std::move(hold_); }

 private:
  std::optional<RetentionHold> hold_;
};

absl::StatusOr<absl::Time> WallTimeOf(const store::Journal& journal, EventSeq seq) {
  LOGBOOK_ASSIGN_OR_RETURN(const std::string record, journal.GetRecord(seq));
  LOGBOOK_ASSIGN_OR_RETURN(const RecordFixed fixed, ParseRecordFixed(record));
  return absl::FromUnixNanos(fixed.wall_unix_nanos);
}

// The last end of a block whose event is older than `limit`. Times rise with seqs, but for clocks
// that were set; then some events go sooner or later than they should.
absl::StatusOr<EventSeq> LastBefore(const store::Journal& journal, absl::Time limit) {
  uint64_t low = journal.watermark().seq.value / store::kBlockEvents;  // known to be old
  uint64_t high = journal.last().value / store::kBlockEvents + 1;      // known not to be
  const auto end_of = [](uint64_t block) {
    return EventSeq((block + 1) * store::kBlockEvents - 1);
  };
  EventSeq last = journal.watermark().seq;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const EventSeq end = end_of(middle);
    bool old = end <= journal.last();
    if (old && end > journal.watermark().seq) {
      LOGBOOK_ASSIGN_OR_RETURN(const absl::Time at, WallTimeOf(journal, end));
      old = at < limit;
    }
    if (old) {
      last = std::max(last, end);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return last;
}

// As many of the oldest events as make up what is too much.
EventSeq TooMuch(const store::Journal& journal, uint64_t bytes_max) {
  const uint64_t bytes = journal.database().TableBytes(store::ColumnFamily::kEvents);
  const EventSeq watermark = journal.watermark().seq;
  if (bytes_max == 0 || bytes <= bytes_max) {
    return watermark;
  }
  const double part = static_cast<double>(bytes - bytes_max) / static_cast<double>(bytes);
  const auto events = static_cast<double>(journal.last().value - watermark.value);
  return EventSeq(watermark.value + static_cast<uint64_t>(part * events));
}

// The first event up to `to` that shows the object being deleted; one after it if there is none.
absl::StatusOr<EventSeq> DeletionSeen(const store::Journal& journal, const ObjectRef& ref,
                                      EventSeq to) {
  constexpr size_t kPage = 256;
  EventSeq from = journal.oldest();
  while (true) {
    LOGBOOK_ASSIGN_OR_RETURN(const auto entries, store::ReadHistory(journal, ref, from, kPage, to));
    for (const store::HistoryEntry& entry : entries) {
      LOGBOOK_ASSIGN_OR_RETURN(const Event event, journal.Get(entry.seq));
      const auto* observed = std::get_if<Observed>(&event.body);
      if (observed != nullptr && observed->object->deleting()) {
        return entry.seq;
      }
      from = entry.seq.Next();
    }
    if (entries.size() < kPage) {
      return to.Next();
    }
  }
}

void AddKeys(const ViewState& view, Oldest& oldest) {
  view.keys.ForEach([&](const std::string& path, const KeyStatePtr& state) {
    const auto name = [&] { return KeyFromPath(path).object.ToString(); };
    if (state->open) {
      oldest.Add(state->decided, "open plan of ", name());
    }
    if (state->dirty()) {
      oldest.Add(state->causes.front().seq, "cause of ", name());
    }
  });
}

absl::Status AddFinalizers(const store::Journal& journal, const ViewState& view, EventSeq to,
                           Oldest& oldest) {
  std::vector<ObjectRef> deleting;
  view.objects.ForEach([&](const std::string& path, const ObjectEntry& entry) {
    if (entry.object->deleting() && entry.object->has_finalizers()) {
      deleting.push_back(RefFromPath(path));
      deleting.back().uid = entry.object->uid();
    }
  });
  for (const ObjectRef& ref : deleting) {
    LOGBOOK_ASSIGN_OR_RETURN(const EventSeq seen, DeletionSeen(journal, ref, to));
    oldest.Add(seen, "finalizers of ", ref.resource, " ", ref.key.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RetentionPolicy::Validate() const {
  if (age <= absl::ZeroDuration() || audit_age < absl::ZeroDuration()) {
    return InvalidArgument("retention age must be more than nothing: name how long events stay");
  }
  return absl::OkStatus();
}

absl::StatusOr<EventSeq> OldEvents(const store::Journal& journal, const RetentionPolicy& policy,
                                   absl::Time now) {
  EventSeq old = TooMuch(journal, policy.bytes);
  if (policy.age != absl::InfiniteDuration()) {
    LOGBOOK_ASSIGN_OR_RETURN(const EventSeq aged, LastBefore(journal, now - policy.age));
    old = std::max(old, aged);
  }
  return old;
}

absl::StatusOr<std::optional<RetentionHold>> OldestHold(const store::Journal& journal,
                                                        const ViewState& view, EventSeq to) {
  Oldest oldest;
  LOGBOOK_ASSIGN_OR_RETURN(const std::vector<store::Hold> holds, store::ReadHolds(journal));
  for (const store::Hold& hold : holds) {
    oldest.Add(hold.from, "hold ", hold.name);
  }
  AddKeys(view, oldest);
  LOGBOOK_RETURN_IF_ERROR(AddFinalizers(journal, view, to, oldest));
  return oldest.Take();
}

}  // namespace logbook::reconcile
