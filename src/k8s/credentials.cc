#include "logbook/k8s/credentials.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"

#include "logbook/k8s/certificate.h"
#include "logbook/k8s/files.h"
#include "logbook/k8s/url.h"

namespace logbook::k8s {
namespace {

// client-go's: a token file every minute, ten seconds early; certificates every five.
constexpr absl::Duration kTokenMaxAge = absl::Seconds(50);
constexpr absl::Duration kCertificatesMaxAge = absl::Minutes(5);
// A credential that expires while its request is under way is refused.
constexpr absl::Duration kExpiryLeeway = absl::Seconds(10);

absl::StatusOr<std::string> Read(const PemSource& source) {
  return source.file.empty() || !source.data.empty() ? source.data : ReadFile(source.file);
}

std::string Name(std::string_view what, const Config& config, const PemSource& source) {
  return Concat(what, " in ", source.data.empty() ? source.file : config.source);
}

bool IsOneLine(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n'; });
}

absl::Status CheckHeaderValues(const Config& config) {
  std::vector<std::string> values = config.user.impersonate.groups;
  values.push_back(config.user.impersonate.user);
  values.push_back(config.user.impersonate.uid);
  values.push_back(config.user.token);
  for (const auto& [key, value] : config.user.impersonate.extra) {
    values.push_back(value);
  }
  return std::all_of(values.begin(), values.end(), IsOneLine)
             ? absl::OkStatus()
             : InvalidArgument(config.source, ": user \"", config.user_name,
                               "\": a token or a name to impersonate contains a line break");
}

// The rotation of a file may be half done: until it can be understood, what was read before stands.
bool MayKeepOld(const absl::Status& status, std::string_view old) {
  return !old.empty() && !absl::IsUnauthenticated(status);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Credentials>> Credentials::Create(Config config, const Clock& clock,
                                                                 Logger log, ExecRunner exec) {
  LOGBOOK_RETURN_IF_ERROR(CheckHeaderValues(config));
  std::unique_ptr<Credentials> credentials(
      new Credentials(std::move(config), clock, std::move(log), std::move(exec)));
  const UserConfig& user = credentials->config_.user;
  if (user.exec.has_value() && !credentials->UsesExec()) {
    credentials->log_.Info(
        "Exec plugin not used: the user has a token or a password",
        {{"user", credentials->config_.user_name}, {"command", user.exec->command}});
  }
  LOGBOOK_ASSIGN_OR_RETURN(Parts parts, credentials->Refresh({}, /*at_start=*/true, {}));
  absl::MutexLock lock(&credentials->mu_);
  credentials->parts_ = std::move(parts);
  return credentials;
}

Credentials::Credentials(Config config, const Clock& clock, Logger log, ExecRunner exec)
    : config_(std::move(config)), clock_(clock), log_(std::move(log)), exec_(std::move(exec)) {}

bool Credentials::UsesTls() const {
  return absl::StartsWith(config_.cluster.server, "https://");
}

bool Credentials::UsesExec() const {
  const UserConfig& user = config_.user;
  return user.exec.has_value() && user.token.empty() && user.token_file.empty() &&
         user.username.empty() && UsesTls();
}

absl::StatusOr<Credential> Credentials::Get(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    absl::MutexLock lock(&mu_);
    refreshed_.SignalAll();
  });
  Parts parts;
  {
    absl::MutexLock lock(&mu_);
    while (!IsFresh(parts_) && refreshing_ && !stop.stop_requested()) {
      refreshed_.Wait(&mu_);
    }
    if (stop.stop_requested()) {
      return Cancelled("stopped");
    }
    if (IsFresh(parts_)) {
      return Credential{Headers(parts_), parts_.tls, version_};
    }
    refreshing_ = true;
    parts = parts_;
  }
  absl::StatusOr<Parts> fresh = Refresh(std::move(parts), /*at_start=*/false, stop);
  absl::MutexLock lock(&mu_);
  refreshing_ = false;
  refreshed_.SignalAll();
  LOGBOOK_RETURN_IF_ERROR(fresh.status());
  parts_ = *std::move(fresh);
  ++version_;
  return Credential{Headers(parts_), parts_.tls, version_};
}

bool Credentials::Refused(const Credential& credential) {
  absl::MutexLock lock(&mu_);
  if (credential.version == version_) {
    parts_.token_read.reset();
    parts_.certificates_read.reset();
    parts_.exec.reset();
  }
  return UsesExec() || !config_.user.token_file.empty() ||
         !config_.user.client_certificate.file.empty();
}

bool Credentials::IsFresh(const Parts& parts) const {
  const absl::Duration now = clock_.Monotonic();
  const bool certificates =
      parts.certificates_read.has_value() && now - *parts.certificates_read < kCertificatesMaxAge;
  const bool token = config_.user.token_file.empty() ||
                     (parts.token_read.has_value() && now - *parts.token_read < kTokenMaxAge);
  const bool exec =
      !UsesExec() || (parts.exec.has_value() && clock_.Now() + kExpiryLeeway < parts.exec->expires);
  return certificates && token && exec;
}

absl::StatusOr<Credentials::Parts> Credentials::Refresh(Parts parts, bool at_start,
                                                        const std::stop_token& stop) const {
  const absl::Duration now = clock_.Monotonic();
  if (!parts.certificates_read.has_value() ||
      now - *parts.certificates_read >= kCertificatesMaxAge) {
    LOGBOOK_RETURN_IF_ERROR(RefreshCertificates(parts));
    parts.certificates_read = now;
  }
  if (!config_.user.token_file.empty()) {
    LOGBOOK_RETURN_IF_ERROR(RefreshToken(parts));
    parts.token_read = now;
  }
  const bool exec_due =
      UsesExec() && !at_start &&
      (!parts.exec.has_value() || clock_.Now() + kExpiryLeeway >= parts.exec->expires);
  if (exec_due) {
    LOGBOOK_ASSIGN_OR_RETURN(parts.exec,
                             exec_(*config_.user.exec, config_.cluster, parts.ca_pem, stop));
  }
  RefreshTls(parts);
  return parts;
}

absl::Status Credentials::RefreshCertificates(Parts& parts) const {
  const auto refresh = [&](const PemSource& source, std::string_view what, std::string& pem,
                           const auto& check) -> absl::Status {
    if (source.empty() || !UsesTls()) {
      return absl::OkStatus();
    }
    absl::StatusOr<std::string> read = Read(source);
    absl::Status status =
        read.ok() ? check(*read, Name(what, config_, source)) : WithContext(read.status(), what);
    if (status.ok()) {
      pem = *std::move(read);
    } else if (!MayKeepOld(status, pem)) {
      return status;
    } else {
      log_.Error("Certificate not reloaded, the old one stays in use", {{"error", status}});
    }
    return absl::OkStatus();
  };
  const absl::Time now = clock_.Now();
  const std::string owner = Concat(" of user \"", config_.user_name, "\"");
  LOGBOOK_RETURN_IF_ERROR(
      refresh(config_.cluster.certificate_authority, "certificate authority", parts.ca_pem,
              [now](auto pem, auto what) { return CheckCertificateBundle(pem, what, now); }));
  LOGBOOK_RETURN_IF_ERROR(
      refresh(config_.user.client_certificate, "client certificate" + owner, parts.certificate_pem,
              [now](auto pem, auto what) { return CheckCertificate(pem, what, now).status(); }));
  return refresh(config_.user.client_key, "client key" + owner, parts.key_pem,
                 [](auto pem, auto what) { return CheckPrivateKey(pem, what); });
}

absl::Status Credentials::RefreshToken(Parts& parts) const {
  const absl::StatusOr<std::string> read = ReadFile(config_.user.token_file);
  const std::string token(absl::StripAsciiWhitespace(read.ok() ? *read : ""));
  if (!token.empty() && IsOneLine(token)) {
    parts.token = token;
    return absl::OkStatus();
  }
  const absl::Status status =
      read.ok() ? InvalidArgument(config_.user.token_file, ": no token in it") : read.status();
  if (parts.token.empty()) {
    return WithContext(status, "token file");
  }
  log_.Error("Token not reloaded, the old one stays in use", {{"error", status}});
  return absl::OkStatus();
}

void Credentials::RefreshTls(Parts& parts) const {
  if (!UsesTls()) {
    return;
  }
  TlsSettings tls{.ca_pem = parts.ca_pem,
                  .insecure_skip_verify = config_.cluster.insecure_skip_tls_verify,
                  .server_name = config_.cluster.tls_server_name,
                  .certificate_pem = parts.certificate_pem,
                  .key_pem = parts.key_pem};
  if (parts.exec.has_value() && !parts.exec->certificate_pem.empty()) {
    tls.certificate_pem = parts.exec->certificate_pem;
    tls.key_pem = parts.exec->key_pem;
  }
  // The same settings stay the same object, since connections belong to one.
  if (parts.tls == nullptr || *parts.tls != tls) {
    parts.tls = std::make_shared<const TlsSettings>(std::move(tls));
  }
}

std::vector<std::string> Credentials::Headers(const Parts& parts) const {
  std::vector<std::string> headers;
  if (!UsesTls()) {
    return headers;  // credentials travel encrypted or not at all
  }
  const UserConfig& user = config_.user;
  if (!user.token_file.empty()) {
    headers.push_back("Authorization: Bearer " + parts.token);
  } else if (!user.token.empty()) {
    headers.push_back("Authorization: Bearer " + user.token);
  } else if (!user.username.empty()) {
    headers.push_back("Authorization: Basic " +
                      absl::Base64Escape(Concat(user.username, ":", user.password)));
  } else if (parts.exec.has_value() && !parts.exec->token.empty()) {
    headers.push_back("Authorization: Bearer " + parts.exec->token);
  }
  const Impersonation& as = user.impersonate;
  if (!as.user.empty()) {
    headers.push_back("Impersonate-User: " + as.user);
  }
  if (!as.uid.empty()) {
    headers.push_back("Impersonate-Uid: " + as.uid);
  }
  for (const std::string& group : as.groups) {
    headers.push_back("Impersonate-Group: " + group);
  }
  for (const auto& [key, value] : as.extra) {
    headers.push_back(Concat("Impersonate-Extra-", PercentEncode(key), ": ", value));
  }
  return headers;
}

}  // namespace logbook::k8s
