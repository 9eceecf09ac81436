// Manager: the operator as a process, with a journal of its own.
#ifndef LOGBOOK_TESTS_E2E_SUPPORT_MANAGER_H_
#define LOGBOOK_TESTS_E2E_SUPPORT_MANAGER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster.h"
#include "process.h"

#include "logbook/model/event.h"

namespace logbook::e2e {

struct ManagerOptions {
  std::string ns;                    // WATCH_NAMESPACE; empty: all
  std::string program;               // empty: the one that is shipped
  std::vector<std::string> wrapper;  // a command in front of it, such as setpriv
  std::string kubeconfig;            // empty: of a user with the rights of deploy/rbac
  std::vector<std::string> flags;
  std::map<std::string, std::string> env;
};

class Manager {
 public:
  // Makes the data directory; does not start.
  Manager(const Cluster& cluster, ManagerOptions options);
  ~Manager();
  Manager(const Manager&) = delete;

  ManagerOptions& options() { return options_; }

  const std::string& data_dir() const { return data_dir_; }

  const std::string& user() const { return user_; }

  void Start();
  // Starts and waits until it is ready; fails the test if it does not get there.
  void StartReady();
  // Graceful: SIGTERM, and waits. Returns the exit code.
  int Stop();
  void Kill();
  // Waits for its own end.
  int Wait();
  bool Running();

  bool Ready() const;
  // The body of /readyz?verbose.
  std::string ReadyText() const;
  std::string Log() const;

  // All events; the manager must not be running.
  std::vector<Event> Journal() const;
  // `logbook log verify`; fails the test unless it says ok.
  void VerifyJournal() const;

 private:
  const Cluster& cluster_;
  ManagerOptions options_;
  std::string home_;  // of everything it leaves
  std::string data_dir_;
  std::string user_;
  std::string anchor_ns_;
  int port_ = 0;
  std::unique_ptr<BackgroundProcess> process_;
};

// Of a journal.
template <typename Body>
std::vector<const Body*> BodiesOf(const std::vector<Event>& events) {
  std::vector<const Body*> bodies;
  for (const Event& event : events) {
    if (const Body* body = std::get_if<Body>(&event.body); body != nullptr) {
      bodies.push_back(body);
    }
  }
  return bodies;
}

template <typename Body>
std::vector<const Body*> BodiesOf(std::vector<Event>&& events) = delete;  // they would dangle

// Events after `seq`.
std::vector<Event> After(const std::vector<Event>& events, EventSeq seq);

}  // namespace logbook::e2e

#endif  // LOGBOOK_TESTS_E2E_SUPPORT_MANAGER_H_
