#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Run the regression cases of this directory through `fastcn replay`; README.md tells what a case is made of.

Usage: run.py --fastcn PATH [--case NAME]... [--jobs N] [--once] [--accepted DIR [--same]]
              [--regenerate] [--keep DIR]
Each case is replayed twice; both runs must give the same octets, the expected ones, and satisfy the case's oracles.
With --once, the second run is left out. With --accepted, a digest of each run that the oracles accept is left in DIR, and they
are not asked again about a run whose digest is there; with --same as well, the run is the second one of the two, and must be
the same as that of the build that left the digest.
Prints one line a case, then "N passed, N failed".
"""

import argparse
import concurrent.futures
import contextlib
import functools
import hashlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.normpath(os.path.join(HERE, "..", "oracle"))
CONF = "fastcn.conf"             # a folder that has it is a case
DATA = os.path.normpath(os.path.join(HERE, "..", "data"))
sys.path.insert(0, ORACLE)

from fcnoracle import bpf, capture, config, defaults, report, walker  # noqa: E402

KEYS = {"inputs", "outputs", "speed", "oracle", "without", "more", "status", "stderr", "counters", "arguments",
        "timeout"}
MISSING = report.MISSING
# Enough for every case; that of fastcn takes most of the time of most cases to be filled.
MBUFS = "4095"
# What a run says beside captures and counters.
SAYS = ["--quiet", "--series", "series", "--after", "show events json"]
# A new expected capture that is longer is kept as a digest.
DIGEST_FROM = 64 * 1024


class Failed(Exception):
    """Why a case fails."""


class Case:
    """A case as its directory describes it."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        readme = read(os.path.join(path, "README.md"))
        if readme is None:
            raise Failed("README.md is missing: what does the case show, and which oracle says so?")
        spec = self.load_spec()
        unknown = set(spec) - KEYS
        if unknown:
            raise Failed("case.json: unknown keys %s" % sorted(unknown))
        self.status = spec.get("status", 0)
        ports = list(config.read(os.path.join(path, CONF)).ports)
        self.inputs = spec.get("inputs", {
            p: [{"file": p + ".pcap"}] for p in ports if os.path.exists(os.path.join(path, p + ".pcap"))})
        self.outputs = spec.get("outputs", ports if self.status == 0 else [])
        self.speed = str(spec.get("speed", 1))
        self.oracle = spec.get("oracle", [])
        self.without = spec.get("without", [])
        self.more = spec.get("more", {})
        self.stderr = spec.get("stderr", [])
        self.counters = spec.get("counters", [])
        self.arguments = spec.get("arguments", [])
        self.timeout = spec.get("timeout", 120)
        for name in self.without:
            if name not in defaults.NAMES:
                raise Failed("case.json: %s is no default oracle" % name)
            if "Without `%s`: " % name not in readme.decode():
                raise Failed("README.md does not say why: \"Without `%s`: ...\"" % name)

    def load_spec(self):
        try:
            with open(os.path.join(self.path, "case.json"), encoding="utf-8") as f:
                return json.load(f)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as e:
            raise Failed("case.json: %s" % e) from None

    def expected(self, name):
        return os.path.join(self.path, "expected", name)

    def input_file(self, name):
        """A file of the case, or else of tests/data."""
        for folder in (self.path, DATA):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return path
        raise Failed("input %s is neither in the case nor in tests/data" % name)

    def command(self, fastcn):
        out = [fastcn, "replay", os.path.join(self.path, CONF)]
        for port, files in self.inputs.items():
            for item in files:
                out += ["--in", "%s=%s" % (port, self.input_file(item["file"]))]
                if "filter" in item:
                    out += ["--filter", item["filter"]]
        for port in self.outputs:
            out += ["--out", "%s=%s.pcap" % (port, port)]
        words = [word.replace("{case}", self.path) for word in self.arguments]
        if "--mbufs" not in words:
            words = ["--mbufs", MBUFS] + words
        return out + ["--speed", self.speed, "--json", "counters.json"] + SAYS + words


def replay(case, fastcn, folder):
    """One run, in a folder of its own; outputs have names without a path so that runs can be compared."""
    os.makedirs(folder)
    with open(os.path.join(folder, "stdout"), "wb") as out, open(os.path.join(folder, "stderr"), "wb") as err:
        try:
            status = subprocess.run(case.command(fastcn), cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    timeout=case.timeout, check=False).returncode
        except subprocess.TimeoutExpired:
            raise Failed("no end after %d s" % case.timeout) from None
        except OSError as e:
            raise Failed("cannot run %s: %s" % (fastcn, e)) from None
    said = read(os.path.join(folder, "stderr")).decode(errors="replace")
    if status != case.status:
        tail = "".join("\n    " + line for line in said.splitlines()[-8:])
        raise Failed("exit status %d, expected %d%s" % (status, case.status, tail))
    for text in case.stderr:
        if text not in said:
            raise Failed("stderr does not say %r but: %s" % (text, said.strip()))
    if case.status == 0 and not case.stderr and said:
        raise Failed("stderr is not empty: %s" % said.strip())
    want = read(os.path.join(case.path, "stderr"))
    if want is not None and neutral(case, said) != want.decode():
        raise Failed("stderr is not the expected\n%s\nbut\n%s" % (want.decode().strip(), neutral(case, said).strip()))


