// The watcher over HTTP, against a server that misbehaves on the wire.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "watcher_harness.h"
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "logbook/k8s/http_api_client.h"
#include "logbook/k8s/watcher.h"
#include "logbook/support/scripted_server.h"
#include "logbook/support/status_matchers.h"

namespace logbook::k8s {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WatcherWireTest : public ::testing::Test {
 protected:
  WatcherWireTest() {
    server_.On(Concat("GET ", kGroupPath), Reply(200, kGroupJson));
    server_.On(Concat("GET ", kCrdPath), Reply(200, CrdJson("u", 1)));
    sink_.SetPosition({"10", "crd/u/1", true});
    options_.wait = [](absl::Duration, const std::stop_token& stop) {
      return !stop.stop_requested();
    };
  }

  ~WatcherWireTest() override { Stop(); }

  void OnWatch(ServerScript script) {
    server_.On(Concat("GET ", kWebsPath, "?watch=1"), std::move(script));
  }

  void OnList(ServerScript script) {
    server_.On(Concat("GET ", kWebsPath, "?limit=500"), std::move(script));
  }

  void OnProbe(ServerScript script) {
    server_.On(Concat("GET ", kWebsPath, "?limit=1"), std::move(script));
  }

  void Start() {
    Config config;
    config.cluster.server = server_.url();
    auto client = HttpApiClient::Create(config, {}, SystemClock(), Logger());
    ASSERT_OK(client);
    api_ = *std::move(client);
    watcher_ = std::make_unique<Watcher>(StreamIdentity{.cluster = "c", .resource = kWebs}, *api_,
                                         sink_, SystemClock(), Logger(), 1, options_);
    thread_ = std::jthread([this](std::stop_token stop) { watcher_->Run(std::move(stop)); });
  }

  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  ScriptedServer server_;
  RecordingSink sink_;
  WatcherOptions options_;
  std::unique_ptr<HttpApiClient> api_;
  std::unique_ptr<Watcher> watcher_;
  std::jthread thread_;
};

TEST_F(WatcherWireTest, ResumesAtTheBookmarkAndStopsAtOnce) {
  OnWatch(Stream({Change("ADDED", "a", "11") + "\n"}, WhenDone::kHold));
  Start();
  EXPECT_TRUE(sink_.WaitFor("events: added a@11 to 11"));
  Stop();
  EXPECT_THAT(server_.Unscripted(), IsEmpty());
  EXPECT_THAT(server_.RequestsTo(kWebsPath), ::testing::SizeIs(1)) << "no list";
}

TEST_F(WatcherWireTest, QuietWatchResumes) {
  OnWatch(Stream({}, WhenDone::kHold));
  Start();
  EXPECT_TRUE(sink_.WaitFor("resumed Web"));
}

// 25.
TEST_F(WatcherWireTest, FramesMayBeCutAnywhere) {
  const std::string frame =
      Frame("ADDED", R"({"metadata":{"name":"a","resourceVersion":"11","annotations":{"t":")"
                     "\xe2\x80\xa8\xf0\x9f\x93\x93\"}}}") +
      "\n";
  std::vector<std::string> bytes;
  for (char c : frame) {
    bytes.emplace_back(1, c);
  }
  OnWatch(Stream(bytes, WhenDone::kHold));
  Start();
  EXPECT_TRUE(sink_.WaitFor("events: added a@11 to 11"));
}

// 8, 15: the error comes alone, unchunked, and ends the connection.
TEST_F(WatcherWireTest, UnchunkedExpiryIsUnderstood) {
  OnWatch(Reply(200, ErrorFrame(410, "Expired") + "\n"));
  OnWatch(Stream({}, WhenDone::kHold));
  OnList(Reply(200, ListJson("20", {ObjectJson("a", "15")})));
  Start();
  EXPECT_TRUE(sink_.WaitFor("listed 20"));
  EXPECT_THAT(sink_.Lines(), ElementsAre("list: bookmark expired", "page: a@15", "listed 20"));
}

// 2, 35.
TEST_F(WatcherWireTest, RecoversFromEveryWayAStreamCanBreak) {
  OnWatch(Stream({Change("ADDED", "a", "11") + "\n", "{\"type\":\"ADD"}, WhenDone::kClose));
  OnWatch(ResetConnection());
  OnWatch(Disconnect());
  OnWatch(Reply(503, "<html>"));
  OnWatch(Stream({Change("ADDED", "b", "12") + "\n"}, WhenDone::kEnd));
  OnWatch(Stream({Change("ADDED", "c", "13") + "\n"}, WhenDone::kHold));
  OnProbe(Reply(200, ListJson("13", {})));
  Start();
  EXPECT_TRUE(sink_.WaitFor("events: added c@13 to 13"));
  EXPECT_THAT(sink_.Lines(), Contains("events: added b@12 to 12"));
  EXPECT_THAT(sink_.Lines(), ::testing::Not(Contains(::testing::StartsWith("list"))));
}

size_t OpenDescriptors() {
  size_t count = 0;
  DIR* dir = opendir("/proc/self/fd");
  while (readdir(dir) != nullptr) {
    ++count;
  }
  closedir(dir);
  return count;
}

// 36.
TEST_F(WatcherWireTest, ManyReconnectionsLeaveNothingBehind) {
  constexpr int kCycles = 300;
  std::atomic<int> watches = 0;
  std::atomic<size_t> descriptors_early = 0, descriptors_late = 0;
  OnWatch([&](const ServerRequest& request, ServerConnection& connection) {
    const int number = ++watches;
    if (number == 20) {
      descriptors_early = OpenDescriptors();
    }
    if (number == kCycles) {
      descriptors_late = OpenDescriptors();
      Stream({Change("ADDED", "end", "1000000") + "\n"}, WhenDone::kHold)(request, connection);
    } else if (number % 2 == 0) {
      Stream({ErrorFrame(410, "Expired") + "\n"}, WhenDone::kHold)(request, connection);
    } else {
      Stream({Bookmark(std::to_string(1000 + number)) + "\n"}, WhenDone::kReset)(request,
                                                                                 connection);
    }
  });
  OnList([&](const ServerRequest& request, ServerConnection& connection) {
    Reply(200, ListJson(std::to_string(1000 + watches), {}))(request, connection);
  });
  OnProbe(Reply(200, ListJson("999999", {})));
  Start();
  EXPECT_TRUE(sink_.WaitFor("events: added end@1000000 to 1000000"));
  Stop();
  EXPECT_NEAR(static_cast<double>(descriptors_late), static_cast<double>(descriptors_early), 10);
}

}  // namespace
}  // namespace logbook::k8s
