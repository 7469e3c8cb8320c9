# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What earlier sweeps into the same directory have done: a line for each run, in sweep.done, with what it was made of."""

import hashlib
import json
import os
import time

from result import Wrong, member

NAME = "sweep.done"


def digest(path):
    """SHA-256 of a file; None if it cannot be read."""
    try:
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()
    except OSError:
        return None


class Journal:
    """Runs that are complete. One is as it was if program, arguments and all files that it read are, and so is its result."""

    def __init__(self, folder, program, scenario, arguments):
        self.folder, self.scenario, self.begun = folder, scenario, time.time()
        self.same = {"program": digest(program), "scenario": digest(scenario), "arguments": arguments}
        self.found, self.known, line = {}, {}, "\n"
        try:
            with open(self.path(NAME), encoding="utf-8") as f:
                for line in f:
                    self.take(line)
        except FileNotFoundError:
            pass
        except (OSError, UnicodeDecodeError) as e:
            raise Wrong("%s: %s" % (self.path(NAME), getattr(e, "strerror", None) or "not a line as this program writes it")) from e
        self.before = "" if line.endswith("\n") else "\n"  # what the next line needs before it

    def take(self, line):
        """A line that is cut off, as the last one may be, or otherwise broken stands for nothing."""
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(entry, dict) and isinstance(entry.get("run"), str):
            self.found[entry["run"]] = entry

    def path(self, name):
        return os.path.join(self.folder, name)

    def beside(self, name):
        """The digest of a file that the scenario names, computed once."""
        if name not in self.known:
            self.known[name] = digest(os.path.join(os.path.dirname(self.scenario), name))
        return self.known[name]

    def result(self, run, name):
        """The text of the result of a run that is not to be run again; None: it is."""
        entry, files = self.found.get(run), member(self.found.get(run), "files")
        if not isinstance(files, dict) or None in self.same.values() or any(entry.get(k) != v for k, v in self.same.items()):
            return None
        if any(wanted is None or self.beside(file) != wanted for file, wanted in files.items()):
            return None
        try:
            with open(self.path(name), "rb") as f:
                text = f.read()
        except OSError:
            return None
        return text if hashlib.sha256(text).hexdigest() == entry.get("result") else None

    def changed(self, files):
        """Whether a file, or the scenario, has changed since this sweep began: nobody knows then what a run has read."""
        paths = [self.scenario] + [os.path.join(os.path.dirname(self.scenario), file) for file in files]
        try:
            return any(os.stat(path).st_mtime >= self.begun for path in paths)
        except OSError:
            return True

    def save(self, run, name, text, files):
        """Write a result, and then that it is there."""
        part = self.path(name) + ".part"
        with open(part, "wb") as f:
            f.write(text)
        os.replace(part, self.path(name))
        if not all(isinstance(file, str) for file in files) or self.changed(files):
            return
        entry = {"run": run, **self.same, "files": {file: self.beside(file) for file in files},
                 "result": hashlib.sha256(text).hexdigest()}
        with open(self.path(NAME), "a", encoding="utf-8") as f:
            f.write(self.before + json.dumps(entry) + "\n")
        self.before = ""
