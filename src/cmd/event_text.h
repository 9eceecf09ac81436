// Events for people and for programs.
#ifndef LOGBOOK_CMD_EVENT_TEXT_H_
#define LOGBOOK_CMD_EVENT_TEXT_H_

#include <string>

#include "logbook/base/json.h"
#include "logbook/model/event.h"

namespace logbook::cmd {

// All of it; objects and plans as JSON values. Keys are stable.
Json EventAsJson(const Event& event);

// One line: seq, time, kind, what, caused by.
std::string EventAsLine(const Event& event);

}  // namespace logbook::cmd

#endif  // LOGBOOK_CMD_EVENT_TEXT_H_
