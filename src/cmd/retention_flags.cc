#include "retention_flags.h"

#include <string>

#include "absl/time/time.h"

namespace logbook::cmd {
namespace {

void AddDuration(CLI::App& command, const std::string& flag, absl::Duration& value,
                 const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [&value, flag](const std::string& text) {
            if (!absl::ParseDuration(text, &value) || value <= absl::ZeroDuration()) {
              throw CLI::ValidationError(flag, "use a time such as 168h, or inf, not " + text);
            }
          },
          help)
      ->default_str(absl::FormatDuration(value));
}

void AddSize(CLI::App& command, const std::string& flag, uint64_t& value, const std::string& help) {
  command.add_option(flag, value, help)
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE")
      ->capture_default_str();
}

}  // namespace

void AddRetentionFlags(CLI::App& command, reconcile::RetentionPolicy& policy) {
  AddDuration(command, "--retention-age", policy.age, "Events older than this are trimmed");
  AddSize(command, "--retention-size", policy.bytes,
          "Oldest events are trimmed beyond this, such as 1GiB; 0: no limit");
  AddDuration(command, "--audit-age", policy.audit_age,
              "Deletions and what admins did are kept this long, although trimmed");
  AddSize(command, "--audit-size", policy.audit_bytes,
          "Oldest of those go beyond this; 0: no limit");
}

}  // namespace logbook::cmd
