#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Write the files of the page of the switch as C.

embed.py OUTPUT FILE...
"""

import hashlib
import os
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".svg": "image/svg+xml"}


def main():
    output, *files = sys.argv[1:]
    text, rows = "/* Made by lib/export/page/embed.py. */\n\n#include \"page_server.h\"\n\n", ""
    for n, path in enumerate(files):
        name = os.path.basename(path)
        with open(path, "rb") as f:
            data = f.read()
        lines = (",".join(str(byte) for byte in data[at:at + 32]) for at in range(0, len(data), 32))
        text += f"/* {name} */\nstatic const unsigned char file{n}[] = {{\n" + ",\n".join(lines) + "};\n\n"
        rows += (f'\t\t{{"/{"" if name == "index.html" else name}", "{TYPES[os.path.splitext(name)[1]]}", '
                 f'"\\"{hashlib.sha256(data).hexdigest()[:16]}\\"", file{n}, sizeof(file{n})}},\n')
    text += f"const struct page_file page_files[] = {{\n{rows}\t\t{{NULL, NULL, NULL, NULL, 0}},\n}};\n"
    with open(output, "w", encoding="ascii") as f:
        f.write(text)


if __name__ == "__main__":
    main()
