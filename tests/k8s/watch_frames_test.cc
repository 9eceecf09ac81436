#include "logbook/k8s/watch_frames.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::k8s {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

void TakeAll(WatchFrames& frames, std::vector<std::string>& out) {
  while (const std::optional<std::string_view> frame = frames.Next()) {
    out.emplace_back(*frame);
  }
}

// What comes out when `text` comes in pieces that end at `cuts`.
std::vector<std::string> Cut(std::string_view text, std::vector<size_t> cuts) {
  WatchFrames frames;
  std::vector<std::string> out;
  size_t begin = 0;
  cuts.push_back(text.size());
  for (size_t cut : cuts) {
    frames.Buffer() += text.substr(begin, cut - begin);
    TakeAll(frames, out);
    begin = cut;
  }
  return out;
}

// Braces, quotes, escapes, line separators of Unicode, several bytes a character.
const std::vector<std::string> kFrames = {
    R"({"type":"ADDED","object":{"metadata":{"name":"a"},"s":"}{\"type\":\"X\"}\\","l":[{},[]]}})",
    "{\"type\":\"MODIFIED\",\"object\":{\"text\":\"\xe2\x80\xa8 \xc2\x85 \xf0\x9f\x93\x93 {[\"}}",
    R"({"type":"BOOKMARK","object":{"spec":null}})",
    R"({"object":{"kind":"Status"},"type":"ERROR"})",
};

std::string Join(std::string_view separator) {
  std::string text;
  for (const std::string& frame : kFrames) {
    text += frame;
    text += separator;
  }
  return text;
}

// 25.
TEST(WatchFramesTest, CutAtEveryByteGivesTheSameFrames) {
  for (std::string_view separator : {"\n", "", "\r\n", " \n\n\t"}) {
    const std::string text = Join(separator);
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      ASSERT_THAT(Cut(text, {cut}), ElementsAreArray(kFrames)) << separator << cut;
    }
  }
}

TEST(WatchFramesTest, ByteByByteGivesTheSameFrames) {
  for (std::string_view separator : {"\n", ""}) {
    const std::string text = Join(separator);
    std::vector<size_t> cuts;
    for (size_t i = 1; i < text.size(); ++i) {
      cuts.push_back(i);
    }
    ASSERT_THAT(Cut(text, cuts), ElementsAreArray(kFrames));
  }
}

TEST(WatchFramesTest, FramesMayStandOverSeveralLines) {
  const std::string pretty = "{\n \"type\": \"ADDED\",\n \"object\": {\n  \"a\": [\n  ]\n }\n}\n";
  EXPECT_THAT(Cut(pretty + kFrames[0] + "\n", {}),
              ElementsAreArray({pretty.substr(0, pretty.size() - 1), kFrames[0]}));
}

TEST(WatchFramesTest, NothingWholeGivesNothing) {
  EXPECT_THAT(Cut("", {}), IsEmpty());
  EXPECT_THAT(Cut(" \n", {}), IsEmpty());
  EXPECT_THAT(Cut(R"({"type":"ADDED","object":{)", {}), IsEmpty());
}

TEST(WatchFramesTest, NonsenseIsAFrameThatNobodyUnderstands) {
  EXPECT_THAT(Cut("}\n", {}), ElementsAreArray({"}"}));
}

// 26.
TEST(WatchFramesTest, LargeFrameIsWholeAndTooLargeOneIsSeenBeforeItIs) {
  const std::string large =
      R"({"type":"ADDED","object":{"d":")" + std::string(3 << 20, 'x') + "\"}}";
  WatchFrames frames;
  frames.Buffer() += large + "\n";
  EXPECT_EQ(frames.Next(), large);
  EXPECT_FALSE(frames.IsOversized());

  WatchFrames limited(1000);
  limited.Buffer() += kFrames[0] + "\n" + R"({"type":"ADDED","object":{"d":")";
  EXPECT_EQ(limited.Next(), kFrames[0]);
  EXPECT_EQ(limited.Next(), std::nullopt);
  EXPECT_FALSE(limited.IsOversized());
  limited.Buffer() += std::string(1000, 'x');
  EXPECT_EQ(limited.Next(), std::nullopt);
  EXPECT_TRUE(limited.IsOversized());
  EXPECT_EQ(limited.Rest().substr(0, 8), "{\"type\":");
}

}  // namespace
}  // namespace logbook::k8s
