# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# Slowdown of messages by their size. Set:
#
#   $bins        name of a bin, then for each line its slowdown or NaN
#   lines, line_N, dashed   number of lines, their names; every second one is dashed: 1 or 0
#   n_bins, most  bins; the highest slowdown
#   size_label

value_of(what, i) = value(sprintf("%s_%d", what, i))
hue(i) = dashed ? paint((i + 1) / 2) : paint(i)
dashes(i) = dashed && i % 2 == 1 ? 2 : 1
points_of(i) = i % 2 == 1 ? 7 : 5
set title above textcolor rgb "#111111"
set logscale y
set xrange [0.5:n_bins + 0.5]
set yrange [0.9:most * 1.5]
set xlabel size_label
set ylabel "slowdown (time / time alone)"
set key outside right top vertical reverse Left samplen 2 noautotitle
set xtics scale 0
unset mytics
set ytics (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000, 100000)
plot for [i = 1:lines] $bins using ($0 + 1):(column(i + 1)):xtic(1) with linespoints \
	linecolor rgb hue(i) linewidth 1.5 dashtype dashes(i) \
	pointtype points_of(i) pointsize 0.9 title value_of("line", i)
