# Prints "tests failures skipped" of a JUnit report as ctest writes it. Skipped is only what skipped itself or is
# disabled; a test that could not be started is a failure, although ctest's own sums call it skipped.
BEGIN { RS = ">" }

/<testcase[ \n\t]/ {
  tests += 1
  failures += /status="fail"/
  skipped += /status="disabled"/
}

/<skipped / {
  if (/message="SKIP_/) skipped += 1
  else failures += 1
}

END { print tests + 0, failures + 0, skipped + 0 }
