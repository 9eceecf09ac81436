// The example in docs/format.md says what the code does.
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"

#include "logbook/base/zstd.h"
#include "logbook/model/record_codec.h"
#include "logbook/store/column_family.h"
#include "logbook/store/key_codec.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/status_matchers.h"

namespace logbook::store {
namespace {

using ::testing::HasSubstr;

std::string Document() {
  std::ifstream in(FORMAT_DOC);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The bytes of the block "```hex <name>".
std::string Block(const std::string& name) {
  const std::string document = Document();
  const std::string opening = "```hex " + name + "\n";
  const size_t begin = document.find(opening);
  EXPECT_NE(begin, std::string::npos) << FORMAT_DOC << " has no block " << name;
  const size_t end = document.find("```", begin + opening.size());
  const std::string hex = document.substr(begin + opening.size(), end - begin - opening.size());
  return absl::HexStringToBytes(absl::StrReplaceAll(hex, {{" ", ""}, {"\n", ""}}));
}

TEST(FormatDocTest, RecordIsDecodedAsTheTextSays) {
  const absl::StatusOr<Event> event = DecodeRecord(Block("record"));
  ASSERT_OK(event);
  EXPECT_EQ(event->seq, EventSeq(1));
  EXPECT_EQ(event->run, RunId(1));
  EXPECT_EQ(event->wall_time, FakeClock::Start());
  EXPECT_EQ(event->stream, StreamId(1));
  const ObjectKey key{.ns = "shop", .name = "web"};
  ASSERT_EQ(event->subjects.size(), 1u);
  EXPECT_EQ(event->subjects[0], (ObjectRef{.resource = "pods", .key = key, .uid = "u-1"}));
  EXPECT_EQ(event->resource_version, "7");
  ASSERT_EQ(event->marks.size(), 1u);
  EXPECT_EQ(event->marks[0], (Mark{.key = {.controller = "simpleapp", .object = key},
                                   .reason = MarkReason::kObserved}));
  const auto& observed = std::get<Observed>(event->body);
  EXPECT_EQ(observed.change, ChangeType::kAdded);
  EXPECT_EQ(observed.origin, Origin::kWatch);
  EXPECT_TRUE(observed.content_changed);
  EXPECT_EQ(observed.resource.version, "v1");
  EXPECT_EQ(observed.object->key(), key);
}

TEST(FormatDocTest, RecordIsEncodedAsItStandsThere) {
  const std::string record = Block("record");
  RecordCodec codec;
  Chain chain = {};
  EXPECT_EQ(codec.Encode(*DecodeRecord(record), chain), record);
  Chain before = {};
  EXPECT_TRUE(codec.Follows(record, before));
}

// Has the body of one event, to read deltas to it.
class OneBase : public BodyDecoder {
 public:
  OneBase(EventSeq seq, std::string_view body) : seq_(seq), body_(body) {}

  absl::StatusOr<std::string_view> Decode(EventSeq, const CodedBody& coded) override {
    EXPECT_EQ(coded.form,
              (BodyForm{.codec = BodyCodec::kZstd, .dictionary = 0, .delta_base = seq_}));
    return zstd_.DecompressDelta(coded.bytes, body_);
  }

 private:
  const EventSeq seq_;
  const std::string body_;
  ZstdDecompressor zstd_;
};

TEST(FormatDocTest, DeltaIsDecodedAsTheTextSays) {
  const absl::StatusOr<Event> first = DecodeRecord(Block("record"));
  ASSERT_OK(first);
  const ObjectPtr before = std::get<Observed>(first->body).object;
  OneBase bodies(EventSeq(1), before->json());
  const std::string record = Block("delta");
  const absl::StatusOr<Event> event = DecodeRecord(record, bodies);
  ASSERT_OK(event);
  EXPECT_EQ(event->seq, EventSeq(2));
  EXPECT_EQ(event->resource_version, "8");
  EXPECT_EQ(absl::StrReplaceAll(ToAbsl(before->json()), {{"\"7\"", "\"8\""}}),
            std::get<Observed>(event->body).object->json());
  Chain chain = *ChainOf(Block("record"));
  EXPECT_TRUE(RecordCodec().Follows(record, chain));
}

TEST(FormatDocTest, KeysAreThoseOfTheTables) {
  const ObjectKey key{.ns = "shop", .name = "web"};
  EXPECT_EQ(EventRowKey(EventSeq(1)), Block("events"));
  EXPECT_EQ(NamedSeqRowKey("pods", key, EventSeq(1)), Block("history"));
  EXPECT_EQ(ObjectRowKey("pods", key), Block("state"));
}

TEST(FormatDocTest, EveryFamilyRowAndKindIsListed) {
  const std::string document = Document();
  for (std::string_view family : kColumnFamilyNames) {
    EXPECT_THAT(document, HasSubstr(Concat("| `", family, "` |")));
  }
  for (std::string_view name : {kMetaRun, kMetaStore, kMetaStateSeq, kMetaBuild, kMetaSynced,
                                kMetaBookmarkPrefix, kMetaStreamPrefix, kMetaDictionaryPrefix}) {
    EXPECT_THAT(document, HasSubstr(Concat("`", name, "`")));
  }
  for (int kind = 1; kind <= static_cast<int>(EventKind::kGap); ++kind) {
    const std::string name =
        absl::StrReplaceAll(ToAbsl(ToString(static_cast<EventKind>(kind))), {{"-", " "}});
    EXPECT_THAT(document, HasSubstr(Concat("| ", kind, " | ", name, " |")));
  }
}

}  // namespace
}  // namespace logbook::store
