// The watcher's states against a mocked server and a clock that only waiting moves.
#include "logbook/k8s/watcher.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "watcher_harness.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/k8s/api_status.h"
#include "logbook/k8s/transport_status.h"
#include "logbook/support/fake_clock.h"
#include "logbook/support/mock_api_client.h"

namespace logbook::k8s {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Lt;
using ::testing::NiceMock;
using ::testing::Not;
using ::testing::SizeIs;
using Code = absl::StatusCode;

absl::Status Http(int status, std::string_view body = "") {
  return StatusOfAnswer({.verb = Verb::kWatch, .http_status = status, .body = body});
}

absl::Status Refused() {
  return TransportError(Code::kUnavailable, "refused", Sent::kNo);
}

// What one call of Next finds: frames after some time, or an end.
struct Reading {
  std::vector<std::string> frames = {};
  absl::Duration after = absl::ZeroDuration();
  bool ended = false;
  absl::Status error = absl::OkStatus();
  std::string oversized = "";
};

Reading End() {
  return {.ended = true};
}

// A watch that gives `readings`, and is then quiet for ever.
class FakeStream : public WatchStream {
 public:
  FakeStream(std::vector<Reading> readings, FakeClock& clock)
      : readings_(readings.begin(), readings.end()), clock_(clock) {}

  absl::StatusOr<WatchRead> Next(absl::Duration timeout) override {
    if (readings_.empty() || readings_.front().after > timeout) {
      clock_.Advance(timeout);
      if (!readings_.empty()) {
        readings_.front().after -= timeout;
      }
      return WatchRead{};
    }
    now_ = std::move(readings_.front());
    readings_.pop_front();
    clock_.Advance(now_.after);
    if (!now_.error.ok()) {
      return now_.error;
    }
    WatchRead read{.frames = {now_.frames.begin(), now_.frames.end()},
                   .ended = now_.ended || !now_.oversized.empty(),
                   .oversized = now_.oversized};
    for (const std::string& frame : now_.frames) {
      read.bytes += frame.size();
    }
    return read;
  }

 private:
  std::deque<Reading> readings_;
  FakeClock& clock_;
  Reading now_;
};

class WatcherTest : public ::testing::Test {
 protected:
  WatcherTest() {
    ON_CALL(api_, GetPath(_, _)).WillByDefault([this](std::string_view path, const CallOptions&) {
      ++discoveries_;
      return path == kCrdPath ? crd_ : group_;
    });
    ON_CALL(api_, List(_, _, _))
        .WillByDefault([this](const Target&, const ListOptions& options, const CallOptions&) {
          requests_.push_back(Concat("list limit=", options.limit, " ", options.continue_token));
          EXPECT_EQ(options.resource_version, "") << "21: the most recent state, or nothing";
          return Take<ApiReply>(lists_);
        });
    ON_CALL(api_, Watch(_, _, _))
        .WillByDefault(
            [this](const Target&, const WatchOptions& options,
                   const std::stop_token&) -> absl::StatusOr<std::unique_ptr<WatchStream>> {
              requests_.push_back("watch " + options.resource_version);
              timeouts_.push_back(options.timeout);
              EXPECT_NE(options.resource_version, "");
              EXPECT_NE(options.resource_version, "0");
              absl::StatusOr<std::vector<Reading>> readings = Take<std::vector<Reading>>(watches_);
              if (!readings.ok()) {
                return readings.status();
              }
              return std::make_unique<FakeStream>(*readings, clock_);
            });
    options_.wait = [this](absl::Duration wait, const std::stop_token& stop) {
      waits_.push_back(wait);
      clock_.Advance(wait);
      return !stop.stop_requested();
    };
  }

  // The next scripted answer; when there is none, the test is over.
  template <typename T>
  absl::StatusOr<T> Take(std::deque<absl::StatusOr<T>>& answers) {
    if (answers.empty()) {
      stop_.request_stop();
      return Cancelled("the script is over");
    }
    absl::StatusOr<T> answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }

  void ListAnswers(std::string json) { lists_.push_back(ApiReply{200, std::move(json)}); }

  void ListFails(absl::Status status) { lists_.push_back(std::move(status)); }

  void WatchAnswers(std::vector<Reading> readings) { watches_.push_back(std::move(readings)); }

