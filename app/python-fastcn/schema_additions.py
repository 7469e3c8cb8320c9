#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a new schema of the shows takes away from an old one of the same version: nothing may be.

schema_additions.py OLD NEW: print what disappeared or got another type, and exit with status 1 if anything did.

Programs that were written for OLD have to understand what NEW describes. So a `show`, a member of an object and a
parameter may be added. A member that was always there has to stay so; no value may get a type that it could not have.
"""

import json
import sys


def types(schema):
    """The types that a value may have; None: any."""
    kind = schema.get("type")
    return None if kind is None else set([kind] if isinstance(kind, str) else kind)


def taken_away(old, new, where):
    """What a program that reads values by `old` misses in values by `new`, as lines."""
    before, now = types(old), types(new)
    if before is not None and (now is None or not now <= before):
        yield f"{where}: was {' or '.join(sorted(before))}, is {' or '.join(sorted(now)) if now else 'anything'}"
        return
    for name, member in old.get("properties", {}).items():
        path = f"{where}.{name}"
        if name not in new.get("properties", {}):
            yield f"{path}: is gone"
            continue
        if name in old.get("required", []) and name not in new.get("required", []):
            yield f"{path}: was always there, may now be missing"
        yield from taken_away(member, new["properties"][name], path)
    if "items" in old:
        yield from taken_away(old["items"], new.get("items", {}), where + "[]")
    if "additionalProperties" in old:
        yield from taken_away(old["additionalProperties"], new.get("additionalProperties", {}), where + ".*")
    for pattern, member in old.get("patternProperties", {}).items():
        if pattern not in new.get("patternProperties", {}):
            yield f"{where}.{pattern[1:]}*: is gone"
        else:
            yield from taken_away(member, new["patternProperties"][pattern], f"{where}.{pattern[1:]}*")


def all_taken_away(old, new):
    """The same of whole schemas, also of the parameters of shows."""
    if old["$id"] != new["$id"]:
        return
    for name, show in old["$defs"].items():
        if name not in new["$defs"]:
            yield f"{name}: is gone"
            continue
        for parameter in show["x-parameters"]:
            if parameter not in new["$defs"][name]["x-parameters"]:
                yield f"{name}: the parameter {parameter} is gone"
        yield from taken_away(show, new["$defs"][name], name)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    old, new = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
    lines = list(all_taken_away(old, new))
    for line in lines:
        print(f"{line}: within a version the schema only grows", file=sys.stderr)
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
