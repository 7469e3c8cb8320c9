/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the host functions. */

#include <errno.h>
#include <inttypes.h>

#include <rte_time.h>

#include "setting_table.h"

#define MAX_RATE 1000000
#define MIN_TIME_NS 1000000
#define MAX_TIME_NS (86400 * (uint64_t)NS_PER_S)
#define MAX_NEIGHBOURS 65536

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, host.member)

/* A token bucket: a rate per second, and a burst. */
#define BUCKET(which, rate_, burst_)                                                         \
	COUNT("rate", which.rate, 0, MAX_RATE, "a rate", .initial = rate_),                  \
			COUNT("burst", which.burst, 1, MAX_RATE, "a burst", .word = "burst", \
					.initial = burst_)

#define DURATION(member, seconds, ...)                              \
	TIME("time", member, MIN_TIME_NS, MAX_TIME_NS, "this time", \
			.initial = (seconds) * (uint64_t)NS_PER_S, ##__VA_ARGS__)

/* One port cannot have more neighbours than all ports together. */
static int
check_neighbours(const struct fcn_args *args, void *object)
{
	const struct fcn_config_host *h = &((struct fcn_config *)object)->host;

	if (h->port_neighbours <= h->max_neighbours)
		return 0;
	return fcn_command_error(
			args, -ERANGE, "most", "of one port 1 to all %" PRIu32, h->max_neighbours);
}

static const struct fcn_setting settings[] = {
		{"",
				"Find neighbours, answer ping, tell senders what cannot be "
				"forwarded; auto is on in the live switch and off in replay",
				{CHOICE("mode", mode, FCN_HOST_AUTO, FCN_HOST_OFF,
						fcn_host_mode_name)}},
		{"dad", "Ask whether an address is taken before using it",
				{SWITCH(dad, .initial = true)}},
		{"mld",
				"Report the multicast groups of the switch's IPv6 addresses, so "
				"that switches that snoop forward Neighbour Discovery to it",
				{SWITCH(mld, .initial = true)}},
		{"errors",
				"ICMP errors of each kind a second for each ingress port, and how "
				"many at once",
				{BUCKET(errors, 1000, 100)}},
		{"replies", "Echo replies a second for each ingress port, and how many at once",
				{BUCKET(replies, 1000, 100)}},
		{"solicitations",
				"Neighbours that the packets of each port may have asked for in a "
				"second, and how many at once",
				{BUCKET(solicitations, 500, 250)}},
		{"reachable", "How long a neighbour is believed before it is asked again",
				{DURATION(reachable_ns, 30)}},
		{"retrans", "Time between two questions for a neighbour",
				{DURATION(retrans_ns, 1)}},
		{"neighbours",
				"Neighbours found and asked for at the most, and of these on one "
				"port. Half of them are promised in equal parts to all ports",
				{COUNT("count", max_neighbours, 1, MAX_NEIGHBOURS,
						 "a number of neighbours", .initial = 8192),
						COUNT("most", port_neighbours, 1, MAX_NEIGHBOURS,
								"a number of neighbours",
								.word = "port", OPTIONAL,
								.initial = 0,
								.initial_text = "what the other "
										"ports leave it")},
				.finish = check_neighbours},
		{"capability",
				"How long a sender that answers a Fast CNP with Parameter Problem "
				"counts as one that does not understand it",
				{DURATION(capability_ns, 600,
						.special = {OR("off", 0,
								"Learn nothing of senders by their "
								"answers")})}},
		{"advertise", "Time between two router advertisements of a port",
				{DURATION(advertise_ns, 200)}},
		{"class", "Class queue of what the host functions send",
				{CLASS(class, .initial = 7)}},
};

const struct fcn_setting_scope fcn_host_scope = {
		.title = "Host functions",
		.syntax = "set host",
		FCN_SETTING_TABLE(settings),
};
