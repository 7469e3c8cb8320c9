#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a fault in a program would have to get past, as binutils see it in the programs that are built.

usage: test_hardening.py PROGRAM...

Each program is position-independent, has no writable tables of functions once it runs, no executable stack, checks its stack
frames and the sizes of what it copies, and has landing pads for indirect calls.
"""

import re
import subprocess
import sys
import unittest

PROGRAMS = []


def read(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


class Hardening(unittest.TestCase):
    def setUp(self):
        self.assertTrue(PROGRAMS)

    def test_position_independent(self):
        for program in PROGRAMS:
            self.assertRegex(read("readelf", "-h", program), r"Type:\s+DYN", program)

    def test_functions_are_bound_at_start(self):
        """All addresses are known before main(), and are read-only from then on (full RELRO)."""
        for program in PROGRAMS:
            self.assertRegex(read("readelf", "-d", program), r"FLAGS_1.*NOW", program)
            self.assertIn("GNU_RELRO", read("readelf", "-lW", program), program)

    def test_stack(self):
        """It cannot be executed, and functions with arrays on it check it when they return."""
        for program in PROGRAMS:
            self.assertRegex(read("readelf", "-lW", program), r"GNU_STACK.* RW ", program)
            self.assertIn("__stack_chk_fail", read("nm", "-D", program), program)

    def test_copies_are_checked(self):
        for program in PROGRAMS:
            self.assertRegex(read("nm", "-D", program), r"U __\w+_chk\b", program)

    def test_indirect_calls_land_on_pads(self):
        for program in PROGRAMS:
            code = read("objdump", "-d", "--no-show-raw-insn", "-j", ".text", program)
            pads = len(re.findall(r"\bendbr64\b", code))
            self.assertGreater(pads, 20, program)


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
