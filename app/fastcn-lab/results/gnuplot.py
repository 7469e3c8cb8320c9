# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A picture that gnuplot draws.

NAME.gp has the data and the commands that draw them, so that a user can change it and draw it again (gnuplot NAME.gp). It makes
NAME.svg and NAME.png.
"""

import os
import subprocess
import sys

from result import Wrong

# Okabe and Ito's colours, told apart by colour-blind readers; yellow is left out.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
LINES = 21  # that can be told apart: 7 colours, 3 kinds of dashes
IMAGES = ("svg", "png")
STYLE = """# gnuplot {name}.gp draws {name}.svg; gnuplot -e "image='png'" {name}.gp the other.
if (!exists("image")) {{ image = "svg" }}
set encoding utf8
if (image eq "svg") {{
	set terminal svg size 1200, {high} dynamic background "#ffffff" \\
		font "DejaVu Sans,Helvetica,Arial,sans-serif,15" linewidth 1.2
}} else {{
	set terminal pngcairo size 1800, {high} * 1.5 background "#ffffff" font "DejaVu Sans,19" linewidth 2
}}
small = image eq "svg" ? ",12" : ",15"
set output "{name}." . image
set border 3 linecolor rgb "#888888"
set tics nomirror out textcolor rgb "#333333"
set grid back linetype 1 linecolor rgb "#e6e6e6" linewidth 0.7
set xlabel textcolor rgb "#333333"
set ylabel textcolor rgb "#333333"
set key textcolor rgb "#333333"
above = {above}
"""


def paint(i):
    return COLOURS[i % len(COLOURS)]


def dash(i):
    return i // len(COLOURS) % 3 + 1


def quoted(text, escape="\\\\"):
    """A string of gnuplot. What means something in its enhanced text is escaped; in data by one backslash, in commands by two."""
    found = []
    for c in text:
        if c == "\n":
            found.append("\\n")
        elif c in "_^{}@&~":
            found.append(escape + c)
        elif c in '"\\':
            found.append("'")
        elif c >= " ":
            found.append(c)
    return '"%s"' % "".join(found)


def _cell(value):
    if value is None:
        return "NaN"
    return quoted(value, "\\") if isinstance(value, str) else "%.9g" % value


class Picture:
    """The script of one picture, and its data."""

    def __init__(self, folder, name, heading, subheading="", high=720):
        self.folder, self.name = folder, name
        above = '"{/:Bold*1.2 " . %s . "}"' % quoted(heading)
        if subheading:
            above += ' . "\\n{/*0.9 " . %s . "}"' % quoted(subheading)
        self.text = [STYLE.format(name=name, high=high, above=above)]

    def data(self, name, rows):
        """A block of data, $name. An empty row interrupts a line."""
        self.text.append("$%s << END\n%sEND\n" % (name, "".join(" ".join(map(_cell, row)) + "\n" for row in rows)))

    def say(self, *commands):
        self.text += [command + "\n" for command in commands]

    def margins(self, left, right, bottom, top):
        for side, at in (("l", left), ("r", right), ("b", bottom), ("t", top)):
            self.say("set %smargin at screen %.5g" % (side, at))

    def plot(self, clauses):
        """Draw all of these; a picture without any has its axes."""
        self.say("plot " + ", \\\n\t".join(clauses or ["NaN notitle"]))

    def write(self):
        path = os.path.join(self.folder, self.name + ".gp")
        try:
            with open(path, "w", encoding="utf-8", errors="replace") as f:
                f.writelines(self.text)
        except OSError as e:
            raise Wrong("%s: %s" % (path, e.strerror)) from e


def draw(pictures):
    """Write the scripts of pictures and have them drawn, all at the same time."""
    started = []
    for picture in pictures:
        picture.write()
    try:
        for picture in pictures:
            for image in IMAGES:
                started.append((picture, image, subprocess.Popen(["gnuplot", "-e", "image='%s'" % image, picture.name + ".gp"],
                                                                 cwd=picture.folder, stdin=subprocess.DEVNULL)))
    except OSError:
        print("no pictures: gnuplot is not installed (Debian: gnuplot-nox)", file=sys.stderr)
    for picture, image, process in started:
        if process.wait() != 0:
            print("%s/%s.%s: gnuplot could not draw it" % (picture.folder, picture.name, image), file=sys.stderr)
