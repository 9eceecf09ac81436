#include "reference.h"

#include <utility>

#include "acknowledgements.h"
#include "scratch.h"
#include <gtest/gtest.h>

#include "logbook/store/inspect.h"

namespace logbook::crash {
namespace {

void Add(Complaints more, Complaints& complaints) {
  for (std::string& complaint : more) {
    complaints.push_back(std::move(complaint));
  }
}

}  // namespace

Reference::Reference() {
  const Scratch scratch;
  const Ending ending = RunDriver({.workplace = scratch.workplace()});
  EXPECT_TRUE(ending.done()) << ending.ToString();
  const absl::StatusOr<Contents> contents = ReadContents(scratch.workplace().store());
  EXPECT_TRUE(contents.ok()) << contents.status();
  undisturbed_ = contents.value_or(Contents());
  EXPECT_EQ(Check(scratch.workplace()), Complaints());
}

Complaints Reference::Check(const Workplace& place) const {
  Complaints complaints = CheckSound(place.store());
  {
    const auto journal = store::OpenOffline(place.store(), {});
    if (!journal.ok()) {
      return {std::string(journal.status().message())};
    }
    Add(CheckRows(**journal), complaints);
    Add(CheckAcknowledged(**journal, ReadAcknowledgements(place.acknowledgements()), false),
        complaints);
  }
  const absl::StatusOr<Contents> contents = ReadContents(place.store());
  if (!contents.ok()) {
    complaints.emplace_back(contents.status().message());
  } else if (*contents != undisturbed_) {
    complaints.push_back(contents->gap ? "a tail was cut off"
                                       : "it ended otherwise than undisturbed");
  }
  return complaints;
}

Complaints Reference::CheckObjects(const Workplace& place) const {
  Complaints complaints = CheckSound(place.store());
  const absl::StatusOr<Contents> contents = ReadContents(place.store());
  if (!contents.ok()) {
    complaints.emplace_back(contents.status().message());
  } else if (contents->objects != undisturbed_.objects) {
    complaints.push_back("its objects are not those of an undisturbed run");
  }
  return complaints;
}

}  // namespace logbook::crash