  void WatchFails(absl::Status status) { watches_.push_back(std::move(status)); }

  void StartAt(std::string version, std::string served_by = "crd/u/1") {
    sink_.SetPosition({std::move(version), std::move(served_by), true});
  }

  std::vector<std::string> Run() {
    Watcher watcher(stream_, api_, sink_, clock_, Logger(), 1, options_);
    watcher.Run(stop_.get_token());
    return sink_.Lines();
  }

  FakeClock clock_;
  NiceMock<MockApiClient> api_;
  RecordingSink sink_;
  StreamIdentity stream_{.cluster = "c", .resource = kWebs};
  WatcherOptions options_;
  std::stop_source stop_;
  absl::StatusOr<ApiReply> group_ = ApiReply{200, kGroupJson};
  absl::StatusOr<ApiReply> crd_ = ApiReply{200, CrdJson("u", 1)};
  std::deque<absl::StatusOr<ApiReply>> lists_;
  std::deque<absl::StatusOr<std::vector<Reading>>> watches_;

  int discoveries_ = 0;
  std::vector<std::string> requests_;
  std::vector<absl::Duration> waits_, timeouts_;
};

TEST_F(WatcherTest, FirstStartListsAndThenWatchesFromTheListsVersion) {
  ListAnswers(ListJson("10", {ObjectJson("a", "3"), ObjectJson("b", "9")}));
  WatchAnswers({{.frames = {Change("MODIFIED", "a", "11"), Change("DELETED", "b", "12")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("list: first list, by content", "page: a@3 b@9", "listed 10",
                                 "events: modified a@11 deleted b@12 to 12"));
  EXPECT_THAT(requests_, ElementsAre("list limit=500 ", "watch 10", "watch 12"));
}

TEST_F(WatcherTest, RestartAtAGoodBookmarkMakesNoList) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@11 to 11"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "watch 11"));
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(WatcherTest, QuietWatchHasResumedAfterATenthOfASecond) {
  StartAt("10");
  absl::Duration resumed;
  sink_.on_line = [&](std::string_view) {
    resumed = clock_.Monotonic();
    stop_.request_stop();
    return absl::OkStatus();
  };
  WatchAnswers({{.frames = {}, .after = absl::Seconds(10), .error = Cancelled("stopped")}});
  EXPECT_THAT(Run(), ElementsAre("resumed Web"));
  EXPECT_EQ(resumed, absl::Milliseconds(100));
}

// 30.
TEST_F(WatcherTest, BookmarkMovesThePositionAndDeliversNothing) {
  StartAt("10");
  WatchAnswers({{.frames = {Bookmark("20")}},
                {.frames = {Change("ADDED", "a", "21"), Bookmark("25")}},
                End()});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "bookmark 20", "events: added a@21 to 25"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "watch 25"));
}

// 31.
TEST_F(WatcherTest, UnknownTypesAreSkippedAndDoNotMoveThePosition) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("NOVELTY", "a", "15"), Change("ADDED", "b", "12")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added b@12 to 12"));
}

// 34: the server ends watches all the time; that is no error and costs no pause.
TEST_F(WatcherTest, EndOfAWatchResumesAtOnce) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  WatchAnswers({{.frames = {}, .after = absl::Minutes(1), .ended = true}});
  WatchAnswers({{.frames = {Change("ADDED", "b", "12")}}, End()});
  EXPECT_THAT(Run(),
              ElementsAre("resumed Web", "events: added a@11 to 11", "events: added b@12 to 12"));
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(WatcherTest, WatchThatEndsAtOnceWithoutAFrameIsBackedOffAndFinallyListed) {
  StartAt("10");
  for (int i = 0; i < 4; ++i) {
    WatchAnswers({End()});
  }
  ListAnswers(ListJson("20", {}));
  EXPECT_THAT(Run(), ElementsAre("list: watch ends at the bookmark", "page:", "listed 20"));
  ASSERT_THAT(waits_, SizeIs(4));
  EXPECT_LT(waits_[0], waits_[3]);
}

class ExpiredTest : public WatcherTest, public ::testing::WithParamInterface<int> {};

// 15, 16: as HTTP status, as the first frame, as a later one.
TEST_P(ExpiredTest, EveryShapeOf410ListsAtOnce) {
  StartAt("10");
  switch (GetParam()) {
    case 0:
      WatchFails(Http(410));
      break;
    case 1:
      WatchAnswers({{.frames = {ErrorFrame(410, "Expired")}}});
      break;
    case 2:
      WatchAnswers({{.frames = {Bookmark("12"), ErrorFrame(410, "Gone")}}});
      break;
  }
  ListAnswers(ListJson("20", {ObjectJson("a", "15")}));
  WatchAnswers({{.frames = {Change("MODIFIED", "a", "21")}}, End()});
  std::vector<std::string> lines = Run();
  if (GetParam() == 2) {
    EXPECT_THAT(std::vector(lines.begin(), lines.begin() + 2),
                ElementsAre("resumed Web", "bookmark 12"));
    lines.erase(lines.begin(), lines.begin() + 2);
  }
  EXPECT_THAT(lines, ElementsAre("list: bookmark expired", "page: a@15", "listed 20",
                                 "events: modified a@21 to 21"));
  EXPECT_THAT(waits_, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Shapes, ExpiredTest, ::testing::Values(0, 1, 2));

// 17.
TEST_F(WatcherTest, ExpiryAfterEveryListIsSlowedDownAndNeverRepeatsAVersion) {
  StartAt("10");
  WatchFails(Http(410));
  for (int i = 1; i <= 5; ++i) {
    ListAnswers(ListJson(std::to_string(10 + i), {}));
    WatchAnswers({{.frames = {ErrorFrame(410, "Expired")}}});
  }
  Run();
  EXPECT_THAT(requests_, ElementsAre("watch 10", "list limit=500 ", "watch 11", "list limit=500 ",
                                     "watch 12", "list limit=500 ", "watch 13", "list limit=500 ",
                                     "watch 14", "list limit=500 ", "watch 15", "list limit=500 "));
  ASSERT_THAT(waits_, SizeIs(5)) << "all but the first list wait";
  EXPECT_LT(waits_[0], waits_[4]);
}

TEST_F(WatcherTest, ListComesInPagesFromOneSnapshot) {
  ListAnswers(ListJson("10", {ObjectJson("a", "3")}, "t1"));
  ListAnswers(ListJson("10", {}, "t2"));
  ListAnswers(ListJson("10", {ObjectJson("b", "4")}));
  EXPECT_THAT(Run(), ElementsAre("list: first list, by content", "page: a@3", "page:", "page: b@4",
                                 "listed 10"));
  EXPECT_THAT(requests_,
              ElementsAre("list limit=500 ", "list limit=500 t1", "list limit=500 t2", "watch 10"));
}

// 18, and the token of an inconsistent list that comes with the 410 is left alone.
TEST_F(WatcherTest, ExpiredPageStartsOverAndTheThirdListIsNotPaged) {
  const absl::Status expired =
      Http(410, R"({"kind":"Status","reason":"Expired","code":410,"metadata":{"continue":"BAD"}})");
  for (int i = 0; i < 2; ++i) {
    ListAnswers(ListJson(std::to_string(10 + i), {ObjectJson("a", "3")}, "t"));
    ListFails(expired);
  }
  ListAnswers(ListJson("12", {ObjectJson("a", "3"), ObjectJson("b", "4")}));
  EXPECT_THAT(Run(), ElementsAre("list: first list, by content", "page: a@3",
                                 "list: first list, by content", "page: a@3",
                                 "list: first list, by content", "page: a@3 b@4", "listed 12"));
  EXPECT_THAT(requests_, ElementsAre("list limit=500 ", "list limit=500 t", "list limit=500 ",
                                     "list limit=500 t", "list limit=0 ", "watch 12"));
}

TEST_F(WatcherTest, PageThatIsTooLargeIsAskedForInSmallerOnes) {
  ListFails(ResponseTooLarge("GET", 1));
  ListAnswers(ListJson("10", {}));
  Run();
  EXPECT_THAT(requests_, ElementsAre("list limit=500 ", "list limit=125 ", "watch 10"));
}

TEST_F(WatcherTest, ItemsOfTypedListsGetTheirKind) {
  ListAnswers(R"({"kind":"WebList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[)"
              R"({"metadata":{"name":"a","resourceVersion":"3"}}]})");
  EXPECT_THAT(Run(), Contains("page: a@3"));
}

// 29 and others: what refuses the bookmark for good leads to a list, slowly.
TEST_F(WatcherTest, RefusedBookmarkLeadsToAList) {
  StartAt("10");
  WatchFails(Http(422));
  ListAnswers(ListJson("20", {}));
  EXPECT_THAT(Run(), ElementsAre("unavailable INVALID_ARGUMENT", "list: bookmark refused",
                                 "page:", "listed 20"));
  EXPECT_THAT(waits_, SizeIs(1));
}

// After a restart the server initializes its storage.
TEST_F(WatcherTest, ThrottledWatchWaitsAsAskedAndKeepsTheBookmark) {
  StartAt("10");
  WatchFails(StatusOfAnswer({.http_status = 429, .body = "initializing", .retry_after = "2"}));
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("unavailable RESOURCE_EXHAUSTED", "resumed Web",
                                 "events: added a@11 to 11"));
  EXPECT_THAT(waits_, ElementsAre(AllOf(Ge(absl::Seconds(2)), Lt(absl::Seconds(3)))));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "watch 10", "watch 11"));
}

