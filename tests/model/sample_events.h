// One event of every kind with no field left at its default, so that what a codec forgets is seen.
#ifndef LOGBOOK_TESTS_MODEL_SAMPLE_EVENTS_H_
#define LOGBOOK_TESTS_MODEL_SAMPLE_EVENTS_H_

#include <string_view>
#include <vector>

#include "logbook/model/event.h"

namespace logbook {

// `text` stands in every field that takes free text.
std::vector<Event> SampleEvents(std::string_view text = "some text");

}  // namespace logbook

#endif  // LOGBOOK_TESTS_MODEL_SAMPLE_EVENTS_H_
