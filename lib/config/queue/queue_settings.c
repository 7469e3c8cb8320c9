/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of class queues. */

#include <string.h>

#include "fcn_names.h"
#include "queue_scope.h"
#include "setting_table.h"

#define MAX_BYTES 1000000000

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_queue, member)
#define IN_FORCE(member) FCN_SETTING_IN_FORCE(struct fcn_queue_conf, member)

/* A shaper of a class: its rate, and the burst that may be made up for after idling. */
#define SHAPER(which, shown, no_rate)                                                          \
	RATE("rate", which.bps, FCN_SHAPER_MIN_BPS, FCN_SHAPER_MAX_BPS, "a rate", SHOW(shown), \
			NULL_IF(0), .special = {OR("off", 0, no_rate)}),                       \
			SIZE("burst", which.burst, 0, FCN_SHAPER_MAX_BURST, "a burst",         \
					.word = "burst", OPTIONAL, .initial = FCN_AUTO,        \
					.initial_text = "enough to make up for a late poll",   \
					NOT_SHOWN("`show queue` has the rates alone"))

FCN_STATIC_NAME_FUNCTION(sched_name, unsigned int, "drr", "strict")
FCN_STATIC_NAME_FUNCTION(trim_name, unsigned int, "off", "forward", "return", "both")

static const struct fcn_setting settings[] = {
		{"limit",
				"Maximum number of bytes and of packets in the queue. Packets that "
				"exceed it are dropped on arrival (tail drop)",
				{SIZE("bytes", limit_bytes, 1, MAX_BYTES, "a limit",
						 .initial = FCN_AUTO, SHOW("limit_bytes"),
						 IN_FORCE(limit_bytes),
						 .special = {OR("auto", FCN_AUTO,
								 "The bytes of 320us at the "
								 "queue's rate (4 MB at 100G), at "
								 "least 1 MB and twice every "
								 "threshold that is configured for "
								 "the queue")}),
						COUNT("packets", limit_packets, 1, 65536,
								"a limit in packets",
								.word = "packets", KEPT,
								.initial = FCN_AUTO,
								.initial_text = "one for each 512 "
										"bytes of the "
										"limit, 4096 to "
										"65536",
								IN_FORCE(limit_packets),
								SHOW("limit_packets"))}},
		{"strict", "Serve the class with strict priority over all lower classes",
				{SWITCH(strict, .initial = (uint64_t)FCN_STRICT_AUTO, SHOW("sched"),
						.name = sched_name, IN_FORCE(strict),
						.special = {OR("auto", (uint64_t)FCN_STRICT_AUTO,
								"The classes 6 and 7, the class of "
								"notices, and that of trimmed "
								"packets where a queue trims have "
								"strict priority")})}},
		{"weight", "Weight of the class among the classes without strict priority",
				{NUMBER("weight", weight, 1, 1000, "a weight", .initial = 1,
						SHOW("weight"))}},
		{"committed",
				"Committed rate: the class gets this rate before other classes get "
				"more than theirs. burst is the number of bytes that may be sent "
				"at once after the class was idle",
				{SHAPER(committed, "committed_bps",
						"The class has no committed rate")}},
		{"peak",
				"Peak rate, which the class never exceeds. burst is the number of "
				"bytes that may be sent at once after the class was idle",
				{SHAPER(peak, "peak_bps",
						"The class has no peak rate and may send at the "
						"rate of the port")}},
		{"ecn", "Mark ECT packets with CE while the queue is congested",
				{SWITCH(policy.ecn, SHOW("ecn"))}},
		{"mark from",
				"Mark packets only if the queue holds at least this number of "
				"bytes and has at least this congestion level",
				{SIZE("bytes", policy.mark_bytes, 0, MAX_BYTES, "an occupancy",
						 SHOW("mark_from")),
						NUMBER("level", policy.mark_level, 0, FCN_LEVEL_MAX,
								"a level", .word = "level", KEPT,
								SHOW("mark_level"))}},
		{"mark level", "Mark packets only if the queue has at least this congestion level",
				{NUMBER("level", policy.mark_level, 0, FCN_LEVEL_MAX, "a level")},
				.alias = true},
		{"notify", "Notify senders while the queue is congested",
				{SWITCH(policy.notify, SHOW("notify"))}},
		{"notify from",
				"Notify senders only if the queue holds at least this number of "
				"bytes and has at least this congestion level",
				{SIZE("bytes", policy.notify_bytes, 0, MAX_BYTES, "an occupancy",
						 SHOW("notify_from")),
						NUMBER("level", policy.notify_level, 0,
								FCN_LEVEL_MAX, "a level",
								.word = "level", KEPT,
								SHOW("notify_level"))}},
		{"notify level",
				"Notify senders only if the queue has at least this congestion "
				"level",
				{NUMBER("level", policy.notify_level, 0, FCN_LEVEL_MAX, "a level")},
				.alias = true},
		{"trim",
				"Packet trimming: what becomes of packets that the queue, the "
				"shared buffer or the headroom has no room for. off: they are "
				"dropped. forward: their headers go on to the receiver in the "
				"class of trimmed packets, so that it asks for them again at once. "
				"return: they are dropped, and a notice to the sender of each "
				"names it, so that it is sent again at once. both: both",
				{CHOICE("mode", trim, FCN_TRIM_OFF, FCN_TRIM_BOTH, trim_name,
						 SHOW("trim")),
						NUMBER("bytes", trim_size, 64, 1024,
								"the size of trimmed packets",
								.word = "size", KEPT,
								.initial = 256,
								.initial_text = "256 bytes of the "
										"frame; always the "
										"headers up to the "
										"BTH",
								SHOW("trim_size"))}},
		{"heavy-flows",
				"Heavy-flow filter: notify only the senders of flows that occupy "
				"at least half of their fair share of the queue. The fair share is "
				"the number of bytes in the queue divided by the number of flows "
				"in it",
				{SWITCH(policy.heavy_flows, SHOW("heavy_flows"))}},
		{"arn",
				"Precise flow control: while the queue is congested, ask upstream "
				"neighbours to halt the tunnels (service) or the flows (flow) of "
				"its packets, or its class (priority)",
				{CHOICE("mode", policy.arn, 1 + FCN_ARN_MODE_SERVICE,
						1 + FCN_ARN_MODE_PRIORITY, fcn_arn_policy_name,
						SHOW("arn"),
						.special = {OR("off", 0,
								"No adaptive routing notifications "
								"are sent for the queue")})}},
		{"arn-level",
				"Ask upstream neighbours to halt traffic only if the queue has at "
				"least this congestion level",
				{NUMBER("level", policy.arn_level, 0, FCN_LEVEL_MAX, "a level",
						SHOW("arn_level"))}},
		{"arn-time",
				"Time for which upstream neighbours are asked to halt traffic. It "
				"is asked for again after half of it while the queue is congested",
				{TIME("time", arn_time_ns, 10000, 1000000000, "the time of a halt",
						.step = 1000, .initial = 500000,
						SHOW("arn_time_ns"))}},
		{"contributors", "The former name of heavy-flows", {SWITCH(policy.heavy_flows)},
				.former = true},
};

