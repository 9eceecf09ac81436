// X.509 certificates as far as a client has to understand its own.
#ifndef LOGBOOK_K8S_CERTIFICATE_H_
#define LOGBOOK_K8S_CERTIFICATE_H_

#include <string_view>

#include "absl/time/time.h"

#include "logbook/base/status.h"

namespace logbook::k8s {

// When the first certificate of `pem` expires: of a chain that is the one of its owner.
// `what` names it in errors ("client certificate of user \"admin\"").
// Errors: kInvalidArgument if there is none that can be read; kUnauthenticated, saying when, if it
// has expired or is not valid yet.
absl::StatusOr<absl::Time> CheckCertificate(std::string_view pem, std::string_view what,
                                            absl::Time now);

// A bundle of certificates to trust: fails only if none of them is valid.
absl::Status CheckCertificateBundle(std::string_view pem, std::string_view what, absl::Time now);

// Errors: kInvalidArgument if `pem` holds no private key that can be read without a password.
absl::Status CheckPrivateKey(std::string_view pem, std::string_view what);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_CERTIFICATE_H_
