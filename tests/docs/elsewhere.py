# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Lines of guides that test_guides.py does not run, with the reason or the test that runs them. An entry that matches nothing any
more is an error."""

from collections import namedtuple

Entry = namedtuple("Entry", "pattern reason")
Other = namedtuple("Other", "page pattern reason")

# Lines, by what they begin with.
ELSEWHERE = [
    Entry(r"scripts/(setup|run|test)\b", "installs packages and builds; scripts/test, step run"),
    Entry(r"scripts/endure", "minutes; tests/interop/test_endure.py"),
    Entry(r"scripts/reproduce", "minutes; tests/test_reproducible.py"),
    Entry(r"scripts/demo-simbricks", "tests/lab/test_simbricks.py"),
    Entry(r"scripts/demo-", "needs root; tests/interop/test_examples.py"),
    Entry(r"(ip|sysctl|mkfifo|curl|systemctl) ", "needs root, or another program that runs beside it; tests/interop"),
    Entry(r"ip netns exec cp /usr/lib/frr/|vtysh ", "needs root and FRR; tests/interop/test_kernel.py"),
    Entry(r"(\S*/)?fastcnctl\b|\.\.\. \| fastcnctl", "needs a running switch; tests/interop/test_fastcnctl.py and test_examples.py"),
    Entry(r"(\S*/)?fastcn .*--vdev", "needs root; tests/interop/test_examples.py"),
    Entry(r"fastcn \.\.\. -- -f CONFIG --metrics", "a form; tests/interop/test_exports.py"),
    Entry(r"fastcn-endpoint .*--port", "needs root; tests/interop/test_examples.py"),
    Entry(r"fastcn-endpoint \.\.\. --set", "a part of a command; tests/interop/test_endpoint.py"),
    Entry(r"fastcn-pnc --interface", "needs root; tests/interop/test_pnc.py"),
    Entry(r"fastcn-qpd --listen", "needs certificates; tests/interop/test_qpd.py"),
    Entry(r"fastcn-host (show|watch)", "needs adapters; tests/interop/test_host_qp.py"),
    Entry(r"doc/make_pages.py ", "tests/docs/test_pages.py"),
    Entry(r"echo vfio-pci|driverctl |modprobe |devlink |rdma |apt-get install librte", "changes the machine; tests/test_nic_check.py has what nic-check says of it"),
    Entry(r"wireshark ", "a graphical program"),
    Entry(r"tshark -X .* FILE\.pcapng", "a form; tests/interop/test_capture.py reads captures"),
    Entry(r"cp /usr/share|echo 'FASTCN|mkdir -p /etc|printf '\[Unit|>/etc|podman |dpkg-buildpackage|apt install",
          "installs on the whole system; the test of the package and of the unit"),
    Entry(r"meson |tests/interop/test_end_to_end.py", "the build that runs this test; minutes"),
    Entry(r"fastcn-lab sweep|fastcn-lab .*x(4|7)-|fastcn-lab .*--set N=32", "minutes; scripts/lab, and the suite lab of the tests"),
    Entry(r"scripts/lab tune", "an hour; tests/lab/test_tune.py"),
    Entry(r"fastcn-lab SCENARIO|fastcn replay \[?CONFIG", "a form, not a command"),
    Entry(r"set kernel |set port p1 kernel|show kernel|set srv6 kernel-", "needs root; tests/interop/test_kernel.py"),
    Entry(r"explain in ", "needs what the packet would meet; tests/unit/app/test_explain.c, tests/pcap/test_explain.py"),
    Entry(r"clear err-disable|capture (start|stop)", "needs ports that are closed, or packets; tests/pcap, tests/interop/test_capture.py"),
]

# Indented text that is nothing to type, and what proves it.
NOT_COMMANDS = [
    Other("doc/architecture.md", r"ports of the worker", "picture; scripts/check-walk"),
    Other("doc/architecture.md", r"^control +worker", "picture"),
    Other("doc/architecture.md", r"^carried \+ received", "equation; every replay checks it"),
    Other("doc/congestion.md", r"^(reserve \+ alpha|p = 0|Fb = |level = floor|carried \+ made|2 \* delay)", "equation"),
    Other("doc/congestion.md", r"^port +class +start", "output of config/congestion.conf"),
    Other("doc/fastcn-endpoint.md", r"^--set ", "options; tests/interop/test_endpoint.py"),
    Other("doc/getting-started.md", r"^Notices: ", "output of scripts/run; test_report"),
    Other("doc/getting-started.md", r"^fastcn.*> ", "the console; test_transcript"),
    Other("doc/hosts.md", r"^printf ", "certificates; tests/interop/test_qpd.py runs these lines"),
    Other("doc/hosts.md", r"^ln -s /run", "a directory of node_exporter; tests/interop/test_qpd.py"),
    Other("doc/install.md", r"^/etc/fastcn", "files"),
    Other("doc/install.md", r"^(gpg |mkdir -p repository|cp fastcn.gpg)", "an apt repository; tests/interop/test_package.py"),
    Other("doc/nics.md", r"^# scripts/nic-check|^GRUB_CMDLINE|^FASTCN_EAL", "output, and files of a machine; tests/test_nic_check.py"),
    Other("doc/ports.md", r"^device veth1: EAL", "an error; tests/interop/test_pmds.py"),
    Other("doc/fleet.md", r"^(FASTCN_OPTIONS|topk|promtool|clickhouse-client|SELECT|parallel|jq|sbatch) ?",
          "other programs; tests/interop/test_fleet.py, and the page says what it does not run"),
    Other("doc/check.md", r"^FAULT", "output for another capture; tests of fastcn-check"),
    Other("doc/hosts.md", r"^(FASTCN_HOST_OPTIONS|\$ fastcn-host show|\$ scripts/demo-host)",
          "options, and output on a host with adapters; tests/interop/test_host_qp.py, test_host_demo.py"),
    Other("doc/kernel.md", r"^interface sw1", "configuration of FRR; tests/interop/test_kernel.py"),
    Other("doc/lab.md", r"^incast.lab:8:26", "output; the suite lab of the tests"),
    Other("doc/lab.md", r"^num_ranks 2", "a trace; tests/unit/lab/test_goal.c"),
    Other("doc/api.md", r"^(\$ curl -i|import fastcn|switch = fastcn|python3 -m fastcn|fastcn.conf.new:)",
          "asks a running switch; tests/interop/test_api.py and test_fleet_examples.py"),
    Other("doc/metrics.md", r"^--> /fastcn", "input of DPDK's telemetry; tests/interop/test_exports.py"),
    Other("doc/pnc.md", r"^(# protocol algorithm|router bgp|FASTCN_PNC_OPTIONS)", "files of others; tests/interop/test_pnc*.py"),
    Other("doc/ports.md", r"^(fastcn: (port|warning)| `blocksz`| a multiple|fastcn -l)", "output, or needs root; tests/interop/test_pmds.py"),
    Other("doc/remote.md", r"ok LENGTH|UNIX-CONNECT|^import json|^--socket /run|^column 1: this needs|^fastcn: session",
          "protocol, options, output, and programs of others; tests/interop/test_remote.py"),
    Other("doc/troubleshooting.md", r"^sender +flow", "output; tests/pcap/top-flows"),
    Other("doc/workers.md", r"^fastcn> show worker", "figures of a busy switch; tests/interop/test_end_to_end.py"),
    Other("doc/workers.md", r"^fastcn> set worker stage-cycles", "cycles of a busy switch; tests/unit/dataplane/test_stage_cycles.c"),
]

# What a block of console lines needs that its page does not show: page, first line, lines in front of it.
CONTEXT = [
    ("doc/srv6.md", "srv6 steering add 2001:db8:2::/48 policy east dscp 26 roce on", ["srv6 policy add west", "table add red"]),
]