// 22, 23.
TEST_F(WatcherTest, TooLargeVersionWaitsAndThenAsksHowFarTheClusterIs) {
  StartAt("10");
  const std::string body =
      R"({"kind":"Status","code":504,"reason":"Timeout","message":"Too large resource version: 10,)"
      R"( current: 9","details":{"retryAfterSeconds":1}})";
  WatchFails(StatusOfAnswer({.http_status = 504, .body = body}));
  ListAnswers(ListJson("12", {}));
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("unavailable DEADLINE_EXCEEDED", "resumed Web",
                                 "events: added a@11 to 11"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "list limit=1 ", "watch 10", "watch 11"));
  EXPECT_GE(waits_[0], absl::Seconds(1));
}

// 12: the waits grow to a cap.
TEST_F(WatcherTest, UnreachableServerIsTriedLessAndLessOften) {
  StartAt("10");
  group_ = Refused();
  options_.wait = [this](absl::Duration wait, const std::stop_token&) {
    waits_.push_back(wait);
    if (waits_.size() == 20) {
      stop_.request_stop();
    }
    return true;
  };
  EXPECT_THAT(Run(), ElementsAre("unavailable UNAVAILABLE")) << "said once";
  EXPECT_LT(waits_[0], absl::Seconds(1.3));
  EXPECT_THAT(std::vector(waits_.begin() + 6, waits_.end()),
              Each(AllOf(Ge(absl::Seconds(15)), Le(absl::Seconds(45)))));
}

