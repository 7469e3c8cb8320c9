#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""tests/data/pnc-messages.txt is what pnc_messages.py makes, and tshark reads its frames as it means them."""

import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))

import pnc_messages  # noqa: E402

MALFORMED = {"isis-bad-tlv", "isis-endcon-bad"}
# What tshark shows of some of them.
SHOWN = {
    "isis-l1": ["PDU Type: L1 LSP", "Traffic Engineering Router ID: 192.0.2.1", "IPv6 TE Router ID: 2001:db8:ffff::1",
                "Ext. IP Reachability: 10.1.0.0/16", "Flags: 0x01", "Ext. IP Reachability: 10.4.4.0/22",
                "IPv6 Reachability: 2001:db8:2::/47", "subTLV: Unknown (c=11, l=4)", "subTLV: Unknown (c=12, l=16)"],
    "isis-l1-purge": ["Remaining lifetime: 0"],
    "isis-l2-0": ["PDU Type: L2 LSP", "Flags: 0x20, Node"],
    "isis-leaked": ["Distribution: Down", "Flags: 0x41, Re-advertisement"],
    "isis-vlan": ["802.1Q Virtual LAN, PRI: 7, DEI: 0, ID: 100"],
    "isis-endcon": ["Locator: 2001:db8:e1:1::", "SRv6 Endpoint Function: End (1)", "SRv6 Endpoint Function: Unknown (32768)",
                    "SID: 2001:db8:e1:1::c"],
    "isis-endcon-newer": ["Topology ID: IPv6 routing topology (2)", "Down bit: Set", "SID: 2001:db8:e1:1::d"],
    "isis-endcon-bad": ["Locator: 2001:db8:e5::", "Invalid Sub-TLV length 28 (27 bytes left)"],
    "isis-auth-md5": ["hmac-md5 (54)"],
    "ospf": ["MPLS/TE Router ID: 192.0.2.121", "OSPFv2 Extended Prefix TLV  (Type: Intra-Area    Prefix: 10.21.0.0/16)",
             "Unknown Sub-TLV: 11", "TLV Value: 20000000"],
    "ospf-named": ["Type: Inter-Area    Prefix: 10.23.0.0/16", "Unknown Sub-TLV: 4", "Unknown Sub-TLV: 5"],
    "ospf-node": ["(N) Node Flag: Set"],
    "ospf-flush": ["LS Age (seconds): 3600"],
    "ospf-auth-md5": ["Auth Type: Cryptographic (2)", "Auth Crypt Key id: 7"],
    "ospf3": ["LS Type: 0xa029", "Area Scoping"],
    "ospf3-endcon": ["Function Code: Unknown (42)", "LS Type: 0xa02a", "LS Type: 0xc02a"],
    "ospf3-external": ["LS Type: 0xc025"],
    "ospf3-ipv4": ["Instance ID: IPv4 unicast AF (64)"],
}


def details():
    """What tshark says of each frame, by name."""
    frames = [line.split() for line in pnc_messages.OUT.read_text().splitlines()]
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for _, octets in frames:
            data = bytes.fromhex(octets)
            file.write(struct.pack("<IIII", 0, 0, len(data), len(data)) + data)
        file.flush()
        done = subprocess.run(["tshark", "-V", "-r", file.name], check=True, capture_output=True, text=True)
    parts = re.split(r"^Frame \d+: ", done.stdout, flags=re.M)[1:]
    return dict(zip((name for name, _ in frames), parts, strict=True))


class Messages(unittest.TestCase):
    def test_as_made(self):
        self.assertEqual(pnc_messages.OUT.read_text(), pnc_messages.text())

    @unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
    def test_tshark(self):
        seen = details()
        for name, text in seen.items():
            with self.subTest(name):
                self.assertEqual("Malformed" in text or "invalid" in text, name in MALFORMED)
                self.assertNotIn("incorrect", text)
                if "isis" in name and "purge" not in name:
                    self.assertIn("[Checksum Status: Good]", text)
                elif "ospf" in name and ("auth" not in name and "frr" not in name and name.count("-") < 2 or "password" in name):
                    self.assertRegex(text, r"Checksum: 0x[0-9a-f]{4} \[correct\]")
                for what in SHOWN.get(name, ()):
                    self.assertIn(what, text)


if __name__ == "__main__":
    unittest.main()
