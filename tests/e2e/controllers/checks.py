# SPDX-License-Identifier: Apache-2.0
# checks.py - what is counted: checks that held and those that did not.
import time


class Checks:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def expect(self, what, got, wanted):
        if got == wanted:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {got!r}, not {wanted!r}", flush=True)

    def wait(self, what, holds, seconds=30):
        """Until `holds()` is true; whether it came to be."""
        deadline = time.monotonic() + seconds
        while not (last := holds()):
            if time.monotonic() > deadline:
                self.failed += 1
                print(f"FAIL {what}: not within {seconds} s ({last!r})", flush=True)
                return False
            time.sleep(0.02)
        self.passed += 1
        return True
