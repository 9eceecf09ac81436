// Observation: what was seen, on its way to becoming an event: compared with the view, so that the
// event says whether anything changed and whom it concerns.
//
// Confined to the journal's writer.
#ifndef LOGBOOK_RECONCILE_OBSERVATION_H_
#define LOGBOOK_RECONCILE_OBSERVATION_H_

#include "logbook/model/event.h"
#include "logbook/model/view_state.h"
#include "logbook/reconcile/marks.h"
#include "logbook/reconcile/writer.h"

namespace logbook::reconcile {

struct Observation {
  ChangeType change = ChangeType::kModified;
  Origin origin = Origin::kWatch;
  StreamId stream;
  Resource resource;
  ObjectPtr object;
  bool listed = false;        // enters the view with the rest of its list
  bool low_priority = false;  // of a first list
};

// Adds the Observed event. A frame that changes nothing is recorded all the same, and marks nobody.
EventSeq AddObservation(Draft& draft, const MarkTable& marks, const Observation& observation);

// The stream whose objects of this resource and namespace enter the view; 0 if none is watched.
StreamId StreamOf(const ViewState& view, const Resource& resource, const std::string& ns);

// Whether `object`, coming by `stream`, would enter the view: not of a dead incarnation, nor older
// than what is there, whichever incarnation that is. After a rewind everything does.
bool IsNews(const ViewState& view, StreamId stream, const std::string& resource,
            const Object& object);

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_OBSERVATION_H_
