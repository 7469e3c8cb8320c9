#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""usage: make_object.py OBJECT HEADER: write the octets of an object file as an array of C."""

import sys

with open(sys.argv[1], "rb") as f:
    data = f.read()
with open(sys.argv[2], "w", encoding="ascii") as f:
    f.write("static const unsigned char qp_probe_object[] __attribute__((aligned(8))) = {\n")
    for at in range(0, len(data), 16):
        f.write("\t" + ", ".join(f"0x{x:02x}" for x in data[at:at + 16]) + ",\n")
    f.write("};\n")
