// View: what a reconciler may look at: everything as the journal says it was at one seq.
//
// Shape:    reads by key, by namespace and by owner, in the order of names. Only kinds that the
//           controller declared can be read; another is an error that names it, kept in status()
//           until the reconcile is over, and the plan is then not carried out.
// Units:    Now() is recorded with the decision; there is no other time.
// Threads:  Confined: it caches the trees it has parsed. Copying takes a fresh cache and is cheap.
// Owns:     its state, which stays what it was for as long as the View is held.
#ifndef LOGBOOK_MODEL_VIEW_H_
#define LOGBOOK_MODEL_VIEW_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "logbook/model/redactor.h"
#include "logbook/model/view_state.h"

namespace logbook {

// What a controller declared that it reads: resources as "deployments.apps".
struct ViewScope {
  std::string controller;
  std::set<std::string, std::less<>> resources;
  const Redactor* redactor = nullptr;  // what made the view's objects what they are; null: nothing
};

class View {
 public:
  // `scope` outlives the view.
  View(ViewStatePtr state, const ViewScope& scope, absl::Time now);
  View(const View& other);
  View& operator=(const View&) = delete;

  EventSeq seq() const { return state_->seq; }

  // The time the decision is made at, recorded with it.
  absl::Time Now() const { return now_; }

  // The object, or nullptr if it is not there. The tree stands as long as this View.
  const Json* Get(std::string_view resource, const ObjectKey& key) const;

  // The same without building a tree.
  ObjectPtr Find(std::string_view resource, const ObjectKey& key) const;

  // All of a kind in a namespace ("" for cluster-scoped kinds), by name.
  std::vector<ObjectPtr> List(std::string_view resource, std::string_view ns) const;

  // The objects of a kind whose controller reference carries `owner_uid`, by namespace and name.
  std::vector<ObjectPtr> ListOwned(std::string_view resource, std::string_view owner_uid) const;

  // The tree of an object that came from this View.
  const Json& Tree(const ObjectPtr& object) const;

  // What the journal says about the key being reconciled; nullptr before its first decision.
  const KeyState* KeyOf(const ObjectKey& key) const;

  // What the effect on `target` came to in the last plan of `key`; nullptr if that had none.
  const EffectState* LastEffect(const ObjectKey& key, EffectKind kind, std::string_view resource,
                                const ObjectKey& target) const;

  // `object` as the view would have it: sensitive values replaced. What is compared with something
  // of the view must be redacted first.
  Json Redacted(std::string_view resource, Json object) const;
  std::string RedactedBody(const Effect& effect) const;
  bool HoldsHash(const Effect& effect) const;
  // Whether objects of this kind are not as the server has them.
  bool IsRedacted(std::string_view resource) const;

  // OK, or the first read of a kind that was not declared.
  const absl::Status& status() const { return status_; }

 private:
  bool MayRead(std::string_view resource) const;

  const ViewStatePtr state_;
  const ViewScope& scope_;
  const absl::Time now_;
  mutable std::map<const Object*, std::unique_ptr<const Json>> trees_;
  mutable absl::Status status_;
};

}  // namespace logbook

#endif  // LOGBOOK_MODEL_VIEW_H_
