// Between the structs of the model and the messages on disk, one pair of functions per message.
// Private to the codecs of this folder and of the store.
//
// Errors of the From… functions: none; unknown enum numbers are kept and print as "unknown", as a
// newer minor format may have added them.
#ifndef LOGBOOK_MODEL_PROTO_CONVERT_H_
#define LOGBOOK_MODEL_PROTO_CONVERT_H_

#include "absl/time/time.h"

#include "logbook/model/event.h"
#include "logbook/v1/record.pb.h"

namespace logbook {

// Nanoseconds since 1970; the infinities become 0, which no event of ours carries as a time.
int64_t ToNanos(absl::Time time);
absl::Time FromNanos(int64_t nanos, absl::Time if_zero);

v1::ObjectRef ToProto(const ObjectRef& ref);
ObjectRef FromProto(const v1::ObjectRef& proto);

v1::Resource ToProto(const Resource& resource);
Resource FromProto(const v1::Resource& proto);

v1::Mark ToProto(const Mark& mark);
Mark FromProto(const v1::Mark& proto);

v1::Effect ToProto(const Effect& effect);
Effect FromProto(const v1::Effect& proto);

v1::StreamIdentity ToProto(const StreamIdentity& identity);
StreamIdentity FromProto(const v1::StreamIdentity& proto);

// The key of a Decided or an Outcome travels as controller + ObjectRef.
v1::ObjectRef KeyToProto(const ControllerKey& key, const std::string& resource,
                         const std::string& uid);
ControllerKey KeyFromProto(const std::string& controller, const v1::ObjectRef& proto);

v1::StreamChanged ToProto(const StreamChanged& body);
StreamChanged FromProto(const v1::StreamChanged& proto);

v1::Decided ToProto(const Decided& body);
Decided FromProto(const v1::Decided& proto);

v1::Outcome ToProto(const OutcomeRecorded& body);
OutcomeRecorded FromProto(const v1::Outcome& proto);

v1::Build ToProto(const BuildStarted& body);
BuildStarted FromProto(const v1::Build& proto);

}  // namespace logbook

#endif  // LOGBOOK_MODEL_PROTO_CONVERT_H_
