// Runtime: runs operators on one cluster and one journal, until it is stopped.
//
// How:      everything that depends on one opening of the journal is a session (session.h). When
// the
//           journal can no longer be written, the session is taken down and another one begins, the
//           way the process would after a crash (ADR 0002).
// Errors:   Run returns what a person has to decide: the store is another's, damaged, in use, of a
//           newer format; nothing was written to it then. What passes by itself is waited for.
// Threads:  Run blocks; the checks are thread-safe and may be called before and during it.
//
// Example
//   Runtime runtime(options, {*SimpleAppOperator({})}, *api, SystemClock(), log);
//   absl::Status status = runtime.Run(stop);
#ifndef LOGBOOK_RECONCILE_RUNTIME_H_
#define LOGBOOK_RECONCILE_RUNTIME_H_

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/reconcile/operator.h"
#include "logbook/reconcile/retention.h"

namespace logbook::k8s {
class ApiClient;
}

namespace logbook::reconcile {

class Session;

struct RuntimeOptions {
  std::string data_dir;       // of the store; made if it is not there
  std::string operator_name;  // whose store it is, "simpleapp-operator"
  std::string anchor_ns;      // namespace for the store's anchor
  // What tells this cluster from others where the uid of namespace kube-system may not be read.
  std::string cluster_fallback;
  std::vector<std::string> namespaces;  // to watch; empty: all
  std::string build_id;  // changes with the program: then every object is looked at once
  std::string version;   // for people
  // Makes hashes of sensitive values; at least 16 bytes, kept outside of the volume. Needed by
  // operators that watch or write kinds with sensitive fields.
  std::string redaction_key;
  bool require_history = false;  // refuse to begin anew where the cluster remembers a store
  bool strict = false;           // sync every event, not just those that something depends on
  RetentionPolicy retention;
  // Room that the volume must have for news to be taken in; less is left for what we do ourselves.
  uint64_t disk_reserve = uint64_t{128} << 20;
  int workers = 1;                                      // reconciles at a time; each key by one
  int effect_runners = 16;                              // plans carried out at a time
  absl::Duration graceful_timeout = absl::Seconds(15);  // for plans in hand when stopping

  // The first fault, by the field's name.
  absl::Status Validate() const;
};

class Runtime {
 public:
  // `api` and `clock` outlive the runtime.
  Runtime(RuntimeOptions options, std::vector<OperatorSpec> specs, k8s::ApiClient& api,
          const Clock& clock, Logger log);
  ~Runtime();

  // OK once `stop` was requested and everything is down.
  absl::Status Run(const std::stop_token& stop);

  // OK if every source is synced; else which is not, and why.
  absl::Status CheckSources() const;

  // OK if the journal is open and takes writes.
  absl::Status CheckJournal() const;

 private:
  // Errors: kUnavailable and the like if the server could not be reached for a while.
  absl::StatusOr<std::string> FindCluster(const std::stop_token& stop);
  absl::Status CheckRedaction() const;
  bool ShortOfSpace(const absl::Status& status) const;
  // Until the volume has room to open the journal again.
  void AwaitSpace(const std::stop_token& stop);
  absl::Status RunSession(const std::string& cluster, const std::stop_token& stop);
  std::shared_ptr<Session> session() const;

  const RuntimeOptions options_;
  const Redactor redactor_;
  const std::vector<OperatorSpec> specs_;
  k8s::ApiClient& api_;
  const Clock& clock_;
  const Logger log_;

  mutable absl::Mutex mu_;
  std::shared_ptr<Session> session_ ABSL_GUARDED_BY(mu_);
};

}  // namespace logbook::reconcile

#endif  // LOGBOOK_RECONCILE_RUNTIME_H_
