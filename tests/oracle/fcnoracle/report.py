# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The JSON report of a replay: values by pointer."""

MISSING = object()


def select(document, pointer):
    """What a JSON pointer (RFC 6901) points to, MISSING when nothing.

    In a list a part may also be KEY=VALUE,KEY=VALUE: the one element whose members are these.
    """
    if not pointer:
        return document
    for part in pointer[1:].split("/"):
        part = part.replace("~1", "/").replace("~0", "~")
        try:
            if isinstance(document, list) and "=" in part:
                wanted = dict(word.split("=", 1) for word in part.split(","))
                found = [e for e in document if all(str(e.get(k)) == v for k, v in wanted.items())]
                if len(found) != 1:
                    return MISSING
                document = found[0]
            else:
                document = document[int(part)] if isinstance(document, list) else document[part]
        except (KeyError, IndexError, ValueError, TypeError, AttributeError):
            return MISSING
    return document


def number(document, pointer):
    """A counter. The report leaves out rows of lists whose counters are all 0."""
    value = select(document, pointer)
    return 0 if value is MISSING else value
