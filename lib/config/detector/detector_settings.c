/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of congestion detectors: a command for each type. */

#include <errno.h>

#include <rte_common.h>

#include "fcn_config_scopes.h"
#include "queue_scope.h"

#define MAX_BYTES 1000000000
#define MAX_TIME_NS 1000000000
#define MIN_WINDOW_NS 1000
#define MAX_WINDOW_NS 1000000 /* bytes of a window are counted in 32 bits */

#define IN_DETECTOR(member) FCN_SETTING_MEMBER(struct fcn_config_queue, detector.member)
#define OF_TYPE(which) FCN_SETTING_SELECTS(struct fcn_config_queue, detector.type, which)

#define BYTES(name, member, text)                                                          \
	{                                                                                  \
		.word = name, .key = name, .type = FCN_SETTING_SIZE, IN_DETECTOR(member),  \
		.least = 1, .most = MAX_BYTES, .what = "a threshold", .initial = FCN_AUTO, \
		.initial_text = text, .optional = true,                                    \
	}

#define TIME(name, member, from, to, value, text)                                         \
	{                                                                                 \
		.word = name, .key = name, .type = FCN_SETTING_TIME, IN_DETECTOR(member), \
		.least = from, .most = to, .what = "a time of " name, .initial = value,   \
		.initial_text = text, .optional = true,                                   \
	}

#define LEAVE BYTES("leave", leave, "half of it")
#define HOLD(text) TIME("hold", hold_ns, 0, MAX_TIME_NS, FCN_AUTO64, text)

/* A part of the queue's rate. */
#define PART(name, member, value, text)                                                    \
	{                                                                                  \
		.word = name, .key = name, .type = FCN_SETTING_RATIO, IN_DETECTOR(member), \
		.least = FCN_RATE_STEP, .most = 8 * FCN_RATIO_ONE, .step = FCN_RATE_STEP,  \
		.what = "a part of the rate", .initial = value, .initial_text = text,      \
		.optional = true,                                                          \
	}

static int
leave_above(const struct fcn_args *args)
{
	return fcn_command_error(args, -EINVAL, "leave",
			"a queue leaves congestion at or below the threshold where it enters it");
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
		return fcn_command_error(args, -EINVAL, "kmax", "kmax must lie above kmin");
	return check_step(args, object);
}

static int
check_sojourn(const struct fcn_args *args, void *object)
{
	const struct fcn_config_detector *d = &((struct fcn_config_queue *)object)->detector;

	if (d->leave_ns != FCN_AUTO64 && d->leave_ns > d->target_ns)
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

static const char *
red_at(unsigned int dequeue)
{
	return dequeue != 0 ? "dequeue" : "enqueue";
}

static const struct fcn_setting settings[] = {
		{.words = "detector step",
				.help = "The queue is congested from threshold bytes on, until it "
					"has been below leave for hold",
				OF_TYPE(FCN_DETECTOR_STEP),
				.value = {BYTES("threshold", enter,
							  "100 KB at 25G, in proportion to the "
							  "queue's rate"),
						BYTES("leave", leave, "half the threshold"),
						HOLD("0")},
				.finish = check_step},
		{.words = "detector step",
				.help = "The same, with the threshold as the first argument",
				OF_TYPE(FCN_DETECTOR_STEP),
				.value = {{.key = "threshold",
							  .type = FCN_SETTING_SIZE,
							  IN_DETECTOR(enter),
							  .least = 1,
							  .most = MAX_BYTES,
							  .what = "a threshold",
							  .initial = FCN_AUTO,
							  .initial_text = ""},
						BYTES("leave", leave, "half the threshold"),
						HOLD("0")},
				.finish = check_step,
				.alias = true},
		{.words = "detector red",
				.help = "Packets are chosen by chance: none up to kmin, a part of "
					"pmax just below kmax, all packets from kmax on",
				OF_TYPE(FCN_DETECTOR_RED),
				.value = {BYTES("kmin", enter, "100 KB at 25G"),
						BYTES("kmax", kmax, "400 KB at 25G"),
						{.word = "pmax",
								.key = "pmax",
								.type = FCN_SETTING_RATIO,
								IN_DETECTOR(pmax),
								.least = 0,
								.most = FCN_RATIO_ONE,
								.what = "a probability",
								.initial = FCN_RATIO_ONE / 5,
								.optional = true},
						{.word = "at",
								.key = "where",
								.type = FCN_SETTING_CHOICE,
								IN_DETECTOR(at_dequeue),
								.least = 0,
								.most = 1,
								.name = red_at,
								.optional = true},
						BYTES("leave", leave, "half of kmin"), HOLD("0")},
				.finish = check_red},
		{.words = "detector qcn",
				.help = "Congestion by the queue's position and its growth (Fb of "
					"IEEE 802.1Qau)",
				OF_TYPE(FCN_DETECTOR_QCN),
				.value = {BYTES("qeq", qeq,
							  "4us of the queue's rate, at least 26 "
							  "KB"),
						{.word = "weight",
								.key = "weight",
								.type = FCN_SETTING_NUMBER,
								IN_DETECTOR(weight),
								.least = 0,
								.most = 64,
								.what = "a weight",
								.initial = 2,
								.optional = true},
						{.word = "sample",
								.key = "sample",
								.type = FCN_SETTING_SIZE,
								IN_DETECTOR(sample),
								.least = 1,
								.most = MAX_BYTES,
								.what = "a threshold",
								.initial = 4096,
								.optional = true},
						BYTES("leave", leave, "half of qeq"),
						HOLD("20us")}},
		{.words = "detector sojourn",
				.help = "The queue is congested when packets have waited for "
					"target or longer all through an interval",
				OF_TYPE(FCN_DETECTOR_SOJOURN),
				.value = {TIME("target", target_ns, 1, MAX_TIME_NS, 20000, NULL),
						TIME("interval", interval_ns, 0, MAX_TIME_NS,
								FCN_AUTO64, "100us"),
						TIME("leave", leave_ns, 0, MAX_TIME_NS, FCN_AUTO64,
								"half the target"),
						HOLD("0")},
				.finish = check_sojourn},
		{.words = "detector rate",
				.help = "The queue is congested when more arrives than this part "
					"of its rate, averaged over windows",
				OF_TYPE(FCN_DETECTOR_RATE),
				.value = {PART("threshold", threshold, 950 * FCN_RATE_STEP, NULL),
						TIME("window", interval_ns, MIN_WINDOW_NS,
								MAX_WINDOW_NS, FCN_AUTO64, "10us"),
						PART("leave", leave_ratio, FCN_AUTO64,
								"0.9 of the threshold"),
						HOLD("0")},
				.finish = check_rate},
		{.words = "detector off",
				.help = "The queue has no congestion detector",
				OF_TYPE(FCN_DETECTOR_OFF)},
};

const struct fcn_setting_scope fcn_detector_scope = {
		.title = "Detectors",
		.syntax = QUEUE_SYNTAX,
		FCN_SETTING_TABLE(settings),
		.select = queue_select,
		.each = queue_each,
};
