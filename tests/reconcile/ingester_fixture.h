// IngesterTest: the stream of SimpleApps, brought into a real journal by hand.
#ifndef LOGBOOK_TESTS_RECONCILE_INGESTER_FIXTURE_H_
#define LOGBOOK_TESTS_RECONCILE_INGESTER_FIXTURE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "journal_fixture.h"

#include "logbook/reconcile/ingester.h"

namespace logbook::reconcile {

class IngesterTest : public WatchedJournalTest {
 protected:
  void SetUp() override {
    WatchedJournalTest::SetUp();
    sources_.Add(kAppStream, "simpleapps");
    Begin({});
  }

  // An ingester as at the start of a process whose bookmark is `position`.
  void Begin(k8s::StreamPosition position, const std::string& selector = "") {
    ingester_ = std::make_unique<Ingester>(
        kAppStream, StreamIdentity{.resource = AppResource(), .label_selector = selector},
        std::move(position), *writer_, marks_, sources_, Logger());
  }

  // Waits for everything that was submitted.
  void Flush() {
    EXPECT_OK(writer_->SubmitAndWait([](Draft&) {}));
  }

  void StartList(bool compare_content = false) {
    EXPECT_OK(ingester_->OnListStarted({.served = {.resource = AppResource(), .served_by = "crd"},
                                        .reason = "test",
                                        .compare_content = compare_content}));
  }

  void Page(const std::vector<Json>& objects) {
    std::vector<ObjectPtr> made;
    for (const Json& object : objects) {
      made.push_back(MakeObject(object));
    }
    EXPECT_OK(ingester_->OnListPage(std::move(made)));
  }

  void EndList(std::string_view version) {
    EXPECT_OK(ingester_->OnListed(version));
    Flush();
  }

  // A whole list; what it brought.
  std::vector<std::string> List(const std::vector<Json>& objects, std::string_view version) {
    const EventSeq before = view()->seq;
    StartList();
    Page(objects);
    EndList(version);
    return Changes(before);
  }

  void Watch(ChangeType change, const Json& object) {
    EXPECT_OK(ingester_->OnEvents({{.change = change, .object = MakeObject(object)}},
                                  JsonString(object, {"metadata", "resourceVersion"})));
    Flush();
  }

  // "modified web u1 10" of every observation after `after`.
  std::vector<std::string> Changes(EventSeq after) const {
    std::vector<std::string> changes;
    for (const Observed& observed : Bodies<Observed>(after)) {
      changes.push_back(Concat(ToString(observed.change), " ", observed.object->name(), " ",
                               observed.object->uid(), " ", observed.object->resource_version()));
    }
    return changes;
  }

  // The stream's bookmark on disk; empty: none.
  std::string Bookmark() const {
    const auto bookmarks = journal_->Bookmarks();
    EXPECT_OK(bookmarks);
    const auto found = bookmarks->find(kAppStream);
    return found == bookmarks->end() ? "" : found->second.resource_version;
  }

  StreamState Stream() const { return *view()->streams.Find(kAppStream); }

  Sources sources_{[] {}};
  std::unique_ptr<Ingester> ingester_;
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_TESTS_RECONCILE_INGESTER_FIXTURE_H_
