#include "logbook/model/record_codec.h"

#include <random>
#include <string>

#include "absl/strings/escaping.h"
#include "sample_events.h"
#include <gtest/gtest.h>

#include "logbook/support/seed.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

std::string Record(const Event& event) {
  RecordCodec codec;
  Chain chain = {};
  return codec.Encode(event, chain);
}

std::string Hex(std::string_view bytes) {
  return absl::BytesToHexString(ToAbsl(bytes));
}

void ExpectSameEnvelope(const Event& a, const Event& b) {
  EXPECT_EQ(a.seq, b.seq);
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.wall_time, b.wall_time);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.subjects, b.subjects);
  EXPECT_EQ(a.resource_version, b.resource_version);
  EXPECT_EQ(a.causes, b.causes);
  EXPECT_EQ(a.marks, b.marks);
  EXPECT_EQ(a.kind(), b.kind());
}

// One overload per body; the variant's visitor picks it.
struct ExpectSameBody {
  void operator()(const Observed& a, const Observed& b) const {
    EXPECT_EQ(a.change, b.change);
    EXPECT_EQ(a.origin, b.origin);
    EXPECT_EQ(a.resource, b.resource);
    EXPECT_EQ(a.content_changed, b.content_changed);
    EXPECT_EQ(a.listed, b.listed);
    EXPECT_EQ(a.object->json(), b.object->json());
    EXPECT_EQ(a.object->content(), b.object->content());
  }

  void operator()(const StreamChanged& a, const StreamChanged& b) const {
    EXPECT_EQ(a.change, b.change);
    EXPECT_EQ(a.identity, b.identity);
    EXPECT_EQ(a.served_by, b.served_by);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.generation, b.generation);
    EXPECT_EQ(a.objects_listed, b.objects_listed);
    EXPECT_EQ(a.objects_changed, b.objects_changed);
    EXPECT_EQ(a.objects_vanished, b.objects_vanished);
  }

  void operator()(const Decided& a, const Decided& b) const {
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.resource, b.resource);
    EXPECT_EQ(a.uid, b.uid);
    EXPECT_EQ(a.view_seq, b.view_seq);
    EXPECT_EQ(a.now, b.now);
    EXPECT_EQ(a.attempt, b.attempt);
    EXPECT_EQ(a.effects, b.effects);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.verdict, b.verdict);
    EXPECT_EQ(a.due, b.due);
    EXPECT_EQ(a.segment, b.segment);
    EXPECT_EQ(a.attempts_after, b.attempts_after);
  }

  void operator()(const OutcomeRecorded& a, const OutcomeRecorded& b) const {
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.resource, b.resource);
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.attempts_after, b.attempts_after);
    EXPECT_EQ(a.due, b.due);
    EXPECT_EQ(a.content_changed, b.content_changed);
  }

  void operator()(const Marked& a, const Marked& b) const { EXPECT_EQ(a.reason, b.reason); }

  void operator()(const Leadership& a, const Leadership& b) const {
    EXPECT_EQ(a.holder, b.holder);
    EXPECT_EQ(a.term, b.term);
  }

  void operator()(const Admin& a, const Admin& b) const {
    EXPECT_EQ(a.who, b.who);
    EXPECT_EQ(a.action, b.action);
    EXPECT_EQ(a.why, b.why);
  }

  void operator()(const BuildStarted& a, const BuildStarted& b) const {
    EXPECT_EQ(a.build_id, b.build_id);
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.operator_name, b.operator_name);
    EXPECT_EQ(a.cluster, b.cluster);
    EXPECT_EQ(a.configuration, b.configuration);
    EXPECT_EQ(a.controllers, b.controllers);
    EXPECT_EQ(a.changed, b.changed);
  }

  void operator()(const Quarantined& a, const Quarantined& b) const {
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.error, b.error);
  }

  void operator()(const Gap& a, const Gap& b) const {
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.first_missing, b.first_missing);
    EXPECT_EQ(a.last_missing, b.last_missing);
  }

  template <typename A, typename B>
  void operator()(const A&, const B&) const {
    ADD_FAILURE() << "bodies of two kinds";
  }
};

