# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# What the pictures of fastcn-lab have in common. For gnuplot 5.4. The lines above define:
#
#   name      of the picture; files are named after it
#   heading, subheading
#
# and the data and variables of the part that follows.

if (!exists("image")) { image = "svg" }
set encoding utf8
if (!exists("high")) { high = 720 }
if (image eq "svg") {
	set terminal svg size 1200, high dynamic background "#ffffff" \
		font "DejaVu Sans,Helvetica,Arial,sans-serif,15" linewidth 1.2
} else {
	set terminal pngcairo size 1800, 1.5 * high background "#ffffff" \
		font "DejaVu Sans,19" linewidth 2
}
set output name . "." . image

# Okabe and Ito's, told apart by colour-blind readers; yellow is left out
array colour[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
paint(i) = colour[int(i - 1) % 7 + 1]
dash(i) = int(i - 1) / 7 + 1

set border 3 linecolor rgb "#888888"
set tics nomirror out textcolor rgb "#333333"
set grid back linetype 1 linecolor rgb "#e6e6e6" linewidth 0.7
set xlabel textcolor rgb "#333333"
set ylabel textcolor rgb "#333333"
set key textcolor rgb "#333333"
above = "{/:Bold*1.2 " . heading . "}" . (subheading eq "" ? "" : "\n{/*0.9 " . subheading . "}")

