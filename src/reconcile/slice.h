// Slice: which events of a journal are about one object, and about what came of it.
//
// Shape:    first it is shown the base and all events, which tell who owns whom and who wrote what;
//           then Close works out the objects: the one that was named, in all its incarnations, what
//           has it as controller, what decisions for it wrote to, and so on from those. Then it is
//           shown the events again, in order, and says of each whether it is part of the slice.
// Part of it are also changes of streams, starts and gaps: without them the view would not be the
//           one that was. Decisions about an object of the slice are in it together with all their
//           outcomes.
// Cost:     memory for each object there was, some 200 bytes.
// Threads:  Confined.
#ifndef LOGBOOK_RECONCILE_SLICE_H_
#define LOGBOOK_RECONCILE_SLICE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"

namespace logbook::reconcile {

class Slice {
 public:
  explicit Slice(const ObjectRef& object) : root_(ObjectPath(object.resource, object.key)) {}

  void ShowBase(const ViewState& base);
  void Show(const Event& event);
  void Close();

  // Whether the object was in what was shown.
  bool Knows() const { return uids_.contains(root_) || writes_.contains(root_); }

  // After Close.
  bool HasObject(const std::string& path) const { return objects_.contains(path); }  // ObjectPath

  // In the order of seq, from the base on.
  bool Takes(const Event& event);

  // What of `base` is part of it; streams and build always are.
  ViewState PartOf(const ViewState& base) const;

 private:
  void ShowObject(const std::string& path, std::string_view uid, std::string_view controller_uid);
  bool IsAbout(const Event& event) const;
  bool HasKey(const ControllerKey& key) const;
  bool MarksOneOfUs(const Event& event) const;
  void LearnControllers(const BuildStarted& build);

  const std::string root_;
  std::map<std::string, std::set<std::string>> uids_;    // of each path
  std::map<std::string, std::set<std::string>> owned_;   // paths, by the controller's uid
  std::map<std::string, std::set<std::string>> writes_;  // targets, by the path of the decision's
  std::map<std::string, std::string> resources_;         // by controller, of its keys
  std::set<std::string> objects_;                        // of the slice, their paths
  EventSeq base_;
  std::set<EventSeq> decisions_;  // of the slice, so far
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_SLICE_H_
