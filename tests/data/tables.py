# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets to a switch with two route tables, with what must leave: p1 and p2 are ports of the table main, p3 and p4 of the table
red. make_data.py writes them. Each entry is (ns, ingress port, frame, egress port or drop reason).
"""

import cases
import srv6

OURS = {port: "02:00:00:00:01:%02x" % n for n, port in enumerate(("p1", "p2", "p3", "p4"), 1)}
STATION = {"p2": "02:00:00:00:02:01", "p4": "02:00:00:00:04:01"}
DT6_RED, DT46_RED, DT46_MAIN, CON_RED = ("2001:db8:51::%d" % n for n in (1, 2, 3, 4))


def to(port, frame):
    """As a station at a port of the switch sends it."""
    return cases.mac(OURS[port]) + frame[6:]


def leaving(frame, port):
    return cases.mac(STATION[port]) + cases.mac(OURS[port]) + frame[12:]


def entries(vector):
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    one, srh = vector("07_srv6_encaps_nosrh.pcap")[0], vector("06_srv6_encaps_srh.pcap")[1]
    four = vector("41_srv6_end.pcap")[16]
    notice = vector("11_fastcnp_srv6_endcon.pcap")[0]
    six = lambda dst: cases.variant(w6, dst=dst)
    found = []

    def plain(port, frame, where):
        found.append((port, to(port, frame), where, cases.routed(frame, OURS["p1"], OURS["p1"])))

    def tunnel(frame, sid, where):
        arrives = srv6.arriving(frame, sid)
        found.append(("p1", arrives, where, srv6.decapsulated(arrives)))

    # The same prefixes in both tables, to a port each.
    for frame in (six("2001:db8:2::20"), w4):
        plain("p1", frame, "p2")
        plain("p3", frame, "p4")
    # A longer prefix in one of them; a prefix in one of them only, and the default route of the other.
    plain("p1", six("2001:db8:2:1::20"), "p2")
    plain("p3", six("2001:db8:2:1::20"), "blackhole")
    plain("p1", six("2001:db8:3::20"), "no_route")
    plain("p3", six("2001:db8:3::20"), "p4")
    plain("p3", six("2001:db8:99::20"), "p4")
    plain("p1", six("2001:db8:99::20"), "no_route")
    # A route of red leads out by a port of main.
    plain("p3", six("2001:db8:4::20"), "p2")
    # A SID is in main; in red, its address is behind the default route.
    tunnel(one, DT6_RED, "p4")
    tunnel(srh, DT6_RED, "p4")
    tunnel(four, DT46_RED, "p4")
    tunnel(one, DT46_RED, "p4")
    tunnel(one, DT46_MAIN, "p2")
    tunnel(four, DT46_MAIN, "p2")
    plain("p3", cases.mac(OURS["p3"]) + srv6.arriving(one, DT6_RED)[6:], "p4")
    # END.CON in red: the sender is there. The network of p4 is not known in main.
    tunnel(notice, CON_RED, "p4")
    plain("p1", six("2001:db8:14::2"), "no_route")
    plain("p3", six("2001:db8:14::2"), "p4")
    return [(2000 * n, port, frame, where, leaving(leaves, where) if where in STATION else None)
            for n, (port, frame, where, leaves) in enumerate(found)]


def captures(vector):
    """name -> [(ns, frame)]: what comes in by each port, and what leaves, with the time of the arrival."""
    out = {}
    for time, port, frame, where, leaves in entries(vector):
        out.setdefault("tables-" + port, []).append((time, frame))
        if leaves is not None:
            out.setdefault("tables-out-" + where, []).append((time, leaves))
    return out


def drops(vector):
    """(port, reason) -> packets."""
    found = {}
    for _, port, _, where, leaves in entries(vector):
        if leaves is None:
            found[port, where] = found.get((port, where), 0) + 1
    return found
