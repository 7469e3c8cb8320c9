# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""When the receiver told a sender, and when the switch did, read from captures without fastcn.

The switch's Fast CNPs are in what its ports sent: the time of a frame there is that of its last bit.
"""

import statistics
import struct
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))

from fcnoracle import capture  # noqa: E402

OPTION_1, OPTION_2 = 0x9E, 0x9F
PREFIX = bytes.fromhex("0064ff9b") + bytes(8)


def read_notice(data):
    """(sender, receiver, queue pair) of a Fast CNP, addresses as bytes; None: the frame is none."""
    if data[12:14] != b"\x86\xdd" or data[20] != 60:
        return None
    at, end, receiver = 56, 54 + 8 * (data[55] + 1), None
    while at < end:
        if data[at] == 0:
            at += 1
            continue
        if data[at] in (OPTION_1, OPTION_2):
            receiver = data[at + 2:at + 2 + data[at + 1]][-16:]
        at += 2 + data[at + 1]
    if receiver is None or data[54] != 17 or data[end + 8] != 0x81:
        return None
    sender = data[38:54]
    if sender[:12] == PREFIX and receiver[:12] == PREFIX:
        sender, receiver = sender[12:], receiver[12:]
    return sender, receiver, int.from_bytes(data[end + 13:end + 16], "big")


def fast_cnps(paths):
    """{(sender, receiver, receiver's queue pair): [time]}"""
    out = {}
    for path in paths:
        for r in capture.load(path).records:
            key = read_notice(r.data)
            if key is not None:
                out.setdefault(key, []).append(r.time)
    return {key: sorted(times) for key, times in out.items()}


def cnps(frames):
    """The same of the receiver's CNPs, by what is known about the frames."""
    out = {}
    for f in frames:
        if f.kind == "cnp":
            out.setdefault((f.flow.sender.ip, f.flow.receiver.ip, f.flow.receiver_qp), []).append(f.time)
    return {key: sorted(times) for key, times in out.items()}


def first_leads(frames, paths):
    """{flow: ns by which the first Fast CNP was earlier than the first CNP}, for flows that have both."""
    told, notified = cnps(frames), fast_cnps(paths)
    return {key: told[key][0] - notified[key][0] for key in told if key in notified}


def median(values):
    """Of two in the middle, the mean, rounded down from the lower one."""
    ordered = sorted(values)
    return statistics.median_low(ordered) + (statistics.median_high(ordered) - statistics.median_low(ordered)) // 2


def address(text):
    """The bytes of an address."""
    import ipaddress
    return ipaddress.ip_address(text).packed


__all__ = ["address", "cnps", "fast_cnps", "first_leads", "median", "struct"]
