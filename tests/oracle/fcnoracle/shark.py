# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A second opinion by tshark, where it is installed."""

import os
import shutil
import subprocess
import tempfile

from . import capture


def available():
    return shutil.which("tshark") is not None


def complaints_of(paths):
    """What complaints() returns, of each of several captures. tshark takes longer to start than to read most of them, so it
    starts once, to read one capture with the frames of all, unless some are not of Ethernet."""
    captures = [capture.load(path) for path in paths]
    if len(paths) == 1 or any(c.linktype != capture.ETHERNET for c in captures):
        return [complaints(path) for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.pcap")
        capture.save(path, [record for c in captures for record in c.records], nano=True)
        said = complaints(path)
    out, before = [], 0
    for c in captures:
        out.append({n - before: said[n] for n in said if before < n <= before + len(c.records)})
        before += len(c.records)
    return out


def complaints(path):
    """Frame number (from 1) -> what tshark says is wrong: malformed layers, UDP checksums.

    What RoCEv2 carries here is nobody's protocol, though a short message may look like one of RPC over RDMA.
    A UDP checksum of 0 is told too ("UDP checksum absent"); whether it may be is for the caller to say.
    """
    command = ["tshark", "-n", "-r", path, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
               "--disable-protocol", "rpcordma", "-T", "fields", "-e", "frame.number", "-e", "_ws.malformed", "-e", "udp.checksum.status",
               "-e", "ip.checksum.status", "-e", "ipv6.plen_exceeds_framing"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    out = {}
    for line in done.stdout.splitlines():
        number, malformed, udp, ip, exceeds = (line.split("\t") + [""] * 4)[:5]
        said = []
        if malformed:
            said.append("malformed: " + malformed.split(",")[0])
        if exceeds:
            said.append("IPv6 payload length exceeds the frame")
        if "0" in udp.split(","):
            said.append("UDP checksum bad")
        if "3" in udp.split(",") or "4" in udp.split(","):
            said.append("UDP checksum absent")
        if "0" in ip.split(","):
            said.append("IPv4 checksum bad")
        if said:
            out[int(number)] = said
    return out