const struct fcn_setting_scope fcn_queue_scope = {
		.title = "Queues",
		.syntax = QUEUE_SYNTAX,
		.show = "queue",
		FCN_SETTING_TABLE(settings, OPERATE),
		.select = queue_select,
		.each = queue_each,
};

static const struct fcn_setting buffer_settings[] = {
		{"reserve", "Bytes of the shared buffer that are reserved for the queue",
				{SIZE("reserve", reserve, 0, MAX_BYTES, "a reserve",
						SHOW_ALSO("reserve_bytes", "buffer.queues",
								"reserve"))}},
		{"alpha",
				"Maximum occupancy of the shared buffer by the queue, as a "
				"multiple of the free part of the buffer",
				{RATIO("alpha", alpha, 0, 128 * FCN_RATIO_ONE, "alpha",
						.initial = FCN_RATIO_ONE,
						SHOW_ALSO("alpha", "buffer.queues", "alpha"))}},
};

const struct fcn_setting_scope fcn_queue_buffer_scope = {
		.title = "Shared buffer",
		.syntax = QUEUE_SYNTAX,
		.show = "queue.account",
		FCN_SETTING_TABLE(buffer_settings, OPERATE),
		.select = queue_select,
		.each = queue_each,
};

int
queue_select(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);
	struct fcn_port_set ports;
	int rc = fcn_setting_ports(cfg, args, "port", &ports);

	FCN_PORT_SET_FOREACH (p, &ports) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (class == FCN_ARG_CLASS_ALL || class == c)
				fcn_setting_add(objects, &cfg->port[p].queue[c]);
		}
	}
	return rc;
}

void
queue_each(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char head[FCN_NAME_LEN + 32];

	RTE_SET_USED(scope);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		for (unsigned int c = 0; fcn_config_has_link(cfg, p) && c < FCN_CLASSES; c++) {
			snprintf(head, sizeof(head), "set queue %s class %u", cfg->port[p].name, c);
			visit(arg, &cfg->port[p].queue[c], head);
		}
	}
}

void
fcn_config_queue_default(struct fcn_config_queue *q)
{
	static const struct fcn_setting_scope *const scopes[] = {
			FCN_QUEUE_SCOPES(FCN_SCOPE_ADDRESS)};

	memset(q, 0, sizeof(*q));
	for (size_t i = 0; i < RTE_DIM(scopes); i++)
		fcn_setting_defaults(scopes[i], q);
}
