#include <cstdint>
#include <unordered_map>
#include <utility>

#include "logbook/store/body_codec.h"
#include "logbook/store/key_codec.h"
#include "logbook/store/verify_checks.h"

namespace logbook::store {
namespace {

constexpr uint64_t kProgressEvents = 10'000;  // between two calls of options.progress

// One pass over the events, in order; one method per invariant. Confined.
class EventChecks {
 public:
  explicit EventChecks(Verification& verification)
      : verification_(verification),
        bodies_(verification.database, verification.dictionaries),
        at_(verification.watermark) {}

  // After a break the checks go on from the record behind it, so that one break is one finding.
  void Check(std::string_view key, std::string_view record) {
    const absl::StatusOr<EventSeq> seq = ParseEventRowKey(key);
    const absl::StatusOr<RecordFixed> fixed = ParseRecordFixed(record);
    if (!seq.ok() || !fixed.ok()) {
      verification_.Found("readable", "event after ", at_.seq.value, ": ",
                          seq.ok() ? fixed.status().message() : seq.status().message());
      return;
    }
    CheckNumber(*seq, *fixed);
    CheckChain(*seq, *fixed, record);
    CheckRun(*seq, *fixed);
    at_ = {.seq = *seq, .run = fixed->run, .chain = fixed->chain};
    const absl::StatusOr<Event> event = DecodeRecord(record, bodies_);
    if (!event.ok()) {
      verification_.Found(LacksDictionary(record) ? "dictionaries" : "readable",
                          event.status().message());
      return;
    }
    bodies_.Remember(*event);
    CheckReferences(*event);
    CheckEffects(*event);
    SumHistory(*event);
  }

  const Position& at() const { return at_; }

 private:
  bool LacksDictionary(std::string_view record) const {
    const absl::StatusOr<CodedBody> body = CodedBodyOf(record);
    return body.ok() && body->form.dictionary != 0 &&
           !verification_.dictionaries.Get(body->form.dictionary).ok();
  }

  void CheckNumber(EventSeq seq, const RecordFixed& fixed) {
    in_sequence_ = seq == at_.seq.Next();
    if (!in_sequence_) {
      verification_.Found("contiguous", "events ", at_.seq.value + 1, " to ", seq.value - 1,
                          " are missing");
    }
    if (fixed.seq != seq) {
      verification_.Found("contiguous", "event ", seq.value, " calls itself ", fixed.seq.value);
    }
  }

  void CheckChain(EventSeq seq, const RecordFixed&, std::string_view record) {
    Chain chain = at_.chain;
    if (in_sequence_ && !codec_.Follows(record, chain)) {
      verification_.Found("chain", "event ", seq.value, " does not follow event ", at_.seq.value);
    }
  }

  void CheckRun(EventSeq seq, const RecordFixed& fixed) {
    if (fixed.run < at_.run) {
      verification_.Found("run", "event ", seq.value, " is of run ", fixed.run.value,
                          ", the one before of run ", at_.run.value);
    }
  }

  // Causes and views lie in the past.
  void CheckReferences(const Event& event) {
    for (EventSeq cause : event.causes) {
      if (cause >= event.seq) {
        verification_.Found("causes", "event ", event.seq.value, " names cause ", cause.value);
      }
    }
    const auto* decided = std::get_if<Decided>(&event.body);
    if (decided != nullptr && decided->view_seq >= event.seq) {
      verification_.Found("causes", "event ", event.seq.value, " was decided on a view at ",
                          decided->view_seq.value);
    }
  }

  // An outcome belongs to an effect that was decided on before.
  void CheckEffects(const Event& event) {
    if (const auto* decided = std::get_if<Decided>(&event.body)) {
      if (!decided->effects.empty()) {
        effects_[event.seq.value] = static_cast<uint32_t>(decided->effects.size());
      }
    } else if (const auto* recorded = std::get_if<OutcomeRecorded>(&event.body)) {
      const Outcome& outcome = recorded->outcome;
      if (outcome.decided <= verification_.watermark.seq) {
        return;  // the decision was trimmed
      }
      const auto decision = effects_.find(outcome.decided.value);
      if (decision == effects_.end() || outcome.ordinal >= decision->second) {
        verification_.Found("outcomes", "event ", event.seq.value, " is the outcome of effect ",
                            outcome.ordinal, " of event ", outcome.decided.value,
                            ", which has no such effect");
      }
    }
  }

  void SumHistory(const Event& event) {
    if (event.seq > verification_.state_seq) {
      return;
    }
    for (const ObjectRef& subject : event.subjects) {
      verification_.history_wanted.Add(NamedSeqRowKey(subject.resource, subject.key, event.seq),
                                       static_cast<uint32_t>(event.kind()), subject.uid);
    }
  }

  Verification& verification_;
  RecordCodec codec_;
  BodyReader bodies_;
  Position at_;
  bool in_sequence_ = true;
  std::unordered_map<uint64_t, uint32_t> effects_;  // by the decision's seq
};

uint64_t CountOfEvents(const Verification& verification) {
  const absl::StatusOr<std::string> key = verification.database.LastKey(ColumnFamily::kEvents);
  return key.ok() ? DecodeNumber(*key).value_or(0) : 0;
}

}  // namespace

void CheckEvents(Verification& verification) {
  EventChecks checks(verification);
  VerifyReport& report = verification.report;
  const uint64_t all = CountOfEvents(verification);
  const absl::Status read = verification.database.Scan(
      ColumnFamily::kEvents, EventRowKey(EventSeq(0)), "",
      [&](std::string_view key, std::string_view record) {
        checks.Check(key, record);
        if (++report.events % kProgressEvents == 0 && verification.options.progress) {
          verification.options.progress(report.events, all);
        }
        return true;
      });
  report.position = checks.at();
  if (!read.ok()) {
    verification.Found("readable", "after event ", report.position.seq.value, ": ", read.message());
  }
}

}  // namespace logbook::store
