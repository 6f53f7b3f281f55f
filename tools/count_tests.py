#!/usr/bin/env python3
"""Count test cases in the runners' reports: `count_tests.py ctest LOG` or `pytest XML`.

Prints "PASSED FAILED SKIPPED".  Of a C test every cmocka case counts; an executable that
fails without a failed case (it crashed, or ran out of time) counts as one failure more.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

CASES = re.compile(r"^(\d+): \[\s*(PASSED|FAILED|SKIPPED)\s*\] (?:\S+: )?(\d+) test\(s\)")
RESULT = re.compile(r"^\s*\d+/\d+ Test\s+#(\d+): \S+ \.*\s*(\**\w[\w ]*?)\s*:?\s.*sec")


def count_ctest(log):
    cases = defaultdict(lambda: {"PASSED": 0, "FAILED": 0, "SKIPPED": 0})
    passed = {}
    for line in log.splitlines():
        match = CASES.match(line)
        if match:
            cases[match.group(1)][match.group(2)] += int(match.group(3))
        match = RESULT.match(line)
        if match:
            passed[match.group(1)] = match.group(2).startswith("Passed")
    totals = [0, 0, 0]
    for test, has_passed in passed.items():
        counts = cases[test]
        if not any(counts.values()) and has_passed:
            counts["PASSED"] = 1
        if not has_passed and not counts["FAILED"]:
            counts["FAILED"] = 1
        for index, kind in enumerate(("PASSED", "FAILED", "SKIPPED")):
            totals[index] += counts[kind]
    return totals


def count_pytest(xml):
    failed = skipped = total = 0
    for suite in ElementTree.fromstring(xml).iter("testsuite"):
        total += int(suite.get("tests"))
        failed += int(suite.get("failures")) + int(suite.get("errors"))
        skipped += int(suite.get("skipped"))
    return [total - failed - skipped, failed, skipped]


def main():
    kind, path = sys.argv[1:]
    text = Path(path).read_text(errors="replace")
    print(*{"ctest": count_ctest, "pytest": count_pytest}[kind](text))


if __name__ == "__main__":
    main()
