# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a show says, for scripts: the whole value as JSON, or members of it, one in a line.

    python3 -m fastcn [WHERE] SHOW [PARAMETER=VALUE ...] [.MEMBER[.MEMBER] ...]

WHERE is the name of a switch with @ in front, the path of its socket or a URL; without it, the switch named fastcn.

    python3 -m fastcn queue port=p1 class=3 .occ_last
    python3 -m fastcn @leaf conservation .dropped .queued
    python3 -m fastcn http://127.0.0.1:9750 notify .total.sent
"""

import json
import sys

from . import Error, connect


def members(value, path):
    """The values at a path; of a list, those of its elements."""
    if isinstance(value, list) and path:
        return [found for element in value for found in members(element, path)]
    if not path:
        return [value]
    if not isinstance(value, dict) or path[0] not in value:
        raise Error(f"there is no member {path[0]}")
    return members(value[path[0]], path[1:])


def main(words):
    where = "fastcn"
    if words and (words[0].startswith("@") or "/" in words[0]):
        where, words = words[0].removeprefix("@"), words[1:]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__.strip())
    paths = [word[1:].split(".") for word in words[1:] if word.startswith(".")]
    parameters = {}
    for word in words[1:]:
        if not word.startswith("."):
            name, equals, value = word.partition("=")
            parameters[name] = value if equals else True
    try:
        with connect(where, timeout=30) as switch:
            value = switch.show(words[0], **parameters)
        if not paths:
            print(json.dumps(value, indent=2))
        for path in paths:
            for found in members(value, path):
                print(found if isinstance(found, str) else json.dumps(found))
    except Error as e:
        print(f"fastcn: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
