# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# Metrics over a parameter that was varied, a panel each. Set:
#
#   panels, $metricN, panel_N   value of the parameter, then each line's mean and the ends of
#                               its confidence interval, or NaN
#   lines, line_N               number of lines, their names
#   points, x_label             values of the parameter

value_of(what, i) = value(sprintf("%s_%d", what, i))
set multiplot title above textcolor rgb "#111111"
across = panels > 1 ? 2 : 1
down = (panels + across - 1) / across
# in pixels of the SVG, so that panels are as far apart in every picture
ceiling = 1.0 - 45.0 / high
foot = (lines > 1 ? 50.0 : 10.0) / high
tall = (ceiling - foot) / down
wide = 0.98 / across
set xrange [0.6:points + 0.4]
# values that there is room to write
apart = points > 14 ? ceil(points / 10.0) : 1
written(i, text) = int(i) % apart ? "" : text
set xtics scale 0
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set xlabel x_label offset 0, 0.3
unset key
do for [p = 1:panels] {
	x = (p - 1) % across
	y = (p - 1) / across
	set lmargin at screen 0.01 + x * wide + 0.07
	set rmargin at screen 0.01 + (x + 1) * wide - 0.02
	set tmargin at screen ceiling - y * tall - 40.0 / high
	set bmargin at screen ceiling - (y + 1) * tall + 62.0 / high
	set title value_of("panel", p) textcolor rgb "#111111" offset 0, -0.4
	if (p == panels && lines > 1) {
		set key at screen 0.5, 25.0 / high center center horizontal maxrows 1 samplen 2.5 width 2 \
			noautotitle
	}
	plot for [i = 1:lines] "$metric".p using ($0 + 1):(column(3 * i)):(column(3 * i + 1)) with filledcurves \
		linecolor rgb paint(i) fillstyle transparent solid 0.18 noborder notitle, \
		for [i = 1:lines] "$metric".p using ($0 + 1):(column(3 * i - 1)):(column(3 * i)):(column(3 * i + 1)) \
		with yerrorbars linecolor rgb paint(i) linewidth 0.8 pointsize 0 notitle, \
		for [i = 1:lines] "$metric".p using ($0 + 1):(column(3 * i - 1)):xtic(written($0, strcol(1))) with linespoints \
		linecolor rgb paint(i) dashtype dash(i) linewidth 1.5 pointtype 7 pointsize 0.9 \
		title value_of("line", i)
}
unset multiplot