// 2, 11, 35: a stream that breaks costs a probe, no list, and is no news.
TEST_F(WatcherTest, BrokenStreamIsProbedAndResumed) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}},
                {.error = TransportError(Code::kUnavailable, "reset", Sent::kPerhaps)}});
  ListAnswers(ListJson("11", {}));
  WatchAnswers({{.frames = {Change("ADDED", "b", "12")}}, End()});
  EXPECT_THAT(Run(),
              ElementsAre("resumed Web", "events: added a@11 to 11", "events: added b@12 to 12"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "list limit=1 ", "watch 11", "watch 12"));
  EXPECT_THAT(waits_, SizeIs(1));
}

TEST_F(WatcherTest, OutageIsNewsAndSoIsItsEnd) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}},
                {.error = TransportError(Code::kUnavailable, "reset", Sent::kPerhaps)}});
  ListFails(Refused());
  ListAnswers(ListJson("11", {}));
  WatchAnswers({{.frames = {}, .after = absl::Seconds(10), .ended = true}});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@11 to 11",
                                 "unavailable UNAVAILABLE", "resumed Web"));
}

// 1.
TEST_F(WatcherTest, SilentWatchIsGivenUpAndResumed) {
  StartAt("10");
  WatchAnswers({{.frames = {Bookmark("11")}, .after = absl::Seconds(60)},
                {.frames = {Bookmark("12")}, .after = absl::Seconds(89)}});
  ListAnswers(ListJson("12", {}));
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "bookmark 11", "bookmark 12"));
  EXPECT_EQ(clock_.Monotonic(), absl::Seconds(60 + 89 + 90));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "list limit=1 ", "watch 12"));
}

