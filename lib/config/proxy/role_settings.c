/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the switch as a proxy for congestion notification. */

#include <errno.h>

#include "setting_table.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static int
check_interval(const struct fcn_args *args, void *object)
{
	const struct fcn_config_proxy *proxy = &((struct fcn_config *)object)->proxy;

	if (proxy->level7_ns == FCN_AUTO64 || proxy->level7_ns <= proxy->interval_ns)
		return 0;
	return fcn_command_error(args, -EINVAL, "level-7",
			"the interval at level 7 cannot be longer than that at level 0");
}

static const struct fcn_setting settings[] = {
		{"receive",
				"Receive congestion notification messages as a proxy, and "
				"translate them into what the traffic senders understand. This "
				"needs a port, see set cnm port, the prefixes of the congested "
				"nodes, see proxy node add, and those of the senders, see proxy "
				"sender add",
				{SWITCH(proxy.receive, SHOW("receive"))}},
		{"rate",
				"Maximum number of messages per second that are accepted from one "
				"congested node, and maximum number at once. Each worker has this "
				"limit of its own",
				{AUTO_TOKEN_BUCKET(proxy.node_bucket, "messages", "rate",
						AUTO_OF_NODE)}},
		{"total-rate",
				"Maximum number of messages per second that are accepted from all "
				"congested nodes, and maximum number at once. The workers have "
				"equal parts of the rate",
				{AUTO_TOKEN_BUCKET(proxy.total_bucket, "messages", "total_rate",
						AUTO_OF_NODES)}},
		{"interval",
				"Minimum time between two notifications to the sender of a flow, "
				"whatever number of congested nodes report it. With level-7, it "
				"falls evenly from the one at level 0 to this one at level 7",
				{TIME("time", proxy.interval_ns, 1 * US, 1000 * MS, "an interval",
						 .initial = 50 * US, SHOW("interval_ns")),
						TIME("level-7", proxy.level7_ns, 1 * US, 1000 * MS,
								"an interval", .word = "level-7",
								OPTIONAL, .initial = FCN_AUTO64,
								.initial_text = "the same as at "
										"level 0",
								SHOW("level_7_interval_ns"),
								NULL_IF(FCN_AUTO64))},
				.finish = check_interval},
		{"pfc-time",
				"How long the link of a sender that only understands pauses is "
				"paused after a notification of level 7. A level L has (L+1)/8 of "
				"it",
				{TIME("time", proxy.pfc_ns, 1 * US, 1000 * MS,
						"the time of a pause", .initial = 100 * US,
						SHOW("pfc_time_ns"))}},
		{"ce-time",
				"For how long packets of a flow are marked with CE after a "
				"notification, if its sender is told this way. At level L, (L+1)/8 "
				"of them are marked",
				{TIME("time", proxy.ce_ns, 1 * US, 10000 * MS,
						"the time of a notification", .initial = 1 * MS,
						SHOW("ce_time_ns"))}},
		{"intercept",
				"Translate Fast CNPs of other switches into CNPs where they are "
				"routed to a sender whose queue pair is known, by proxy qp add or "
				"by the report of its host. All others go on as they are",
				{SWITCH(proxy.intercept, SHOW("intercept"))}},
		{"reported",
				"Maximum number of queue pairs that hosts report, by programs with "
				"the role learned, in addition to those of proxy qp add, and "
				"maximum number of one host. Memory for as many is taken at once, "
				"some 200 octets for each. With 0, none is accepted",
				{NUMBER("number", proxy.reported, 0, FCN_QP_MAP_MOST,
						 "a number of queue pairs", .initial = 0,
						 SHOW_IN("proxy hosts", "reported_most")),
						NUMBER("per-host", proxy.reported_host, 1,
								FCN_QP_MAP_MOST,
								"a number of queue pairs",
								.word = "per-host", OPTIONAL,
								.initial = FCN_PROXY_HOST_QPS,
								SHOW_IN("proxy hosts",
										"reported_host_"
										"most"))}},
};

const struct fcn_setting_scope fcn_proxy_scope = {
		.title = "Congestion notification with a proxy",
		.syntax = "set proxy",
		.show = "proxy",
		FCN_SETTING_TABLE(settings, OPERATE),
};
