# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""The captured incast of tests/data for two ports: what its senders send, and what its receiver sends."""

import os
import struct

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data")


def records(name):
    """(header of the file, [record with its header])"""
    with open(os.path.join(DATA, name), "rb") as f:
        data = f.read()
    at, found = 24, []
    while at < len(data):
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at:end])
        at = end
    return data[:24], found


def write(prefix):
    """Write PREFIX0.pcap, the senders in turn, and PREFIX1.pcap."""
    senders = [records(f"incast-h{n}.pcap") for n in range(1, 5)]
    longest = max(len(r) for _, r in senders)
    turns = [r[i] for i in range(longest) for _, r in senders if i < len(r)]
    for port, (head, packets) in enumerate([(senders[0][0], turns), records("incast-receiver.pcap")]):
        with open(f"{prefix}{port}.pcap", "wb") as f:
            f.write(head + b"".join(packets))