void ExpectRoundTrip(const Event& event) {
  const absl::StatusOr<Event> decoded = DecodeRecord(Record(event));
  ASSERT_OK(decoded);
  ExpectSameEnvelope(*decoded, event);
  std::visit(ExpectSameBody(), decoded->body, event.body);
  EXPECT_EQ(Record(*decoded), Record(event));
}

TEST(RecordCodecTest, EveryKindSurvivesARoundTrip) {
  for (const Event& event : SampleEvents()) {
    SCOPED_TRACE(ToString(event.kind()));
    ExpectRoundTrip(event);
  }
}

TEST(RecordCodecTest, SamplesCoverEveryKind) {
  EXPECT_EQ(SampleEvents().size(), std::variant_size_v<EventBody>);
}

// A journal must read back what it wrote, also when a proxy, a plugin or a reconciler handed it
// text in another encoding.
TEST(RecordCodecTest, TextThatIsNotUtf8SurvivesARoundTrip) {
  for (const Event& event : SampleEvents("caf\xe9 \xff\xc3")) {
    SCOPED_TRACE(ToString(event.kind()));
    ExpectRoundTrip(event);
  }
}

TEST(RecordCodecTest, DefaultsSurviveARoundTrip) {
  ExpectRoundTrip(
      {.seq = EventSeq(1), .run = {}, .wall_time = absl::UnixEpoch(), .body = Marked()});
  ExpectRoundTrip({.seq = EventSeq(1), .wall_time = absl::UnixEpoch(), .body = Decided()});
  OutcomeRecorded outcome;
  outcome.outcome.at = absl::UnixEpoch();
  ExpectRoundTrip({.seq = EventSeq(1), .wall_time = absl::UnixEpoch(), .body = outcome});
}

TEST(RecordCodecTest, SubjectsAreReadWithoutTheBody) {
  for (const Event& event : SampleEvents()) {
    const absl::StatusOr<std::vector<ObjectRef>> subjects = SubjectsOf(Record(event));
    ASSERT_OK(subjects);
    EXPECT_EQ(*subjects, event.subjects);
  }
}

TEST(RecordCodecTest, FixedPartTellsSeqRunAndKind) {
  const Event event = SampleEvents()[3];
  const absl::StatusOr<RecordFixed> fixed = ParseRecordFixed(Record(event));
  ASSERT_OK(fixed);
  EXPECT_EQ(fixed->format, kRecordFormat);
  EXPECT_EQ(fixed->kind, EventKind::kOutcome);
  EXPECT_EQ(fixed->seq, event.seq);
  EXPECT_EQ(fixed->run, event.run);
  EXPECT_EQ(fixed->wall_unix_nanos, absl::ToUnixNanos(event.wall_time));
}

// What is on disk is frozen: a build that writes other bytes has changed the format.
TEST(RecordCodecTest, BytesAreThoseOfTheFormat) {
  const Event event{.seq = EventSeq(7),
                    .run = RunId(2),
                    .wall_time = absl::FromUnixNanos(0x0102030405060708),
                    .stream = StreamId(1),
                    .subjects = {{.resource = "pods", .key = {.ns = "n", .name = "p"}, .uid = "u"}},
                    .resource_version = "9",
                    .causes = {},
                    .marks = {},
                    .body = Marked{.reason = "why"}};
  EXPECT_EQ(Hex(Record(event)),
            "0105000046000000"                    // format 1, kind 5, no flags, body at 70
            "0700000000000000"                    // seq
            "0200000000000000"                    // run
            "0807060504030201"                    // wall time
            "dd922cf0803a4c29fb49fb42dd88d154"    // chain
            "0801"                                // stream
            "120f0a04706f647312016e1a0170220175"  // subject
            "1a0139"                              // resourceVersion
            "0a03776879");                        // body
}

TEST(RecordCodecTest, RecordsFollowOneAnother) {
  RecordCodec codec;
  Chain writing = {};
  std::vector<std::string> records;
  for (const Event& event : SampleEvents()) {
    records.push_back(codec.Encode(event, writing));
    ASSERT_OK(ChainOf(records.back()));
    EXPECT_EQ(*ChainOf(records.back()), writing);
  }
  Chain reading = {};
  for (const std::string& record : records) {
    EXPECT_TRUE(codec.Follows(record, reading));
  }
  EXPECT_EQ(reading, writing);
}

