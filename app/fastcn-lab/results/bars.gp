# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# Runs side by side: a panel for each number, a bar for each run. Set:
#
#   runs, panels, $barsN, panel_N    name of a run, its number, its number as text
#   panel_top_N                      where the axis ends; 0: all are 0
#   longest                          characters of the longest name

value_of(what, i) = value(sprintf("%s_%d", what, i))
set multiplot title above textcolor rgb "#111111"
unset key
unset grid
set grid xtics
set style fill solid 1 noborder
set yrange [runs + 0.6:0.4]
set ytics scale 0
set border 2
across = panels > 1 ? 2 : 1
down = (panels + across - 1) / across
ceiling = 1.0 - 45.0 / high
left = 0.04 + 0.0078 * (longest > 40 ? 40 : longest)
wide = (0.98 - left) / across
tall = ceiling / down
do for [p = 1:panels] {
	x = (p - 1) % across
	y = (p - 1) / across
	top = value_of("panel_top", p)
	set lmargin at screen left + x * wide
	set rmargin at screen left + (x + 1) * wide - 0.04
	set tmargin at screen ceiling - y * tall - 40.0 / high
	set bmargin at screen ceiling - (y + 1) * tall + 40.0 / high
	set title value_of("panel", p) textcolor rgb "#111111" offset 0, -0.4
	set xrange [0:(top > 0 ? top : 1)]
	if (top > 0) { set xtics autofreq } else { set xtics (0) }
	set xtics scale 0
	set format y (x == 0 ? "%h" : "")
	if (x == 0) {
		plot "$bars".p using 2:($0 + 1):(0):2:($0 + 0.7):($0 + 1.3):ytic(1) with boxxyerror \
			linecolor rgb paint(1), \
			"" using 2:($0 + 1):3 with labels left offset 0.5, 0 textcolor rgb "#333333"
	} else {
		set ytics ("" 0)
		plot "$bars".p using 2:($0 + 1):(0):2:($0 + 0.7):($0 + 1.3) with boxxyerror \
			linecolor rgb paint(1), \
			"" using 2:($0 + 1):3 with labels left offset 0.5, 0 textcolor rgb "#333333"
		set ytics autofreq
	}
}
unset multiplot
