// Running another program for what it prints.
#ifndef LOGBOOK_K8S_SUBPROCESS_H_
#define LOGBOOK_K8S_SUBPROCESS_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/time/time.h"

#include "logbook/base/status.h"

namespace logbook::k8s {

struct Subprocess {
  std::vector<std::string> argv;  // argv[0] without a slash is looked up in our PATH
  std::vector<std::string> env;   // "NAME=value": the whole environment of the child
  absl::Duration timeout = absl::Minutes(1);
  std::stop_token stop;
  size_t output_bytes_max = size_t{1} << 20;
};

// What the program wrote to stdout. stdin is empty, stderr is ours, and no other descriptor of ours
// is open in it. It and its children in its process group are killed at the deadline or on stop.
// Safe in a process with threads.
// Errors: kNotFound: there is no such program; kUnavailable: it ended with something other than 0;
// kDeadlineExceeded; kCancelled; kInvalidArgument: too much output.
absl::StatusOr<std::string> RunSubprocess(const Subprocess& subprocess);

}  // namespace logbook::k8s

#endif  // LOGBOOK_K8S_SUBPROCESS_H_