def neutral(case, said):
    """What was said, the same on every machine."""
    return said.replace(case.path + os.sep, "").replace(DATA + os.sep, "")


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def same_runs(case, first, second):
    for name in [p + ".pcap" for p in case.outputs] + ["counters.json", "series", "stdout", "stderr"]:
        a, b = read(os.path.join(first, name)), read(os.path.join(second, name))
        if a != b:
            raise Failed("two runs differ in %s" % name)


def same_capture(want, got, name):
    """Compare two captures record by record."""
    if not os.path.exists(got):
        raise Failed("%s was not written" % name)
    try:
        a, b = capture.load(want), capture.load(got)
    except capture.CaptureError as e:
        raise Failed(str(e)) from None
    if (a.linktype, a.nano) != (b.linktype, b.nano):
        raise Failed("%s: link type or precision changed" % name)
    for n, (x, y) in enumerate(zip(a.records, b.records), 1):
        if x != y:
            raise Failed("%s: record %d differs\n%s" % (name, n, show(x, y)))
    if len(a.records) != len(b.records):
        longer, what = (a, "missing") if len(a.records) > len(b.records) else (b, "new")
        n = min(len(a.records), len(b.records))
        raise Failed("%s: %d records, expected %d; first %s one:\n    %s" % (
            name, len(b.records), len(a.records), what, describe(longer.records[n])))


def describe(record):
    return "%d.%09d %s" % (*divmod(record.time, 10**9), walker.walk(record.data).describe())


def show(want, got):
    """Two records that should be the same, for a person."""
    lines = ["    expected %s" % describe(want), "    got      %s" % describe(got)]
    changed = [i for i, (a, b) in enumerate(zip(want.data, got.data)) if a != b]
    if changed:
        first = changed[0] & ~15
        lines.append("    %d octets differ, the first at %d" % (len(changed), changed[0]))
        lines.append("    %04d expected %s" % (first, want.data[first:first + 16].hex(" ")))
        lines.append("    %04d got      %s" % (first, got.data[first:first + 16].hex(" ")))
    return "\n".join(lines)


def load_counters(case, folder):
    blob = read(os.path.join(folder, "counters.json"))
    if blob is None:
        if case.status == 0:
            raise Failed("counters.json was not written")
        return None
    try:
        counters = json.loads(blob)
    except ValueError as e:
        raise Failed("counters.json: %s" % e) from None
    if report.select(counters, "/conservation/ok") is not True:
        raise Failed("packets are not accounted for: %s" % json.dumps(counters.get("conservation")))
    return counters


def selected(case, counters):
    out = {}
    for pointer in case.counters:
        out[pointer] = report.select(counters, pointer)
        if out[pointer] is MISSING:
            raise Failed("counters.json has no %s" % pointer)
    return out


def same_counters(case, counters):
    if not case.counters:
        return
    blob = read(case.expected("counters.json"))
    if blob is None:
        raise Failed("expected/counters.json is missing; --regenerate writes it")
    want, got = json.loads(blob), selected(case, counters)
    for pointer in sorted(set(want) | set(got)):
        if want.get(pointer, MISSING) != got.get(pointer, MISSING):
            raise Failed("counter %s is %s, expected %s" % (
                pointer, json.dumps(got.get(pointer)), json.dumps(want.get(pointer))))


def filtered_inputs(case, folder):
    """Port -> files as the ports saw them: a filtered input becomes a capture of what passed."""
    out = {}
    for port, files in case.inputs.items():
        for n, item in enumerate(files):
            path = case.input_file(item["file"])
            if "filter" in item:
                records = bpf.select(capture.load(path, partial=True).records, item["filter"])
                # What was not captured is delivered as zeros.
                records = [capture.Record(r.time, r.data.ljust(r.length, b"\0"), r.length) for r in records]
                path = os.path.join(folder, "in-%s-%d.pcap" % (port, n))
                capture.save(path, records, nano=True)
            out.setdefault(port, []).append(path)
    return out


