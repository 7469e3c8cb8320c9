# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# Queues and rates over time, with notices marked; several runs have a line each. Set:
#
#   from, to, time_unit       the time axis
#   byte_unit, rate_unit      of the other axes
#   top, rate_top             where those end
#   queues, $queueN, queue_N  number of lines, their data and names
#   limits, limit_N, limit_name_N  thresholds of the first queue, which are drawn across
#   rates, $rateN, rate_N     the same; 0: no such panel
#   extras, $extraN, extra_N  more lines of that panel: goodput, fair share
#   crowd                     the first so many of the rates are thin and grey, without a name
#   marks, $markN, mark_N     times of notices by kind; 0: no such panel

value_of(what, i) = value(sprintf("%s_%d", what, i))
rate_dash(i) = i <= crowd || i == rates + 1 ? 1 : i <= rates ? dash(i - crowd) : 2
set multiplot title above textcolor rgb "#111111"
lower = 0.105
rug = marks > 0 ? 0.035 * marks + 0.03 : 0
share = rates > 0 ? 0.36 : 0
left = 0.085
right = 0.80
ceiling = subheading eq "" ? 0.93 : 0.90
set lmargin at screen left
set rmargin at screen right
set xrange [from:to]
set key at graph 1.005, graph 1 left top vertical reverse Left samplen 1.5 noautotitle

# rates, at the bottom
if (rates > 0) {
	set tmargin at screen lower + share - 0.03
	set bmargin at screen lower
	set xlabel "virtual time (" . time_unit . ")"
	set ylabel "rate (" . rate_unit . ")"
	set yrange [0:rate_top]
	# The last of the lines are extras; gnuplot has no loop that runs no time.
	plot for [i = 1:rates + extras] (i <= rates ? "$rate".i : "$extra".(i - rates)) using 1:2 with steps \
		linecolor rgb (i <= crowd ? "#c8c8c8" : i <= rates ? paint(i - crowd) : i == rates + 1 ? "#000000" : "#666666") \
		linewidth (i <= crowd ? 0.6 : 1.6) dashtype rate_dash(i) \
		title (i < crowd ? "" : i <= rates ? value_of("rate", i) : value_of("extra", i - rates))
	set xlabel
	set format x ""
}

# notices, between the two
if (marks > 0) {
	if (rates == 0) {
		set xlabel "virtual time (" . time_unit . ")"
	}
	set bmargin at screen lower + share
	set tmargin at screen lower + share + rug - 0.03
	set ylabel
	set yrange [0:marks]
	unset ytics
	unset grid
	set border 0
	unset xtics
	if (rates == 0) {
		set xtics
		set border 1
	}
	unset key
	do for [i = 1:marks] {
		set label i value_of("mark", i) at graph 1.01, first marks - i + 0.5 left \
			textcolor rgb "#333333"
	}
	plot for [i = 1:marks] "$mark".i using 1:(marks - i + 0.15):(0):(0.7) with vectors nohead \
		linecolor rgb (i == 1 ? "#d55e00" : i == 2 ? "#0072b2" : i == 3 ? "#009e73" : "#cc79a7") linewidth 1
	do for [i = 1:marks] { unset label i }
	set border 3
	set ytics nomirror out textcolor rgb "#333333"
	set xtics nomirror out textcolor rgb "#333333"
	set grid
	set xlabel
	set format x ""
	set key
}

# queues, at the top
set bmargin at screen lower + share + rug
set tmargin at screen ceiling
if (rates == 0 && marks == 0) {
	set xlabel "virtual time (" . time_unit . ")"
}
set ylabel "queue (" . byte_unit . ")"
set yrange [0:top]
do for [i = 1:limits] {
	set arrow i from graph 0, first value_of("limit", i) to graph 1, first value_of("limit", i) nohead \
		linecolor rgb "#555555" linewidth 0.9 dashtype 3 front
	set label 100 + i value_of("limit_name", i) at graph 0.005, first value_of("limit", i) left \
		offset 0, 0.4 font ",12" textcolor rgb "#555555" front
}
if (queues == 0) { # none ever held anything
	plot NaN notitle
}
if (queues == 1) {
	plot $queue1 using 1:2 with fillsteps linecolor rgb "#d6e6f2" fillstyle solid 1 noborder notitle, \
		$queue1 using 1:2 with steps linecolor rgb paint(1) linewidth 1.3 title queue_1
}
if (queues > 1) {
	plot for [i = 1:queues] "$queue".i using 1:2 with steps linecolor rgb paint(i) \
		dashtype dash(i) linewidth 1.3 title value_of("queue", i)
}
unset multiplot
