#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The software bill of materials of a build: it has all that SPDX 2.3 demands, and what it says is what other programs find: the
digests of sha1sum and sha256sum, the licences of grep, the libraries of the dynamic linker, and the versions in dpkg's own files.

usage: test_sbom.py SBOM PROGRAM...
"""

import copy
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = ("app", "config", "drivers", "lib", "scripts")
SBOM, PROGRAMS = "", []

# Clause 11.1 of SPDX 2.3.
RELATIONSHIPS = set("""DESCRIBES DESCRIBED_BY CONTAINS CONTAINED_BY DEPENDS_ON DEPENDENCY_OF DEPENDENCY_MANIFEST_OF
    BUILD_DEPENDENCY_OF DEV_DEPENDENCY_OF OPTIONAL_DEPENDENCY_OF PROVIDED_DEPENDENCY_OF TEST_DEPENDENCY_OF
    RUNTIME_DEPENDENCY_OF EXAMPLE_OF GENERATES GENERATED_FROM ANCESTOR_OF DESCENDANT_OF VARIANT_OF DISTRIBUTION_ARTIFACT
    PATCH_FOR PATCH_APPLIED COPY_OF FILE_ADDED FILE_DELETED FILE_MODIFIED EXPANDED_FROM_ARCHIVE DYNAMIC_LINK STATIC_LINK
    DATA_FILE_OF TEST_CASE_OF BUILD_TOOL_OF DEV_TOOL_OF TEST_OF TEST_TOOL_OF DOCUMENTATION_OF OPTIONAL_COMPONENT_OF
    METAFILE_OF PACKAGE_OF AMENDS PREREQUISITE_FOR HAS_PREREQUISITE REQUIREMENT_DESCRIPTION_FOR SPECIFICATION_FOR
    OTHER""".split())
# Of the SPDX License List.
LICENCES = {"BSD-3-Clause", "BSD-2-Clause", "MIT", "Apache-2.0", "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-2.0-or-later",
            "GPL-2.0-only", "GPL-2.0-or-later", "ISC", "Zlib"}
FILE_TYPES = {"SOURCE", "BINARY", "ARCHIVE", "APPLICATION", "AUDIO", "IMAGE", "TEXT", "VIDEO", "DOCUMENTATION", "SPDX", "OTHER"}


def demand(truth, what):
    if not truth:
        raise ValueError(what)


def check_licence(value, what):
    demand(value in LICENCES | {"NOASSERTION", "NONE"}, f"{what}: licence {value}")


def check_element(element, seen, what):
    demand(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", element["SPDXID"]), f"{what}: SPDXID")
    demand(element["SPDXID"] not in seen, f"{what}: {element['SPDXID']} twice")
    seen.add(element["SPDXID"])


def check_checksums(element, what):
    length = {"SHA1": 40, "SHA256": 64}
    for x in element["checksums"]:
        demand(re.fullmatch("[0-9a-f]{%d}" % length[x["algorithm"]], x["checksumValue"]), f"{what}: checksum")
    return {x["algorithm"] for x in element["checksums"]}


def check(document):
    """What each clause demands; a ValueError or KeyError says what is wrong."""
    seen = {"SPDXRef-DOCUMENT"}
    demand(document["spdxVersion"] == "SPDX-2.3", "6.1")
    demand(document["dataLicense"] == "CC0-1.0", "6.2")
    demand(document["SPDXID"] == "SPDXRef-DOCUMENT", "6.3")
    demand(document["name"].strip() != "", "6.4")
    demand(re.fullmatch(r"[a-z][a-z0-9+.-]*:[^#\s]+", document["documentNamespace"]), "6.5")
    creators = document["creationInfo"]["creators"]
    demand(creators and all(re.match("(Person|Organization|Tool): .", x) for x in creators), "6.8")
    demand(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]), "6.9")
    for p in document["packages"]:
        check_element(p, seen, "7.2")
        demand(p["name"].strip() != "", "7.1")
        demand(re.match(r"NOASSERTION$|NONE$|(git|https?|ftp)[+:]", p["downloadLocation"]), "7.7")
        demand(p["filesAnalyzed"] == ("packageVerificationCode" in p), "7.8, 7.9")
        for key in ("licenseConcluded", "licenseDeclared"):
            check_licence(p[key], "7.13, 7.15")
        demand(p["copyrightText"] != "", "7.17")
        for x in p.get("externalRefs", ()):
            demand(x["referenceCategory"] in ("PACKAGE-MANAGER", "SECURITY", "PERSISTENT-ID", "OTHER"), "7.21")
            demand(x["referenceType"] == "purl", "Annex F")
            demand(re.fullmatch(r"pkg:deb/debian/[a-z0-9.%+-]+@[^\s?@]+[?]arch=\w+", x["referenceLocator"]), "Annex F")
        demand("supplier" not in p or re.match("(Person|Organization): .|NOASSERTION$", p["supplier"]), "7.5")
    for f in document["files"]:
        check_element(f, seen, "8.2")
        demand(f["fileName"].startswith("./"), "8.1")
        demand(set(f["fileTypes"]) <= FILE_TYPES, "8.3")
        demand("SHA1" in check_checksums(f, "8.4"), "8.4")
        check_licence(f["licenseConcluded"], "8.5")
        demand(f["licenseInfoInFiles"], "8.6")
        for x in f["licenseInfoInFiles"]:
            check_licence(x, "8.6")
        demand(f["copyrightText"] != "", "8.8")
    for r in document["relationships"]:
        demand(r["relationshipType"] in RELATIONSHIPS, "11.1")
        demand({r["spdxElementId"], r["relatedSpdxElement"]} <= seen, f"11.1: {r}")
    demand(any(r["relationshipType"] == "DESCRIBES" and r["spdxElementId"] == "SPDXRef-DOCUMENT"
               for r in document["relationships"]), "11.1: it describes nothing")


def say(*command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SBOM, encoding="utf-8") as f:
            cls.document = json.load(f)

    def test_form(self):
        check(self.document)

    def test_what_is_missing_is_found(self):
        """Each member that SPDX demands, taken away or spoilt, is missed."""
        def without(*path):
            document = copy.deepcopy(self.document)
            at = document
            for key in path[:-1]:
                at = at[key]
            del at[path[-1]]
            return document

        def with_value(value, *path):
            document = copy.deepcopy(self.document)
            at = document
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            return document
        wrong = [without(key) for key in self.document]
        wrong += [without("packages", 0, key) for key in ("SPDXID", "name", "downloadLocation", "packageVerificationCode")]
        wrong += [without("files", 3, key) for key in ("SPDXID", "fileName", "checksums")]
        wrong += [without("creationInfo", key) for key in ("created", "creators")]
        wrong += [with_value("SPDX-2.2", "spdxVersion"), with_value("a#b", "documentNamespace"),
                  with_value(self.document["files"][0]["SPDXID"], "files", 1, "SPDXID"),
                  with_value("SPDXRef-none", "relationships", 0, "relatedSpdxElement"),
                  with_value("LINKS", "relationships", 1, "relationshipType"),
                  with_value("BSD", "packages", 0, "licenseDeclared"),
                  with_value("0" * 39, "files", 0, "checksums", 0, "checksumValue")]
        for document in wrong:
            with self.assertRaises((ValueError, KeyError)):
                check(document)

    def test_files(self):
        """All sources, and their digests."""
        names = ["./" + x for x in say("find", *SOURCES, "-type", "f", "!", "-path", "*/__pycache__/*").splitlines()]
        files = {f["fileName"]: f for f in self.document["files"]}
        self.assertEqual(set(files), set(names))
        for program, algorithm in (("sha1sum", "SHA1"), ("sha256sum", "SHA256")):
            found = dict(reversed(x.split("  ", 1)) for x in say(program, *names).splitlines())
            said = {n: next(c["checksumValue"] for c in f["checksums"] if c["algorithm"] == algorithm) for n, f in files.items()}
            self.assertEqual(said, found)
        licensed = say("grep", "-rlE", "--exclude-dir=__pycache__", "SPDX-License-Identifier: BSD-3-Clause$", *SOURCES).split("\n")
        said = {n for n, f in files.items() if f["licenseInfoInFiles"] == ["BSD-3-Clause"]}
        self.assertEqual(said, {"./" + x for x in licensed if x})
        self.assertGreater(len(said), 0.9 * len(names))

    def test_verification_code(self):
        code = say("sh", "-c", "sha1sum $(find \"$@\" -type f ! -path '*/__pycache__/*') | cut -c 1-40 | LC_ALL=C sort | "
                   "tr -d '\\n' | sha1sum", "sh", *SOURCES)
        (own,) = [p for p in self.document["packages"] if p["filesAnalyzed"]]
        self.assertEqual(own["packageVerificationCode"]["packageVerificationCodeValue"], code.split()[0])

    def test_libraries(self):
        """Those that the dynamic linker loads, with the versions in dpkg's files."""
        if not os.path.exists("/var/lib/dpkg/status"):
            self.skipTest("no dpkg")
        loaded = set()
        for program in PROGRAMS:
            for line in say("env", "LD_TRACE_LOADED_OBJECTS=1", os.path.abspath(program)).splitlines():
                if " => /" in line:
                    loaded.add(line.split()[0])
        packages = {p["name"]: p for p in self.document["packages"] if not p["filesAnalyzed"]}
        provided = {x for p in packages.values() for x in p.get("comment", "").removeprefix("Provides ").split(", ")}
        self.assertEqual(provided | {n for n, p in packages.items() if "comment" not in p}, loaded)
        with open("/var/lib/dpkg/status", encoding="utf-8") as f:
            versions = {}
            for paragraph in f.read().split("\n\n"):
                fields = dict(re.findall(r"^(Package|Version|Status): (.*)$", paragraph, re.M))
                if fields.get("Status", "").endswith(" installed"):
                    versions[fields["Package"]] = fields["Version"]
        for name, p in packages.items():
            if "comment" in p:
                self.assertEqual(p["versionInfo"], versions[name])
                lists = "".join(pathlib.Path(x).read_text() for x in glob.glob(f"/var/lib/dpkg/info/{name}[:.]*list"))
                for library in p["comment"].removeprefix("Provides ").split(", "):
                    self.assertIn("/" + library, lists)
        direct = {x for program in PROGRAMS
                  for x in re.findall(r"NEEDED\s+(\S+)", say("objdump", "-p", os.path.abspath(program)))} & loaded
        linked = {r["relatedSpdxElement"] for r in self.document["relationships"] if r["relationshipType"] == "DYNAMIC_LINK"}
        for p in packages.values():
            mine = set(p.get("comment", p["name"]).removeprefix("Provides ").split(", "))
            self.assertEqual(bool(mine & direct), p["SPDXID"] in linked, p["name"])


if __name__ == "__main__":
    SBOM, PROGRAMS = sys.argv[1], sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
