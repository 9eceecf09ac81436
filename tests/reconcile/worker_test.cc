#include "logbook/reconcile/worker.h"

#include <atomic>

#include "runner_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace logbook::reconcile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Return;
using ::testing::SizeIs;

// Workers on a real queue, runner and journal; the reconciler is the test's.
class WorkerTest : public WatchedJournalTest {
 protected:
  WorkerTest() : WatchedJournalTest({Spec()}) {}

  ~WorkerTest() override { StopAll(); }

  void SetUp() override {
    published_ = [this](const Publication& publication) {
      for (const ControllerKey& key : publication.keys) {
        queue_.Update(key, publication.view->FindKey(key));
      }
    };
    WatchedJournalTest::SetUp();
    recorder_ = std::make_unique<OutcomeRecorder>(*writer_, marks_);
    runner_ =
        std::make_unique<EffectRunner>(performer_, *recorder_, 1, clock_, Logger(),
                                       [this](const ControllerKey& key) { queue_.Release(key); });
    queue_.SetOpen(true);
  }

  void StartWorkers(int threads = 1) {
    workers_ =
        std::make_unique<WorkerPool>(specs_, queue_, *writer_, *runner_, threads, clock_, Logger());
  }

  // As a session stops them: what was decided is carried out.
  void StopAll() {
    if (workers_ != nullptr) {
      workers_->Stop();
    }
    if (writer_ != nullptr) {
      EXPECT_OK(writer_->SubmitAndWait([](Draft&) {}));
    }
    if (runner_ != nullptr) {
      EXPECT_TRUE(runner_->Drain(kPatience));
      runner_->Stop();
    }
  }

  EventSeq Observe(const Json& app) {
    return Add(ObservedEvent(ChangeType::kModified, app, {MarkOf("web")}));
  }

  // Waits until a published view fulfils `condition`.
  void WaitFor(const std::function<bool(const ViewState&)>& condition) {
    absl::MutexLock lock(&mu_);
    const auto met = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
      return !publications_.empty() && condition(*publications_.back().view);
    };
    EXPECT_TRUE(mu_.AwaitWithTimeout(absl::Condition(&met), kPatience));
  }

  static bool IsClean(const ViewState& view) {
    const KeyState* state = view.FindKey(Key("web"));
    return state != nullptr && !state->dirty() && !state->open;
  }

  ReconcileFn reconcile_ = [](const View&, const ObjectKey&) {
    return Plan::AwaitChange("settled");
  };
  ::testing::StrictMock<k8s::MockApiClient> api_;
  EffectPerformer performer_{api_, clock_};
  WorkQueue queue_{clock_};
  std::unique_ptr<OutcomeRecorder> recorder_;
  std::unique_ptr<EffectRunner> runner_;
  std::unique_ptr<WorkerPool> workers_;

 private:
  OperatorSpec Spec() {
    absl::StatusOr<OperatorSpec> spec =
        Operator("simpleapp")
            .For("apps.bootcamp.local/v1/simpleapps", "SimpleApp")
            .Owns("apps/v1/deployments")
            .Effects({EffectKind::kApply})
            .Reconciles(
                [this](const View& view, const ObjectKey& key) { return reconcile_(view, key); })
            .Build();
    LOGBOOK_CHECK(spec.ok());
    return *std::move(spec);
  }
};

TEST_F(WorkerTest, DirtyKeyIsDecidedWithItsCausesAndLeavesTheQueue) {
  const EventSeq cause = Observe(App("web", "u1", 10));
  StartWorkers();
  WaitFor(IsClean);
  StopAll();
  const Event event = Events().back();
  ASSERT_EQ(event.kind(), EventKind::kDecided);
  EXPECT_THAT(event.causes, ElementsAre(cause));
  EXPECT_EQ(event.subjects.front().uid, "u1");
  EXPECT_EQ(std::get<Decided>(event.body).reason, "settled");
  EXPECT_EQ(workers_->counts().decided, 1u);
  EXPECT_EQ(queue_.depth() + queue_.in_hand(), 0u);
}