TEST(RecordCodecTest, RelinkedRecordFollowsOnAnotherChainAndIsTheSameEvent) {
  RecordCodec codec;
  for (const Event& event : SampleEvents()) {
    Chain chain = {1, 2, 3};
    Chain reading = chain;
    const std::string relinked = codec.Relinked(Record(event), chain);
    EXPECT_TRUE(codec.Follows(relinked, reading));
    EXPECT_EQ(reading, chain);
    EXPECT_EQ(codec.Relinked(relinked, reading = {}), Record(event));
  }
}

TEST(RecordCodecTest, AMissingOrRepeatedRecordIsDetected) {
  RecordCodec codec;
  Chain chain = {};
  const std::vector<Event> events = SampleEvents();
  const std::string first = codec.Encode(events[0], chain);
  const Chain after_first = chain;
  codec.Encode(events[1], chain);
  const std::string third = codec.Encode(events[2], chain);
  Chain at = after_first;
  EXPECT_FALSE(codec.Follows(third, at));
  EXPECT_FALSE(codec.Follows(first, at));
  EXPECT_EQ(at, after_first) << "a refused record leaves the chain as it was";
}

TEST(RecordCodecTest, EveryFlippedBitIsDetected) {
  RecordCodec codec;
  for (const Event& event : SampleEvents()) {
    const std::string record = Record(event);
    for (size_t i = 0; i < record.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string damaged = record;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        Chain chain = {};
        ASSERT_FALSE(codec.Follows(damaged, chain)) << "byte " << i << " bit " << bit;
      }
    }
  }
}

TEST(RecordCodecTest, EveryTruncationIsDetectedAndDoesNotCrash) {
  RecordCodec codec;
  for (const Event& event : SampleEvents()) {
    const std::string record = Record(event);
    for (size_t size = 0; size < record.size(); ++size) {
      const std::string cut = record.substr(0, size);
      Chain chain = {};
      ASSERT_FALSE(codec.Follows(cut, chain)) << size;
      (void)DecodeRecord(cut);
      (void)SubjectsOf(cut);
      EXPECT_EQ(ChainOf(cut).ok(), size >= kRecordFixedBytes);
    }
  }
}

TEST(RecordCodecTest, DamagedRecordsDoNotCrashTheDecoder) {
  std::mt19937_64 random(TestSeed());
  const std::vector<Event> events = SampleEvents();
  for (int round = 0; round < 50'000; ++round) {
    std::string record = Record(events[random() % events.size()]);
    for (uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      record[random() % record.size()] = static_cast<char>(random());
    }
    const absl::StatusOr<Event> decoded = DecodeRecord(record);
    if (decoded.ok()) {
      (void)Record(*decoded);  // what decodes can be encoded
    }
  }
}

TEST(RecordCodecTest, UnreadableRecordsAreNamed) {
  std::string record = Record(SampleEvents()[4]);
  const auto with = [&](size_t offset, char byte) {
    std::string changed = record;
    changed[offset] = byte;
    return changed;
  };
  EXPECT_THAT(DecodeRecord(""), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeRecord(record.substr(0, 47)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeRecord(with(0, 2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, testing::HasSubstr("event 5")));
  EXPECT_THAT(DecodeRecord(with(1, 0)),
              StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("unknown kind 0")));
  EXPECT_THAT(DecodeRecord(with(1, 11)),
              StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("unknown kind 11")));
  EXPECT_THAT(DecodeRecord(with(4, 47)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeRecord(with(7, 1)), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(ChainTest, HexIsReadBack) {
  Chain chain;
  for (size_t i = 0; i < chain.size(); ++i) {
    chain[i] = static_cast<uint8_t>(i * 16 + 1);
  }
  EXPECT_EQ(ToHex(chain), "01112131415161718191a1b1c1d1e1f1");
  ASSERT_OK(ChainFromHex(ToHex(chain)));
  EXPECT_EQ(*ChainFromHex(ToHex(chain)), chain);
}

TEST(ChainTest, OtherTextIsRefused) {
  for (const std::string& text :
       {std::string(), std::string(31, 'a'), std::string(33, 'a'), std::string(32, 'g'),
        std::string(32, 'A'), std::string(31, 'a') + "\n"}) {
    EXPECT_THAT(ChainFromHex(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace logbook