def expand(case, words, folder, inputs):
    """Replace the placeholders of an oracle command."""
    out = []
    for word in words:
        if word == "{in}":
            out += [path for paths in inputs.values() for path in paths]
        elif word == "{out}":
            out += [os.path.join(folder, port + ".pcap") for port in case.outputs]
        elif word.startswith("{in:") and word.endswith("}"):
            for port in word[4:-1].split(","):
                if port not in inputs:
                    raise Failed("oracle: no input of port %s" % port)
                out += inputs[port]
        elif word.startswith("{out:") and word.endswith("}"):
            for port in word[5:-1].split(","):
                if port not in case.outputs:
                    raise Failed("oracle: no output of port %s" % port)
                out.append(os.path.join(folder, port + ".pcap"))
        else:
            for name, value in (("{json}", os.path.join(folder, "counters.json")), ("{data}", DATA),
                                ("{case}", case.path), ("{run}", folder), ("{speed}", case.speed)):
                word = word.replace(name, value)
            out.append(word)
    return out


def evidence(case, folder):
    """A digest of all that the oracles judge by: what the run left, the case, tests/data, and they themselves."""
    sums = hashlib.sha256(versions())
    for top in (folder, case.path, DATA, ORACLE):
        for where, folders, names in os.walk(top):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                path = os.path.join(where, name)
                blob = read(path)
                sums.update(b"%s %d " % (os.path.relpath(path, top).encode(), len(blob)) + blob)
    return sums.hexdigest().encode()