TEST_F(WorkerTest, PlanIsOnTheDiskBeforeItsFirstEffectLeaves) {
  reconcile_ = [](const View& view, const ObjectKey& key) {
    Plan plan = Plan::AwaitChange("Deployment is missing");
    if (view.Find(kDeployments, key) == nullptr) {
      plan.Add(ApplyEffect());
    }
    return plan;
  };
  bool synced = false;
  EXPECT_CALL(api_, Apply).WillOnce([&](auto&&...) {
    synced = journal_->last_synced() >= KeyOf("web").decided && KeyOf("web").open;
    return Answer(DeploymentOf("web", "u1", "d1", 12), kHttpCreated);
  });
  Observe(App("web", "u1", 10));
  StartWorkers();
  WaitFor(IsClean);
  StopAll();
  EXPECT_TRUE(synced);
  EXPECT_EQ(queue_.in_hand(), 0u);
}

TEST_F(WorkerTest, DecisionWithoutEffectsIsNotSynced) {
  Observe(App("web", "u1", 10));
  const EventSeq before = journal_->last_synced();
  StartWorkers();
  WaitFor(IsClean);
  EXPECT_EQ(journal_->last_synced(), before);
}

TEST_F(WorkerTest, DecisionThatRepeatsTheLastIsCountedAndNotRecorded) {
  std::atomic<int> calls = 0;
  absl::Notification third;
  reconcile_ = [&](const View&, const ObjectKey&) {
    if (++calls == 3) {
      third.Notify();
    }
    return Plan::RequeueAfter(absl::ZeroDuration(), "look again");
  };
  Observe(App("web", "u1", 10));
  StartWorkers();
  EXPECT_TRUE(third.WaitForNotificationWithTimeout(kPatience));
  StopAll();
  EXPECT_THAT(Bodies<Decided>(), SizeIs(1));
  EXPECT_EQ(workers_->counts().decided, 1u);
  EXPECT_GE(workers_->counts().repeated, 2u);
}

TEST_F(WorkerTest, DecisionThatNeedsNoTimeAnyMoreIsRecordedAndStopsTheTimer) {
  std::atomic<int> calls = 0;
  reconcile_ = [&](const View&, const ObjectKey&) {
    return ++calls == 1 ? Plan::RequeueAfter(absl::ZeroDuration(), "same reason")
                        : Plan::AwaitChange("same reason");
  };
  Observe(App("web", "u1", 10));
  StartWorkers();
  WaitFor([](const ViewState& view) {
    return IsClean(view) && view.FindKey(Key("web"))->due == absl::InfiniteFuture();
  });
  StopAll();
  EXPECT_THAT(Bodies<Decided>(), SizeIs(2));
  EXPECT_EQ(calls, 2);
}

TEST_F(WorkerTest, ReconcileOverItsBudgetIsCounted) {
  reconcile_ = [this](const View&, const ObjectKey&) {
    clock_.Advance(2 * WorkerPool::kBudget);  // the fake clock is the processor's too
    return Plan::AwaitChange("slow");
  };
  Observe(App("web", "u1", 10));
  StartWorkers();
  WaitFor(IsClean);
  StopAll();
  EXPECT_EQ(workers_->counts().over_budget, 1u);
}

TEST_F(WorkerTest, ChangeDuringAReconcileIsDecidedOnNext) {
  absl::Notification entered;
  absl::Notification go_on;
  std::atomic<int> calls = 0;
  reconcile_ = [&](const View&, const ObjectKey&) {
    if (++calls == 1) {
      entered.Notify();
      go_on.WaitForNotification();
    }
    return Plan::AwaitChange("settled");
  };
  Observe(App("web", "u1", 10));
  StartWorkers(/*threads=*/2);
  entered.WaitForNotification();
  const EventSeq meanwhile = Observe(App("web", "u1", 11));
  go_on.Notify();
  WaitFor(IsClean);
  StopAll();
  ASSERT_EQ(calls, 2);
  EXPECT_THAT(Events().back().causes, ElementsAre(meanwhile));
}

TEST_F(WorkerTest, StoppedWorkersTakeNoKey) {
  StartWorkers();
  workers_->Stop();
  Observe(App("web", "u1", 10));
  EXPECT_THAT(Bodies<Decided>(), IsEmpty());
  EXPECT_EQ(queue_.depth(), 1u);
}

}  // namespace
}  // namespace logbook::reconcile
