#include "simple_apps.h"

#include <fstream>
#include <memory>
#include <sstream>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"

#include "logbook/base/check.h"
#include "logbook/model/view.h"
#include "logbook/operators/simpleapp/desired.h"
#include "logbook/operators/simpleapp/simpleapp.h"
#include "logbook/operators/simpleapp/types.h"

namespace logbook::bench {
namespace {

// What stands in the text where objects differ.
constexpr std::string_view kNameMark = "app-000000";
constexpr std::string_view kNamespaceMark = "team-00";
constexpr std::string_view kUidMark = "-000000000000";
constexpr std::string_view kVersionMark = "\"resourceVersion\":\"10000001\"";
constexpr std::string_view kNoteMark = "note-00000000";
constexpr char kFillerMark = '#';

constexpr std::string_view kAppUid = "6f1c2f0e-8a55-4d0e-9c57-000000000000";
constexpr int64_t kNamespaces = 100;
constexpr std::string_view kManaged =
    R"([{"apiVersion":"apps.bootcamp.local/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},)"
    R"("f:image":{},"f:port":{},"f:replicas":{}}},"manager":"kubectl-client-side-apply",)"
    R"("operation":"Update","time":"2026-05-26T03:14:00Z"}])";

Json Golden(const std::string& name) {
  std::ifstream file(std::string(LOGBOOK_GOLDEN_DIR) + "/objects/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  absl::StatusOr<Json> json = ParseJson(text.str());
  LOGBOOK_CHECK(json.ok());
  return *std::move(json);
}

Json NewApp() {
  return {{"apiVersion", "apps.bootcamp.local/v1"},
          {"kind", "SimpleApp"},
          {"metadata",
           {{"name", kNameMark},
            {"namespace", kNamespaceMark},
            {"uid", kAppUid},
            {"generation", 2},
            {"creationTimestamp", "2026-05-26T03:14:00Z"},
            {"resourceVersion", "10000001"},
            {"annotations", {{"example.com/note", kNoteMark}, {"example.com/text", ""}}},
            {"finalizers", {operators::kFinalizer}},
            {"managedFields", *ParseJson(kManaged)}}},
          {"spec", {{"image", "nginx:1.27"}, {"replicas", 2}, {"port", 80}}}};
}

// What the server made of a like object, made one of ours: our owner, manager, names and labels.
Json Live(const std::string& golden_file, const Json& desired, std::string_view uid) {
  const Json golden = Golden(golden_file);
  const std::string golden_owner =
      golden["live"]["metadata"]["ownerReferences"][0]["uid"].get<std::string>();
  absl::StatusOr<Json> live = ParseJson(absl::StrReplaceAll(
      DumpJson(golden["live"]), {{golden_owner, std::string(kAppUid)},
                                 {"\"logbook\"", Concat("\"", operators::kFieldManager, "\"")},
                                 {"\"web\"", Concat("\"", kNameMark, "\"")},
                                 {"web-", Concat(kNameMark, "-")}}));
  LOGBOOK_CHECK(live.ok());
  Json& metadata = (*live)["metadata"];
  metadata["namespace"] = kNamespaceMark;
  metadata["uid"] = uid;
  metadata["resourceVersion"] = "10000001";
  metadata["ownerReferences"] = desired["metadata"]["ownerReferences"];
  metadata["annotations"].update(desired["metadata"]["annotations"]);
  Json& ours = metadata["managedFields"][0]["fieldsV1"];
  const Json annotation = {{Concat("f:", operators::kNameAnnotation), Json::object()}};
  ours["f:metadata"]["f:annotations"] = annotation;
  if (desired["spec"].contains("template")) {
    (*live)["spec"]["template"]["metadata"] = desired["spec"]["template"]["metadata"];
    Json& of_template = ours["f:spec"]["f:template"]["f:metadata"];
    of_template["f:annotations"] = annotation;
    of_template["f:labels"]["f:app.kubernetes.io/managed-by"] = Json::object();
  } else {
    ours["f:spec"]["f:type"] = Json::object();
  }
  return *std::move(live);
}

void Put(ViewState& state, std::string_view resource, const Json& object) {
  absl::StatusOr<ObjectPtr> made = Object::FromJson(DumpJson(object));
  LOGBOOK_CHECK(made.ok());
  state.PutObject(resource, {.object = *std::move(made), .seq = EventSeq(1)});
}

Plan PlanFor(const Json& app, const Json& deployment, const Json& service) {
  const auto spec = operators::SimpleAppOperator({});
  LOGBOOK_CHECK(spec.ok());
  auto state = std::make_shared<ViewState>();
  Put(*state, kApps, app);
  Put(*state, "deployments.apps", deployment);
  Put(*state, "services", service);
  const View view(state, spec->scope, absl::FromUnixSeconds(1'780'000'000));
  return operators::ReconcileSimpleApp(view, AppKey(0));
}

// The status that the only effect of `plan` writes. Tests of absence are the server's to
// understand.
Json StatusAfter(const Json& app, const Plan& plan) {
  LOGBOOK_CHECK(plan.effects.size() == 1);  // the children are as they are wanted
  const Json patch = *ParseJson(plan.effects.front().body);
  Json changes = Json::array();
  for (const Json& operation : patch) {
    if (operation["op"] != "test") {
      changes.push_back(operation);
    }
  }
  return app.patch(changes)["status"];
}

// Text that compresses like a real object does, not like one letter.
void Fill(std::string& text, size_t begin, size_t size, uint64_t seed) {
  std::string filler;
  while (filler.size() < size) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    filler += Concat("env-", (seed >> 33) % 1000, "=value-", (seed >> 43) % 1000, ";");
  }
  filler.copy(text.data() + begin, size);
}

void PutDigits(std::string& text, size_t begin, size_t digits, int64_t value) {
  for (size_t i = digits; i > 0; --i) {
    text[begin + i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

}  // namespace

ObjectKey AppKey(int64_t i) {
  return {.ns = absl::StrFormat("team-%02d", i % kNamespaces),
          .name = absl::StrFormat("app-%06d", i)};
}

ObjectTemplate::ObjectTemplate(std::string text) : text_(std::move(text)) {
  const auto find = [this](std::string_view mark, size_t digits, size_t behind,
                           std::vector<Slot>& slots) {
    for (size_t at = text_.find(mark); at != std::string::npos; at = text_.find(mark, at + 1)) {
      slots.push_back({at + mark.size() - behind - digits, digits});
    }
  };
  find(kNameMark, 6, 0, numbers_);
  find(kUidMark, 12, 0, numbers_);
  find(kNamespaceMark, 2, 0, namespaces_);
  find(kVersionMark, 8, 1, versions_);
  find(kNoteMark, 8, 0, notes_);
  const size_t filler = text_.find(kFillerMark);
  if (filler != std::string::npos) {
    fillers_.push_back({filler, text_.find_last_of(kFillerMark) - filler + 1});
  }
}

std::string ObjectTemplate::Render(int64_t i) const {
  std::string text = text_;
  for (const Slot& slot : numbers_) {
    PutDigits(text, slot.begin, slot.digits, i);
  }
  for (const Slot& slot : namespaces_) {
    PutDigits(text, slot.begin, slot.digits, i % kNamespaces);
  }
  for (const Slot& slot : fillers_) {
    Fill(text, slot.begin, slot.digits, static_cast<uint64_t>(i));
  }
  SetVersion(text, 0, kFirstVersion, 0);
  return text;
}

void ObjectTemplate::SetVersion(std::string& text, size_t begin, int64_t version,
                                int64_t note) const {
  for (const Slot& slot : versions_) {
    PutDigits(text, begin + slot.begin, slot.digits, version);
  }
  for (const Slot& slot : notes_) {
    PutDigits(text, begin + slot.begin, slot.digits, note);
  }
}

SettledApp MakeSettledApp() {
  Json app = NewApp();
  const operators::SimpleApp parsed = operators::ParseSimpleApp(app);
  const Json desired = operators::DesiredDeployment(parsed);
  const Json deployment = Live("deployment.json", desired, "363d5a5a-2c40-43c4-839d-000000000000");
  const Json service = Live("service.json", operators::DesiredService(parsed),
                            "1d2f7a49-4373-4cfb-a93d-000000000000");
  app["status"] = StatusAfter(app, PlanFor(app, deployment, service));
  LOGBOOK_CHECK(PlanFor(app, deployment, service).effects.empty());
  const size_t bare = DumpJson(app).size();
  LOGBOOK_CHECK(bare < kAppBytes);
  app["metadata"]["annotations"]["example.com/text"] = std::string(kAppBytes - bare, kFillerMark);
  return {.app = ObjectTemplate(DumpJson(app)),
          .deployment = ObjectTemplate(DumpJson(deployment)),
          .service = ObjectTemplate(DumpJson(service)),
          .desired_deployment = desired,
          .live_deployment = deployment};
}

constexpr std::string_view kFrameStart = R"({"type":"MODIFIED","object":)";

AppFrames::AppFrames(const ObjectTemplate& app, int64_t count) : app_(app) {
  frames_.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    frames_.push_back(Concat(kFrameStart, app.Render(i), "}\n"));
  }
}

const std::string& AppFrames::Change(int64_t n) {
  std::string& frame = frames_[static_cast<size_t>(n) % frames_.size()];
  app_.SetVersion(frame, kFrameStart.size(), kFirstVersion + 1 + n, 1 + n);
  return frame;
}

}  // namespace logbook::bench
