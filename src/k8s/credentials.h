// Credentials: what requests carry to be trusted, kept fresh while files rotate and tokens expire.
//
// Shape:    Get before every request; Refused after a 401, then Get again.
// Errors:   kUnauthenticated names the certificate that expired or the plugin that failed;
//           kInvalidArgument and kNotFound a file. A file that cannot be read any more leaves what
//           was read before in use.
// Threads:  Thread-safe. One thread refreshes while the others wait for it, or go on with what is
//           still good.
// Cost:     files are read again at most every minute (tokens) or five (certificates).
#ifndef LOGBOOK_K8S_CREDENTIALS_H_
#define LOGBOOK_K8S_CREDENTIALS_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#include "logbook/base/clock.h"
#include "logbook/base/log.h"
#include "logbook/base/status.h"
#include "logbook/k8s/config.h"
#include "logbook/k8s/exec_credential.h"
#include "logbook/k8s/http.h"

namespace logbook::k8s {

struct Credential {
  std::vector<std::string> headers;  // "Authorization: …", "Impersonate-User: …"; secret
  std::shared_ptr<const TlsSettings> tls;
  uint64_t version = 0;  // grows with every refresh
};

class Credentials {
 public:
  using ExecRunner = std::function<absl::StatusOr<ExecCredential>(
      const ExecPlugin&, const ClusterConfig&, std::string_view ca_pem, const std::stop_token&)>;

  // Reads the files once, so that what is wrong with them is said at the start; runs no plugin yet.
  // `clock` outlives the object. Tests replace `exec`.
  static absl::StatusOr<std::unique_ptr<Credentials>> Create(Config config, const Clock& clock,
                                                             Logger log,
                                                             ExecRunner exec = &RunExecPlugin);

  // Blocks while a plugin runs, at most a minute, whatever the timeout of the call it is for.
  absl::StatusOr<Credential> Get(const std::stop_token& stop);

  // The server answered 401 to `credential`: Get will read or make a new one. False if there is
  // nowhere to get one from, so that trying again is of no use.
  bool Refused(const Credential& credential);

 private:
  // What was read, and when (Clock::Monotonic) or how long it is good.
  struct Parts {
    std::string ca_pem, certificate_pem, key_pem;
    std::string token;
    std::optional<ExecCredential> exec;
    std::optional<absl::Duration> certificates_read, token_read;
    std::shared_ptr<const TlsSettings> tls;
  };

  Credentials(Config config, const Clock& clock, Logger log, ExecRunner exec);

  bool UsesTls() const;
  bool UsesExec() const;
  bool IsFresh(const Parts& parts) const;
  // `parts` with what is due read again; may run the plugin unless `at_start`.
  absl::StatusOr<Parts> Refresh(Parts parts, bool at_start, const std::stop_token& stop) const;
  absl::Status RefreshCertificates(Parts& parts) const;
  absl::Status RefreshToken(Parts& parts) const;
  void RefreshTls(Parts& parts) const;
  std::vector<std::string> Headers(const Parts& parts) const;

  const Config config_;
  const Clock& clock_;
  const Logger log_;
  const ExecRunner exec_;

  absl::Mutex mu_;
  absl::CondVar refreshed_;
  bool refreshing_ ABSL_GUARDED_BY(mu_) = false;
  Parts parts_ ABSL_GUARDED_BY(mu_);
  uint64_t version_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_CREDENTIALS_H_