// 37.
TEST_F(WatcherTest, TimeoutsAreRandomAndOursIsLargerThanTheServers) {
  StartAt("10");
  for (int i = 0; i < 3; ++i) {
    std::vector<Reading> bookmarks;
    for (int minute = 0; minute < 20; ++minute) {
      bookmarks.push_back({.frames = {Bookmark("11")}, .after = absl::Minutes(1)});
    }
    WatchAnswers(std::move(bookmarks));
  }
  Run();
  ASSERT_THAT(timeouts_, SizeIs(4));
  EXPECT_THAT(timeouts_, Each(AllOf(Ge(absl::Seconds(300)), Le(absl::Seconds(600)))));
  EXPECT_NE(timeouts_[0], timeouts_[1]);
  EXPECT_GT(clock_.Monotonic(), timeouts_[0] + timeouts_[1] + timeouts_[2]);
  EXPECT_LT(clock_.Monotonic(), timeouts_[0] + timeouts_[1] + timeouts_[2] + absl::Minutes(5));
}

// 9, 13.
TEST_F(WatcherTest, MissingKindIsSaidAndLookedForEveryFewSeconds) {
  StartAt("10");
  group_ = Http(404, "404 page not found");
  options_.wait = [this](absl::Duration wait, const std::stop_token&) {
    waits_.push_back(wait);
    if (waits_.size() == 10) {
      group_ = ApiReply{200, kGroupJson};
    }
    return true;
  };
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  EXPECT_THAT(Run(),
              ElementsAre("unavailable NOT_FOUND", "resumed Web", "events: added a@11 to 11"));
  EXPECT_THAT(waits_, AllOf(SizeIs(10), Each(Le(absl::Seconds(5)))));
}

// 13.
TEST_F(WatcherTest, ForbiddenListIsSaidAndTriedSlowly) {
  ListFails(Http(403));
  ListAnswers(ListJson("10", {}));
  EXPECT_THAT(Run(), ElementsAre("unavailable PERMISSION_DENIED", "list: first list, by content",
                                 "page:", "listed 10"));
  EXPECT_THAT(waits_, ElementsAre(Ge(absl::Seconds(1))));
}

TEST_F(WatcherTest, UnauthorizedWatchKeepsTheBookmark) {
  StartAt("10");
  WatchFails(Http(401));
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  EXPECT_THAT(
      Run(), ElementsAre("unavailable UNAUTHENTICATED", "resumed Web", "events: added a@11 to 11"));
}

TEST_F(WatcherTest, ServerErrorAtTheBookmarkIsRetriedAndThenListed) {
  StartAt("10");
  for (int i = 0; i < 4; ++i) {
    WatchAnswers({{.frames = {ErrorFrame(500, "InternalError")}}});
  }
  ListAnswers(ListJson("20", {}));
  EXPECT_THAT(Run(), ElementsAre("unavailable UNAVAILABLE", "list: watch ends at the bookmark",
                                 "page:", "listed 20"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "watch 10", "watch 10", "watch 10",
                                     "list limit=500 ", "watch 20"));
}

// 20: a stale server must not take the store back.
TEST_F(WatcherTest, ListOlderThanTheBookmarkIsNotDelivered) {
  StartAt("100");
  WatchFails(Http(410));
  ListAnswers(ListJson("99", {ObjectJson("a", "1")}));
  ListAnswers(ListJson("99", {}));   // the probe
  ListAnswers(ListJson("101", {}));  // the probe again: the replica caught up
  ListAnswers(ListJson("102", {ObjectJson("a", "2")}));
  EXPECT_THAT(Run(), ElementsAre("list: bookmark expired, by content", "page: a@2", "listed 102"));
  EXPECT_THAT(waits_, SizeIs(2));
}

// 24.
TEST_F(WatcherTest, RestoredClusterIsNoticedWhenTheWatchIsSilent) {
  StartAt("100");
  WatchAnswers({});
  for (int i = 0; i < 4; ++i) {
    ListAnswers(ListJson("50", {}));
  }
  ListAnswers(ListJson("51", {ObjectJson("a", "40")}));
  WatchAnswers({{.frames = {Change("MODIFIED", "a", "52")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "rewound", "list: cluster rewound, by content",
                                 "page: a@40", "listed 51", "events: modified a@52 to 52"));
  EXPECT_LT(clock_.Monotonic(), absl::Minutes(3));
}

TEST_F(WatcherTest, RewindThatTheSinkCannotRecordIsFoundAgain) {
  StartAt("100");
  WatchAnswers({});
  for (int i = 0; i < 5; ++i) {
    ListAnswers(ListJson("50", {}));
  }
  ListAnswers(ListJson("51", {}));
  bool failed = false;
  sink_.on_line = [&](std::string_view line) {
    if (line == "rewound" && !std::exchange(failed, true)) {
      StartAt("100");
      return DataLoss("the disk");
    }
    return absl::OkStatus();
  };
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "rewound", "rewound",
                                 "list: cluster rewound, by content", "page:", "listed 51"));
}