@functools.cache
def versions():
    """What the oracles are run by."""
    tshark = subprocess.run(["tshark", "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False).stdout
    return sys.version.encode() + tshark


def judge(case, args, folder):
    """Ask the oracles, unless they have accepted the very same run already."""
    if not args.accepted:
        ask_oracles(case, folder)
        return
    sums, kept = evidence(case, folder), os.path.join(args.accepted, case.name)
    if read(kept) == sums:
        return
    if args.same:
        raise Failed("not the run that was accepted of the other build; --keep keeps both")
    ask_oracles(case, folder)
    os.makedirs(args.accepted, exist_ok=True)
    with open(kept, "wb") as f:
        f.write(sums)


def ask_oracles(case, folder):
    """The default oracles, then the case's own."""
    if not case.outputs:
        return
    inputs = filtered_inputs(case, folder)
    more = {name: [w.replace("{data}", DATA) for w in words] for name, words in case.more.items()}
    run_of = defaults.Run(
        os.path.join(case.path, CONF), inputs, {p: os.path.join(folder, p + ".pcap") for p in case.outputs}, case.speed,
        os.path.join(folder, "counters.json"), os.path.join(folder, "series"), os.path.join(folder, "stdout"), more)
    for words in defaults.commands(run_of, case.without):
        ask(case, words, "default oracle %s" % words[0])
    for words in case.oracle:
        ask(case, expand(case, words, folder, inputs), "oracle %s" % " ".join(words))


def ask(case, command, name):
    """Run an oracle. Raises Failed when it says no."""
    with tempfile.TemporaryFile() as said:
        if command[0].endswith(".py"):
            status = ask_ours(command, said, case.timeout)
        else:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                    timeout=case.timeout, check=False).returncode
        said.seek(0)
        lines = said.read().decode(errors="replace").strip().splitlines()
    if status:
        if len(lines) > 8:
            lines = lines[:4] + ["... %d lines" % (len(lines) - 7)] + lines[-3:]
        raise Failed("%s says no:%s" % (name, "".join("\n    " + line for line in lines)))


def ask_ours(command, said, timeout):
    """Run an oracle of tests/oracle in a process of its own, which has read Python and the oracles' modules already: that takes
    longer than most answers. @return its exit status, or minus the signal that ended it; said has what it printed"""
    oracle = importlib.import_module(command[0][:-len(".py")])
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(timeout)
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
            sys.argv = command
            status = oracle.main(command[1:])
        except SystemExit as e:
            status = e.code
            if isinstance(status, str):
                print(status)
                status = 1
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status or 0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def digest(path):
    """One line that stands for a capture: link type, times and octets of all records."""
    found = capture.load(path)
    sums = hashlib.sha256(b"%d" % found.linktype)
    for r in found.records:
        sums.update(b"%d %d " % (r.time, len(r.data)) + r.data)
    return "%d packets, SHA-256 %s\n" % (len(found.records), sums.hexdigest())


def same_digest(case, port, folder):
    want, got = read(case.expected(port + ".digest")), digest(os.path.join(folder, port + ".pcap")).encode()
    if want != got:
        raise Failed("%s.pcap has %s, expected %s" % (port, got.decode().strip(), want.decode().strip()))


def same_as_expected(case, folder, counters):
    for port in case.outputs:
        if os.path.exists(case.expected(port + ".digest")):
            same_digest(case, port, folder)
            continue
        want = case.expected(port + ".pcap")
        if os.path.exists(want):
            same_capture(want, os.path.join(folder, port + ".pcap"), port + ".pcap")
        elif case.status == 0:
            raise Failed("expected/%s.pcap is missing; --regenerate writes it" % port)
    if counters is not None:
        same_counters(case, counters)


def regenerate(case, folder, counters):
    """Make the outputs of a run that every oracle has accepted the expected ones."""
    digests = {p for p in case.outputs if os.path.exists(case.expected(p + ".digest"))}
    captures = {p for p in case.outputs if os.path.exists(case.expected(p + ".pcap"))}
    shutil.rmtree(os.path.join(case.path, "expected"), ignore_errors=True)
    made = {}
    for port in case.outputs:
        path = os.path.join(folder, port + ".pcap")
        if not os.path.exists(path):
            continue
        if port in digests or port not in captures and os.path.getsize(path) > DIGEST_FROM:
            made[port + ".digest"] = digest(path).encode()
        else:
            made[port + ".pcap"] = read(path)
    if counters is not None and case.counters:
        made["counters.json"] = (json.dumps(selected(case, counters), indent=1, sort_keys=True) + "\n").encode()
    if made:
        os.makedirs(os.path.join(case.path, "expected"))
    for name, content in made.items():
        with open(case.expected(name), "wb") as f:
            f.write(content)


def run(path, args, folder):
    """Run one case. Raises Failed."""
    case = Case(path)
    first, second = os.path.join(folder, "1"), os.path.join(folder, "2")
    replay(case, args.fastcn, first)
    if not args.once:
        replay(case, args.fastcn, second)
        same_runs(case, first, second)
    counters = load_counters(case, first)
    # Oracles come first: what they refuse must never be looked at as expected.
    judge(case, args, first)
    if args.regenerate:
        regenerate(case, first, counters)
    same_as_expected(case, first, counters)


def outcome(args, top, name):
    """Run one case in a folder of top. @return whether it passed, and what to say"""
    folder = os.path.join(top, name)
    if args.keep and os.path.exists(folder):
        shutil.rmtree(folder)
    try:
        run(os.path.join(args.cases, name), args, folder)
    except Failed as e:
        return False, "FAIL %s: %s" % (name, e)
    except Exception as e:  # a broken case must not hide the others
        return False, "FAIL %s: %s: %s" % (name, type(e).__name__, e)
    return True, "ok   %s%s" % (name, " (regenerated)" if args.regenerate else "")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fastcn", metavar="PATH")
    parser.add_argument("--case", action="append", default=[], metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--cases", default=HERE, metavar="DIR", help="where the cases are")
    parser.add_argument("--once", action="store_true", help="one run a case: whether two are the same stays open")
    parser.add_argument("--accepted", metavar="DIR", help="digests of accepted runs; oracles are not asked about these again")
    parser.add_argument("--same", action="store_true", help="with --accepted: there must be no others")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cases that run at the same time (1)")
    parser.add_argument("--regenerate", action="store_true", help="rewrite expected/ of cases whose oracles say yes")
    parser.add_argument("--keep", metavar="DIR", help="keep the runs' outputs here")
    parser.add_argument("--list", action="store_true", help="only print the names of all cases")
    parser.add_argument("--but", nargs="*", default=[], metavar="NAME", help="all cases but these; there may be none left")
    args = parser.parse_args(argv)
    names = sorted(n for n in os.listdir(args.cases) if os.path.exists(os.path.join(args.cases, n, CONF)))
    if args.list:
        print("\n".join(names))
        return 0
    gone = sorted(set(args.but) - set(names))
    if gone:
        sys.exit("run.py: no such case any more: %s" % ", ".join(gone))
    if not args.fastcn:
        parser.error("--fastcn is needed")
    args.fastcn = os.path.abspath(args.fastcn)
    unknown = sorted(set(args.case) - set(names))
    if unknown:
        sys.exit("run.py: no such case: %s" % ", ".join(unknown))
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="fastcn-pcap-") as scratch, contextlib.ExitStack() as stack:
        each = map
        if args.jobs > 1:
            each = stack.enter_context(concurrent.futures.ProcessPoolExecutor(args.jobs)).map
        top = os.path.abspath(args.keep) if args.keep else scratch
        for ok, said in each(functools.partial(outcome, args, top), args.case or [n for n in names if n not in args.but]):
            passed += ok
            failed += not ok
            print(said, flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed and not args.but else 0


if __name__ == "__main__":
    sys.exit(main())
