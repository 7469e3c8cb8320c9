/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of congestion detectors: a command for each type. */

#include <errno.h>

#include "fcn_names.h"
#include "queue_scope.h"
#include "setting_table.h"

#define MAX_BYTES 1000000000
#define MAX_TIME_NS 1000000000
#define MIN_WINDOW_NS 1000
#define MAX_WINDOW_NS 1000000 /* The bytes of a window are counted in 32 bits. */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_queue, detector.member)
#define OF_TYPE(which) FCN_SETTING_SELECTS(struct fcn_config_queue, detector.type, which)

#define IN_FORCE(member) FCN_SETTING_IN_FORCE(struct fcn_detector_conf, member)

/* Parameters of a detector. Each may be left out, and has its name in front of it. `show` has the
 * effective value, which `in_force` names. */
#define BYTES(name, member, in_force, shown, text)                                     \
	SIZE(name, member, 1, MAX_BYTES, "a threshold", .word = name, OPTIONAL,        \
			.initial = FCN_AUTO, .initial_text = text, IN_FORCE(in_force), \
			SHOW(shown))
#define LEAVE_BYTES(text) BYTES("leave", leave, leave, "leave_bytes", text)
#define PART(name, member, ...)                                                                   \
	RATIO(name, member, FCN_RATE_STEP, 8 * FCN_RATIO_ONE, "a part of the rate", .word = name, \
			OPTIONAL, .step = FCN_RATE_STEP, .in_steps = true, __VA_ARGS__)
#define DURATION(name, member, from, to, ...) \
	TIME(name, member, from, to, "a time of " name, .word = name, OPTIONAL, __VA_ARGS__)
#define HOLD(text)                                                                             \
	DURATION("hold", hold_ns, 0, MAX_TIME_NS, .initial = FCN_AUTO64, .initial_text = text, \
			IN_FORCE(hold_ns), SHOW("hold_ns"))

static int
leave_above(const struct fcn_args *args)
{
	return fcn_command_error(args, -EINVAL, "leave",
			"leave must be at or below the threshold at which congestion begins");
}

static int
check_step(const struct fcn_args *args, void *object)
{
	const struct fcn_config_detector *d = &((struct fcn_config_queue *)object)->detector;

	if (d->enter != FCN_AUTO && d->leave != FCN_AUTO && d->leave > d->enter)
		return leave_above(args);
	return 0;
}

static int
check_red(const struct fcn_args *args, void *object)
{
	const struct fcn_config_detector *d = &((struct fcn_config_queue *)object)->detector;

	if (d->enter != FCN_AUTO && d->kmax != FCN_AUTO && d->kmax <= d->enter)
		return fcn_command_error(args, -EINVAL, "kmax", "kmax must be above kmin");
	return check_step(args, object);
}

static int
check_sojourn(const struct fcn_args *args, void *object)
{
	const struct fcn_config_detector *d = &((struct fcn_config_queue *)object)->detector;

	if (d->leave_ns != FCN_AUTO64 && d->target_ns != FCN_AUTO64 && d->leave_ns > d->target_ns)
		return leave_above(args);
	return 0;
}

static int
check_rate(const struct fcn_args *args, void *object)
{
	const struct fcn_config_detector *d = &((struct fcn_config_queue *)object)->detector;

	if (d->leave_ratio != FCN_AUTO64 && d->leave_ratio > d->threshold)
		return leave_above(args);
	return 0;
}

FCN_STATIC_NAME_FUNCTION(chosen_at, unsigned int, "enqueue", "dequeue")

/* Where the detectors that compare bytes choose packets. */
#define AT CHOICE("where", at_dequeue, 0, 1, chosen_at, .word = "at", OPTIONAL, SHOW("at"))

static const struct fcn_setting_value type = CHOICE("detector", type, 0,
		FCN_DETECTOR_TYPE_COUNT - 1, fcn_detector_type_name, SHOW_IN("queue", "detector"));

