// Bodies of records that somebody else codes.
#include <string>

#include "sample_events.h"
#include <gtest/gtest.h>

#include "logbook/model/record_codec.h"
#include "logbook/support/status_matchers.h"

namespace logbook {
namespace {

using ::testing::HasSubstr;

// Writes each body backwards, and reads it so.
class Backwards : public BodyEncoder, public BodyDecoder {
 public:
  explicit Backwards(BodyForm form) : form_(form) {}

  CodedBody Encode(const Event&, std::string_view body) override {
    room_.assign(body.rbegin(), body.rend());
    return {.form = form_, .bytes = room_};
  }

  absl::StatusOr<std::string_view> Decode(EventSeq seq, const CodedBody& coded) override {
    EXPECT_EQ(coded.form, form_) << seq.value;
    room_.assign(coded.bytes.rbegin(), coded.bytes.rend());
    return room_;
  }

 private:
  const BodyForm form_;
  std::string room_;
};

TEST(RecordBodyTest, EveryKindIsReadBackThroughWhoCodedIt) {
  Backwards bodies({.codec = BodyCodec::kZstd, .dictionary = 3, .delta_base = EventSeq(9)});
  RecordCodec codec;
  for (const Event& event : SampleEvents()) {
    SCOPED_TRACE(ToString(event.kind()));
    Chain chain = {};
    const std::string record = codec.Encode(event, chain, &bodies);
    const absl::StatusOr<Event> decoded = DecodeRecord(record, bodies);
    ASSERT_OK(decoded);
    Chain again = {};
    EXPECT_EQ(codec.Encode(*decoded, again, &bodies), record);
  }
}

TEST(RecordBodyTest, HeaderTellsTheForm) {
  const BodyForm form{.codec = BodyCodec::kZstd, .dictionary = 3, .delta_base = EventSeq(9)};
  Backwards bodies(form);
  Chain chain = {};
  const std::string record = RecordCodec().Encode(SampleEvents()[0], chain, &bodies);
  const absl::StatusOr<CodedBody> body = CodedBodyOf(record);
  ASSERT_OK(body);
  EXPECT_EQ(body->form, form);
  Chain before = {};
  EXPECT_TRUE(RecordCodec().Follows(record, before)) << "the chain covers what is stored";
}

TEST(RecordBodyTest, CompressedRecordIsNotReadWithoutItsStore) {
  Backwards bodies({.codec = BodyCodec::kZstd});
  Chain chain = {};
  EXPECT_THAT(DecodeRecord(RecordCodec().Encode(SampleEvents()[0], chain, &bodies)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("through its store")));
}

TEST(RecordBodyTest, UnknownCodecIsRefused) {
  Backwards bodies({.codec = static_cast<BodyCodec>(2)});
  Chain chain = {};
  EXPECT_THAT(DecodeRecord(RecordCodec().Encode(SampleEvents()[0], chain, &bodies), bodies),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("unknown body codec 2")));
}

}  // namespace
}  // namespace logbook
