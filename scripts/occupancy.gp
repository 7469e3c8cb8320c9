# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# A queue's occupancy over time, with the notices it caused. For gnuplot 5.4; scripts/plot calls
# it and sets:
#
#   occupancy  file of time (ns) and bytes, at each change
#   notices    file of time (ns), bytes and level; at least one line, which may be off the axes
#   levels     levels that occur in it, separated by blanks; "" for none
#   heading, subheading   above the picture
#   enter      detector's threshold in bytes, 0 for none
#   limit      queue's limit in bytes
#   peak       highest occupancy, bytes
#   end        where the time axis ends, ns
#   image      "svg", "png" or "text"
#   output     file to write, "" for standard output
#   columns, rows   size of "text", characters

set encoding utf8
us = end < 2e6 ? 1e3 : end < 2e9 ? 1e6 : 1e9
unit = end < 2e6 ? (image eq "text" ? "us" : "µs") : end < 2e9 ? "ms" : "s"
kb = 1e3
top = 1.12 * (limit < 2.5 * peak && limit > peak ? limit : peak > enter ? peak : enter)
text = image eq "text"

# light to dark, told apart in print and by colour-blind readers
array shade[8] = ["#fde725", "#fcb519", "#f8850f", "#ed6925", "#d44842", "#a92e5e", "#781c6d", "#420a68"]

if (text) {
	set terminal dumb size columns, rows aspect 2, 1 mono
} else { if (image eq "svg") {
	set terminal svg size 1200, 640 dynamic background "#ffffff" \
		font "DejaVu Sans,Helvetica,Arial,sans-serif,15" linewidth 1.2
} else {
	set terminal pngcairo size 1800, 960 background "#ffffff" font "DejaVu Sans,20" linewidth 2
} }
if (output ne "") { set output output }

set xrange [0:end / us]
set yrange [0:top / kb]
set xlabel "time (" . unit . ")" textcolor rgb "#333333"
set ylabel (text ? "KB" : "occupancy (KB)") textcolor rgb "#333333"

if (text) {
	set title heading . "\n" . subheading
	set border 3
	set xtics nomirror
	set ytics nomirror
	unset key
	plot enter > 0 ? enter / kb : -1 with lines linetype 7, \
		occupancy using ($1 / us):($2 / kb) with steps linetype 1, \
		notices using ($1 / us):($2 / kb):(stringcolumn(3)) with labels
	exit
}

set title "{/:Bold*1.25 " . heading . "}\n" . subheading textcolor rgb "#111111" offset 0, 0.3
set border 3 linecolor rgb "#888888"
set tics nomirror out textcolor rgb "#333333"
set mxtics 2
set grid back linetype 1 linecolor rgb "#e6e6e6" linewidth 0.7
set style fill solid 1.0 noborder
set rmargin 15
set bmargin 5.5
set key below horizontal center samplen 0.6 width 1 textcolor rgb "#333333"
if (levels eq "") {
	unset key
	levels = "0"
}

if (enter > 0) {
	set arrow 1 from graph 0, first enter / kb to graph 1, first enter / kb nohead front \
		linecolor rgb "#c0392b" linewidth 1.2 dashtype (8, 6)
	set label 1 sprintf("threshold\n%.0f KB", enter / kb) at graph 1.01, first enter / kb \
		left offset 0, character 0.4 textcolor rgb "#c0392b"
}
if (limit <= top) {
	set arrow 2 from graph 0, first limit / kb to graph 1, first limit / kb nohead front \
		linecolor rgb "#555555" linewidth 1.2 dashtype (2, 4)
	set label 2 sprintf("limit\n%.0f KB", limit / kb) at graph 1.01, first limit / kb \
		left offset 0, character 0.4 textcolor rgb "#555555"
}

plot occupancy using ($1 / us):($2 / kb) with fillsteps linecolor rgb "#d6e6f2" notitle, \
	occupancy using ($1 / us):($2 / kb) with steps linecolor rgb "#2471a3" linewidth 1.3 notitle, \
	for [l in levels] notices using ($1 / us):($3 == l ? $2 / kb : 1/0) with points \
		pointtype 7 pointsize 1.7 linecolor rgb "#ffffff" notitle, \
	for [l in levels] notices using ($1 / us):($3 == l ? $2 / kb : 1/0) with points \
		pointtype 7 pointsize 1.35 linecolor rgb shade[l + 1] title "level " . l