// 24: writes to the restored cluster may take it past the bookmark before we are sure.
TEST_F(WatcherTest, ServerThatWasBehindIsListedByContentEvenIfItCatchesUp) {
  StartAt("100");
  WatchAnswers({});
  ListAnswers(ListJson("50", {}));
  ListAnswers(ListJson("101", {}));
  ListAnswers(ListJson("102", {}));
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "list: server was behind the bookmark, by content",
                                 "page:", "listed 102"));
}

TEST_F(WatcherTest, VersionsThatKnowNoOrderAreNeverOlder) {
  StartAt("abc");
  WatchAnswers({{.frames = {Change("ADDED", "a", "aaa"), Bookmark("007")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@aaa to 007"));
}

TEST_F(WatcherTest, EventsThatGoBackAreNotApplied) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "12"), Change("MODIFIED", "a", "11")}}});
  ListAnswers(ListJson("13", {}));  // the probe
  ListAnswers(ListJson("13", {ObjectJson("a", "12")}));
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@12 to 12",
                                 "list: versions went back", "page: a@12", "listed 13"));
}

TEST_F(WatcherTest, BookmarkBehindOursIsProbedAndResumed) {
  StartAt("10");
  WatchAnswers({{.frames = {Bookmark("9")}}});
  ListAnswers(ListJson("11", {}));
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@11 to 11"));
}

TEST_F(WatcherTest, UndecodableFrameIsQuarantinedAndAListFollows) {
  const std::string frames[] = {
      Frame("MODIFIED", R"({"metadata":{"name":"b","namespace":"shop","uid":"u"},"x":truth})"),
      Frame("MODIFIED", R"({"metadata":{"name":"b","namespace":"shop","uid":"u"}})"),
      Frame("BOOKMARK", R"({"metadata":{"name":"b","namespace":"shop","uid":"u"}})"),
  };
  for (const std::string& frame : frames) {
    WatchAnswers({{.frames = {Change("ADDED", "a", "11"), frame, Change("ADDED", "c", "13")}}});
  }
  StartAt("10");
  ListAnswers(ListJson("14", {ObjectJson("b", "12")}));
  watches_.resize(1);
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@11 to 11", "quarantined shop/b u",
                                 "list: undecodable frame", "page: b@12", "listed 14"));
}

TEST_F(WatcherTest, TextThatIsNoFrameIsQuarantined) {
  StartAt("10");
  WatchAnswers({{.frames = {"}"}}});
  ListAnswers(ListJson("14", {}));
  EXPECT_THAT(Run(), ElementsAre("quarantined  ", "list: undecodable frame", "page:", "listed 14"));
}

// 26.
TEST_F(WatcherTest, FrameBeyondTheLimitIsQuarantinedAndAListFollows) {
  StartAt("10");
  WatchAnswers({{.oversized = R"({"type":"ADDED")"}});
  ListAnswers(ListJson("14", {}));
  EXPECT_THAT(Run(), ElementsAre("quarantined  ", "list: undecodable frame", "page:", "listed 14"));
}

TEST_F(WatcherTest, UndecodableItemIsQuarantinedAndTheListCompletes) {
  ListAnswers(ListJson("10", {ObjectJson("a", "3"),
                              R"({"metadata":{"name":"b","namespace":"shop","uid":"u"},"x":truth})",
                              ObjectJson("c", "4")}));
  EXPECT_THAT(Run(), ElementsAre("list: first list, by content", "quarantined shop/b u",
                                 "page: a@3 c@4", "listed 10"));
}

TEST_F(WatcherTest, AnswerThatIsNoListIsNotTakenForOne) {
  ListAnswers(R"({"kind":"Status","metadata":{"resourceVersion":"7"},"status":"Success"})");
  ListAnswers("<html>");
  EXPECT_THAT(Run(), ElementsAre("unavailable UNAVAILABLE", "unavailable INVALID_ARGUMENT"));
}

