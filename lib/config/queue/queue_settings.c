/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of class queues. */

#include <string.h>

#include <rte_common.h>

#include "fcn_config_scopes.h"
#include "queue_scope.h"

#define MAX_BYTES 1000000000
#define MAX_ALPHA (128 * FCN_RATIO_ONE)

#define IN_QUEUE(member) FCN_SETTING_MEMBER(struct fcn_config_queue, member)

/* A rate, and what may be made up for after idling: of the classes' shapers. */
#define SHAPER(which, rate_name)                                                        \
	{                                                                               \
		{.key = "rate",                                                         \
				.type = FCN_SETTING_RATE,                               \
				IN_QUEUE(which.bps),                                    \
				.least = FCN_SHAPER_MIN_BPS,                            \
				.most = FCN_SHAPER_MAX_BPS,                             \
				.what = "a rate",                                       \
				.show = rate_name,                                      \
				.special = {{"off", OFF_##which, 0}}},                  \
				{.word = "burst",                                       \
						.key = "burst",                         \
						.type = FCN_SETTING_SIZE,               \
						IN_QUEUE(which.burst),                  \
						.most = FCN_SHAPER_MAX_BURST,           \
						.what = "a burst",                      \
						.initial = FCN_AUTO,                    \
						.initial_text = "what late polls cost", \
						.optional = true},                      \
	}
#define OFF_committed "The class has no rate of its own"
#define OFF_peak "The class may send as fast as the port"

static const struct fcn_setting settings[] = {
		{.words = "limit",
				.help = "Drop packets at the tail of the queue above this "
					"occupancy",
				.value = {{.key = "bytes",
							  .type = FCN_SETTING_SIZE,
							  IN_QUEUE(limit_bytes),
							  .least = 1,
							  .most = MAX_BYTES,
							  .what = "a limit",
							  .initial = 1000000,
							  .show = "limit_bytes"},
						{.word = "packets",
								.key = "packets",
								.type = FCN_SETTING_COUNT,
								IN_QUEUE(limit_packets),
								.least = 1,
								.most = 65536,
								.what = "a limit in packets",
								.initial = 4096,
								.optional = true,
								.keeps = true,
								.show = "limit_packets"}}},
		{.words = "strict",
				.help = "Serve the class before all classes below it",
				.value = {{.key = "state",
						.type = FCN_SETTING_SWITCH,
						IN_QUEUE(strict),
						.initial = (uint64_t)FCN_STRICT_AUTO,
						.special = {{"auto",
								"The classes 6 and 7 and the "
								"class of the notices are strict",
								(uint64_t)FCN_STRICT_AUTO}}}}},
		{.words = "weight",
				.help = "Share of the class among the classes that are not strict",
				.value = {{.key = "weight",
						.type = FCN_SETTING_NUMBER,
						IN_QUEUE(weight),
						.least = 1,
						.most = 1000,
						.what = "a weight",
						.initial = 1,
						.show = "weight"}}},
		{.words = "committed",
				.help = "Rate that the class gets before other classes get more; "
					"burst is what may be made up for after idling",
				.value = SHAPER(committed, "committed_bps")},
		{.words = "peak",
				.help = "Rate that the class never exceeds; burst is what may be "
					"made up for after idling",
				.value = SHAPER(peak, "peak_bps")},
		{.words = "ecn",
				.help = "Mark ECT packets with CE while the queue is congested",
				.value = {{.key = "state",
						.type = FCN_SETTING_SWITCH,
						IN_QUEUE(policy.ecn),
						.show = "ecn"}}},
		{.words = "mark from",
				.help = "Mark packets from this occupancy and congestion level on",
				.value = {{.key = "bytes",
							  .type = FCN_SETTING_SIZE,
							  IN_QUEUE(policy.mark_bytes),
							  .most = MAX_BYTES,
							  .what = "an occupancy",
							  .show = "mark_from"},
						{.word = "level",
								.key = "level",
								.type = FCN_SETTING_NUMBER,
								IN_QUEUE(policy.mark_level),
								.most = FCN_LEVEL_MAX,
								.what = "a level",
								.optional = true,
								.keeps = true,
								.show = "mark_level"}}},
		{.words = "mark level",
				.help = "Mark packets from this congestion level on",
				.value = {{.key = "level",
						.type = FCN_SETTING_NUMBER,
						IN_QUEUE(policy.mark_level),
						.most = FCN_LEVEL_MAX,
						.what = "a level"}},
				.alias = true},
		{.words = "notify",
				.help = "Notify senders while the queue is congested",
				.value = {{.key = "state",
						.type = FCN_SETTING_SWITCH,
						IN_QUEUE(policy.notify),
						.show = "notify"}}},
		{.words = "notify from",
				.help = "Notify senders from this occupancy and congestion level "
					"on",
				.value = {{.key = "bytes",
							  .type = FCN_SETTING_SIZE,
							  IN_QUEUE(policy.notify_bytes),
							  .most = MAX_BYTES,
							  .what = "an occupancy",
							  .show = "notify_from"},
						{.word = "level",
								.key = "level",
								.type = FCN_SETTING_NUMBER,
								IN_QUEUE(policy.notify_level),
								.most = FCN_LEVEL_MAX,
								.what = "a level",
								.optional = true,
								.keeps = true,
								.show = "notify_level"}}},
		{.words = "notify level",
				.help = "Notify senders from this congestion level on",
				.value = {{.key = "level",
						.type = FCN_SETTING_NUMBER,
						IN_QUEUE(policy.notify_level),
						.most = FCN_LEVEL_MAX,
						.what = "a level"}},
				.alias = true},
		{.words = "contributors",
				.help = "Notify only for flows that hold their part of the queue: "
					"its bytes divided by twice the number of flows",
				.value = {{.key = "state",
						.type = FCN_SETTING_SWITCH,
						IN_QUEUE(policy.contributors),
						.show = "contributors"}}},
};

const struct fcn_setting_scope fcn_queue_scope = {
		.title = "Queues",
		.syntax = QUEUE_SYNTAX,
		FCN_SETTING_TABLE(settings),
		.select = queue_select,
		.each = queue_each,
};

static const struct fcn_setting buffer_settings[] = {
		{.words = "reserve",
				.help = "Bytes of the shared buffer that are always the queue's",
				.value = {{.key = "reserve",
						.type = FCN_SETTING_SIZE,
						IN_QUEUE(reserve),
						.most = MAX_BYTES,
						.what = "a reserve"}}},
		{.words = "alpha",
				.help = "What the queue may have of the shared buffer, in "
					"proportion to what is free of it",
				.value = {{.key = "alpha",
						.type = FCN_SETTING_RATIO,
						IN_QUEUE(alpha),
						.most = MAX_ALPHA,
						.what = "alpha",
						.initial = FCN_RATIO_ONE}}},
};

const struct fcn_setting_scope fcn_queue_buffer_scope = {
		.title = "Shared buffer",
		.syntax = QUEUE_SYNTAX,
		FCN_SETTING_TABLE(buffer_settings),
		.select = queue_select,
		.each = queue_each,
};

int
queue_select(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL), ports;
	int rc = fcn_setting_ports(cfg, args, "port", &ports);

	for (; ports != 0; ports &= ports - 1) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (class == FCN_ARG_CLASS_ALL || class == c)
				fcn_setting_add(objects,
						&cfg->port[__builtin_ctzll(ports)].queue[c]);
		}
	}
	return rc;
}

void
queue_each(const struct fcn_config *cfg, fcn_setting_visit visit, void *arg)
{
	char head[FCN_NAME_LEN + 32];

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; fcn_config_is_line(cfg, p) && c < FCN_CLASSES; c++) {
			snprintf(head, sizeof(head), "set queue %s class %u", cfg->port[p].name, c);
			visit(arg, &cfg->port[p].queue[c], head);
		}
	}
}

void
fcn_config_queue_default(struct fcn_config_queue *q)
{
	memset(q, 0, sizeof(*q));
	fcn_setting_defaults(&fcn_queue_scope, q);
	fcn_setting_defaults(&fcn_queue_buffer_scope, q);
	fcn_setting_defaults(&fcn_detector_scope, q);
}
