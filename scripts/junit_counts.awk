# Prints "tests failures skipped" of a JUnit report as ctest writes it. A test that was not run counts as skipped.
BEGIN { RS = ">" }

function attribute(name) {
  return match($0, "[ \n\t]" name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : 0
}

/<testsuite[ \n\t]/ {
  tests += attribute("tests")
  failures += attribute("failures")
  skipped += attribute("skipped") + attribute("disabled")
}

END { print tests + 0, failures + 0, skipped + 0 }