// 33.
class SelectorTest : public WatcherTest {
 protected:
  SelectorTest() {
    stream_.label_selector = "app=web";
    StartAt("10");
    WatchAnswers(
        {{.frames = {Change("MODIFIED", "a", "11"), Change("DELETED", "b", "12")}}, End()});
  }

  void GetAnswers(absl::StatusOr<ApiReply> reply) {
    ON_CALL(api_, Get(_, _)).WillByDefault([=](const Target& target, const CallOptions&) {
      EXPECT_EQ(PathOf(target), "/apis/apps.example.com/v1/namespaces/shop/webs/b");
      return reply;
    });
  }
};

TEST_F(SelectorTest, WhatStillExistsHasLeftTheScope) {
  GetAnswers(ApiReply{200, ObjectJson("b", "12")});
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: modified a@11 to 11",
                                 "events: left-scope b@12 to 12"));
}

TEST_F(SelectorTest, WhatIsGoneIsDeleted) {
  GetAnswers(Http(404, R"({"kind":"Status","reason":"NotFound","details":{"name":"b"}})"));
  EXPECT_THAT(Run(), Contains("events: deleted b@12 to 12"));
}

TEST_F(SelectorTest, AnotherIncarnationMeansDeleted) {
  GetAnswers(ApiReply{200, ObjectJson("b", "13", "u-other")});
  EXPECT_THAT(Run(), Contains("events: deleted b@12 to 12"));
}

TEST_F(SelectorTest, WhoMayNotAskClaimsNoDeletion) {
  GetAnswers(Http(403));
  EXPECT_THAT(Run(), Contains("events: left-scope b@12 to 12"));
}

TEST_F(SelectorTest, ThePositionDoesNotPassWhatIsNotKnown) {
  GetAnswers(Refused());
  ListAnswers(ListJson("20", {}));
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: modified a@11 to 11"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "list limit=1 ", "watch 11"));
}

// Stream identity.
TEST_F(WatcherTest, ChangedCrdIsListedByContentAtTheStart) {
  StartAt("10", "crd/u/0");
  ListAnswers(ListJson("11", {ObjectJson("a", "3")}));
  EXPECT_THAT(Run(), ElementsAre("list: served differently, by content", "page: a@3", "listed 11"));
}

TEST_F(WatcherTest, ChangedCrdIsListedByContentAfterItsWatchEnded) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  sink_.on_line = [this](std::string_view line) {
    if (line.substr(0, 6) == "events") {
      crd_ = ApiReply{200, CrdJson("u", 2)};
    }
    return absl::OkStatus();
  };
  ListAnswers(ListJson("12", {}));
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@11 to 11",
                                 "list: served differently, by content", "page:", "listed 12"));
}

TEST_F(WatcherTest, CrdThatMayNotBeReadCostsAListAtTheStartOnly) {
  StartAt("10", "");
  crd_ = Http(403);
  ListAnswers(ListJson("11", {}));
  WatchAnswers({{.frames = {Change("ADDED", "a", "12")}}, End()});
  EXPECT_THAT(Run(), ElementsAre("list: served differently, by content", "page:", "listed 11",
                                 "events: added a@12 to 12"));
  EXPECT_THAT(requests_, ElementsAre("list limit=500 ", "watch 11", "watch 12"));
}

TEST_F(WatcherTest, SinkThatFailsIsAskedAgainWhereItIs) {
  StartAt("10");
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}});
  WatchAnswers({{.frames = {Change("ADDED", "a", "11")}}, End()});
  int calls = 0;
  sink_.on_line = [&](std::string_view line) {
    if (line.substr(0, 6) != "events" || ++calls > 1) {
      return absl::OkStatus();
    }
    StartAt("10");  // rolled back
    return DataLoss("the disk");
  };
  EXPECT_THAT(Run(), ElementsAre("resumed Web", "events: added a@11 to 11", "resumed Web",
                                 "events: added a@11 to 11"));
  EXPECT_THAT(requests_, ElementsAre("watch 10", "watch 10", "watch 11"));
  EXPECT_THAT(waits_, SizeIs(1));
}

}  // namespace
}  // namespace logbook::k8s