static const struct fcn_setting settings[] = {
		{"detector step",
				"The queue is congested when it holds threshold bytes or more, "
				"until it has held less than leave bytes for the time hold",
				{SIZE("threshold", enter, 1, MAX_BYTES, "a threshold", OPTIONAL,
						 .initial = FCN_AUTO,
						 .initial_text = "threshold 100 KB at 25G, in "
								 "proportion to the queue's rate",
						 IN_FORCE(enter), SHOW("enter_bytes")),
						AT, LEAVE_BYTES("half the threshold"), HOLD("0")},
				OF_TYPE(FCN_DETECTOR_STEP), check_step},
		{"detector step",
				"The same rule, with the word threshold before the number of bytes",
				{SIZE("threshold", enter, 1, MAX_BYTES, "a threshold",
						 .word = "threshold", .initial = FCN_AUTO,
						 .initial_text = ""),
						AT, LEAVE_BYTES("half the threshold"), HOLD("0")},
				OF_TYPE(FCN_DETECTOR_STEP), check_step, .alias = true},
		{"detector red",
				"Packets are selected at random. The probability is 0 up to kmin "
				"bytes in the queue, rises to pmax just below kmax, and is 1 from "
				"kmax on",
				{BYTES("kmin", enter, enter, "kmin_bytes", "100 KB per 25 Gb/s"),
						BYTES("kmax", kmax, kmax, "kmax_bytes",
								"400 KB per 25 Gb/s"),
						RATIO("pmax", pmax, 0, FCN_RATIO_ONE,
								"a probability", .word = "pmax",
								OPTIONAL,
								.initial = FCN_RATIO_ONE / 5,
								SHOW("pmax")),
						AT, LEAVE_BYTES("half of kmin"), HOLD("0")},
				OF_TYPE(FCN_DETECTOR_RED), check_red},
		{"detector qcn",
				"Congestion is computed from the queue's offset to the equilibrium "
				"qeq and from its growth (Fb of IEEE 802.1Qau)",
				{BYTES("qeq", qeq, qeq, "qeq_bytes",
						 "4us of the queue's rate, at least 26 KB"),
						NUMBER("weight", weight, 0, 64, "a weight",
								.word = "weight", OPTIONAL,
								.initial = 2, SHOW("weight")),
						SIZE("sample", sample, 1, MAX_BYTES, "a threshold",
								.word = "sample", OPTIONAL,
								.initial = 4096,
								SHOW("sample_bytes")),
						LEAVE_BYTES("half of qeq"), HOLD("20us")},
				OF_TYPE(FCN_DETECTOR_QCN)},
		{"detector sojourn",
				"The queue is congested when all packets of an interval have "
				"waited for target or longer",
				{DURATION("target", target_ns, 1, MAX_TIME_NS,
						 .initial = FCN_AUTO64,
						 .initial_text = "20us, at least the time of a "
								 "frame at the queue's rate",
						 IN_FORCE(enter), SHOW("target_ns")),
						DURATION("interval", interval_ns, 0, MAX_TIME_NS,
								.initial = FCN_AUTO64,
								.initial_text = "100us, at least "
										"five frames",
								IN_FORCE(interval_ns),
								SHOW("interval_ns")),
						DURATION("leave", leave_ns, 0, MAX_TIME_NS,
								.initial = FCN_AUTO64,
								.initial_text = "half the target",
								IN_FORCE(leave), SHOW("leave_ns")),
						HOLD("0")},
				OF_TYPE(FCN_DETECTOR_SOJOURN), check_sojourn},
		{"detector rate",
				"The queue is congested when the arrival rate, averaged over "
				"windows, exceeds this fraction of the queue's rate",
				{PART("threshold", threshold, .initial = 950 * FCN_RATE_STEP,
						 IN_FORCE(enter), SHOW("enter_permille")),
						DURATION("window", interval_ns, MIN_WINDOW_NS,
								MAX_WINDOW_NS,
								.initial = FCN_AUTO64,
								.initial_text = "10us, at least "
										"the time of a "
										"frame",
								IN_FORCE(interval_ns),
								SHOW("window_ns")),
						PART("leave", leave_ratio, .initial = FCN_AUTO64,
								.initial_text = "0.9 of the "
										"threshold",
								IN_FORCE(leave),
								SHOW("leave_permille")),
						HOLD("0")},
				OF_TYPE(FCN_DETECTOR_RATE), check_rate},
		{"detector off", "The queue has no congestion detector", OF_TYPE(FCN_DETECTOR_OFF)},
};

const struct fcn_setting_scope fcn_detector_scope = {
		.title = "Detectors",
		.syntax = QUEUE_SYNTAX,
		.show = "queue.thresholds",
		.selected = &type,
		FCN_SETTING_TABLE(settings, OPERATE),
		.select = queue_select,
		.each = queue_each,
};
