// What the API server says we wrote is the truth that our journal is held to, joined by Audit-ID.
#include <map>
#include <string>

#include "app_test.h"

namespace logbook::e2e {
namespace {

class AuditTest : public AppTest {
 protected:
  // Every operation id that the journal says was sent, and whether it succeeded.
  std::map<std::string, bool> SentOperations(const std::vector<Event>& events) {
    std::map<EventSeq, RunId> runs;
    for (const Event& event : events) {
      runs[event.seq] = event.run;
    }
    std::map<std::string, bool> sent;
    for (const auto* outcome : BodiesOf<OutcomeRecorded>(events)) {
      const Outcome& o = outcome->outcome;
      if (o.kind != OutcomeKind::kSkipped && !outcome->target.plural.empty()) {
        sent[OperationId(runs[o.decided], o.decided, o.ordinal)] =
            o.kind == OutcomeKind::kSucceeded;
      }
    }
    return sent;
  }
};

TEST_F(AuditTest, EveryWriteIsInTheJournalUnderItsAuditIdAndNoOthersAre) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"host", "web.example"}});
  ApplyApp("bad", {{"image", "nginx:1.27"}, {"host", "Foo_Bar"}});
  WaitAvailable("web");
  ASSERT_TRUE(Eventually([&] { return Phase("bad") == "Failed"; }));
  PatchSpec("web", {{"image", "nginx:1.28"}});
  WaitAvailable("web");
  Delete("deployment", "web");
  ASSERT_TRUE(Eventually([&] { return !GetDeployment("web").is_null(); }));
  WaitAvailable("web");
  DeleteApp("web");
  DeleteApp("bad");
  WaitGone("web");
  WaitGone("bad");
  StopAndVerify();
  std::map<std::string, bool> sent = SentOperations(manager_.Journal());
  for (const Json& write : WritesToObjectsBy(cluster_, manager_.user())) {
    const std::string id = JsonString(write, {"auditID"});
    const auto found = sent.find(id);
    ASSERT_NE(found, sent.end()) << "not in the journal: " << DumpJson(write);
    const bool succeeded = JsonInt(write, {"responseStatus", "code"}) < 300;
    EXPECT_EQ(found->second, succeeded) << id;
    sent.erase(found);
  }
  EXPECT_TRUE(sent.empty()) << "not in the audit log: " << sent.begin()->first;
}

// A write whose answer differs from what was there in nothing that we own is a write too many.
TEST_F(AuditTest, EveryWriteChangedSomething) {
  manager_.StartReady();
  ApplyApp("web", {{"image", "nginx:1.27"}, {"host", "web.example"}, {"replicas", 3}});
  WaitAvailable("web");
  PatchSpec("web", {{"replicas", 1}});
  WaitAvailable("web");
  StopAndVerify();
  EXPECT_THAT(WritesThatChangedNothing(cluster_, manager_.user(), ns()), ::testing::IsEmpty());
}

}  // namespace
}  // namespace logbook::e2e
