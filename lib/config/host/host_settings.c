/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the host functions. */

#include <errno.h>
#include <inttypes.h>

#include <rte_time.h>

#include "fcn_config_names.h"
#include "setting_table.h"

#define MAX_RATE 1000000
#define MIN_TIME_NS 1000000
#define MAX_TIME_NS (86400 * (uint64_t)NS_PER_S)
#define MAX_NEIGHBOURS 65536

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, host.member)

/* A token bucket: a rate per second, and a burst. */
#define BUCKET(which, shown, rate_, burst_)                                                  \
	COUNT("rate", which.rate, 0, MAX_RATE, "a rate", .initial = rate_, SHOW(shown)),     \
			COUNT("burst", which.burst, 1, MAX_RATE, "a burst", .word = "burst", \
					.initial = burst_,                                   \
					NOT_SHOWN("`show host` has the rates alone"))

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
				"Host functions: resolve neighbours' addresses, answer ping, and "
				"send ICMP errors for packets that cannot be forwarded. auto is on "
				"in the live switch and off in replay",
				{CHOICE("mode", mode, FCN_HOST_AUTO, FCN_HOST_OFF,
						fcn_host_mode_name, SHOW("mode"))}},
		{"dad",
				"Duplicate address detection: check that no other node uses an "
				"address before it is used",
				{SWITCH(dad, .initial = true, SHOW("dad"))}},
		{"mld",
				"Multicast Listener Discovery: report the multicast groups of the "
				"switch's IPv6 addresses, so that switches with MLD snooping "
				"forward Neighbour Discovery to it",
				{SWITCH(mld, .initial = true, SHOW("mld"))}},
		{"errors",
				"Maximum number of ICMP errors of each kind per second, for "
				"packets of one ingress port, and maximum number at once",
				{BUCKET(errors, "errors_per_second", 1000, 100)}},
		{"replies",
				"Maximum number of echo replies per second, for requests of one "
				"ingress port, and maximum number at once",
				{BUCKET(replies, "replies_per_second", 1000, 100)}},
		{"solicitations",
				"Maximum number of address resolutions per second that the packets "
				"of one port may cause, and maximum number at once",
				{BUCKET(solicitations, "solicitations_per_second", 500, 250)}},
		{"reachable",
				"Time for which a neighbour counts as reachable before the switch "
				"verifies it again",
				{DURATION(reachable_ns, 30, SHOW("reachable_ns"))}},
		{"retrans", "Time between two solicitations for a neighbour",
				{DURATION(retrans_ns, 1, SHOW("retrans_ns"))}},
		{"neighbours",
				"Maximum number of neighbours that are known or being resolved, in "
				"total and on one port. Half of them are reserved for the ports in "
				"equal shares",
				{COUNT("count", max_neighbours, 1, MAX_NEIGHBOURS,
						 "a number of neighbours", .initial = 8192,
						 SHOW("max_neighbours")),
						COUNT("most", port_neighbours, 1, MAX_NEIGHBOURS,
								"a number of neighbours",
								.word = "port", OPTIONAL,
								.initial = 0,
								.initial_text = "all that the "
										"other ports do "
										"not use",
								SHOW("port_neighbours"))},
				.finish = check_neighbours},
		{"capability",
				"Time for which a sender that answers a notice with an ICMPv6 "
				"Parameter Problem counts as one that does not support notices of "
				"this kind",
				{DURATION(capability_ns, 600, SHOW("capability_ns"),
						.special = {OR("off", 0,
								"The switch does not learn from "
								"Parameter Problems which "
								"senders support notices")})}},
		{"advertise",
				"Maximum time between two unsolicited router advertisements of a "
				"port",
				{DURATION(advertise_ns, 200,
						NOT_SHOWN("no `show` is about router "
							  "advertisements"))}},
		{"class", "Class queue for packets that the host functions send",
				{CLASS(class, .initial = 7, SHOW("class"))}},
};

const struct fcn_setting_scope fcn_host_scope = {
		.title = "Host functions",
		.syntax = "set host",
		.show = "host.configuration",
		FCN_SETTING_TABLE(settings, OPERATE),
};
