/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_time.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_TIME_NS (86400 * (uint64_t)NS_PER_S)
#define MIN_TIME_NS 1000000
#define MAX_RATE 1000000
#define MAX_NEIGHBOURS 65536

static bool
is_on(const struct fcn_args *args)
{
	return strcmp(fcn_args_str(args, "state"), "on") == 0;
}

static int
set_mode(struct fcn_session *session, const struct fcn_args *args)
{
	enum fcn_host_mode m = FCN_HOST_AUTO;

	while (strcmp(fcn_host_mode_name(m), fcn_args_str(args, "mode")) != 0)
		m++;
	fcn_session_edit(session)->host.mode = m;
	return 0;
}

static int
set_dad(struct fcn_session *session, const struct fcn_args *args)
{
	fcn_session_edit(session)->host.dad = is_on(args);
	return 0;
}

static int
set_mld(struct fcn_session *session, const struct fcn_args *args)
{
	fcn_session_edit(session)->host.mld = is_on(args);
	return 0;
}

static int
set_rate(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t rate = fcn_args_u64(args, "rate", 0), burst = fcn_args_u64(args, "burst", 1);
	struct fcn_config_bucket *bucket;
	struct fcn_config_host *h;

	if (rate > MAX_RATE)
		return fcn_command_error(args, -ERANGE, "rate", "at most 1M a second");
	if (burst < 1 || burst > MAX_RATE)
		return fcn_command_error(args, -ERANGE, "burst", "a burst is 1 to 1M");
	h = &fcn_session_edit(session)->host;
	bucket = fcn_args_has(args, "errors")    ? &h->errors
		 : fcn_args_has(args, "replies") ? &h->replies
						 : &h->solicitations;
	*bucket = (struct fcn_config_bucket){.rate = rate, .burst = burst};
	return 0;
}

static int
set_time(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t ns = fcn_args_u64(args, "time", 0);
	struct fcn_config_host *h;

	if (ns < MIN_TIME_NS || ns > MAX_TIME_NS)
		return fcn_command_error(args, -ERANGE, "time", "1ms to 86400s");
	h = &fcn_session_edit(session)->host;
	if (fcn_args_has(args, "reachable"))
		h->reachable_ns = ns;
	else if (fcn_args_has(args, "retrans"))
		h->retrans_ns = ns;
	else if (fcn_args_has(args, "capability"))
		h->capability_ns = ns;
	else
		h->advertise_ns = ns;
	return 0;
}

static int
set_capability_off(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	fcn_session_edit(session)->host.capability_ns = 0;
	return 0;
}

static int
set_max(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t max = fcn_args_u64(args, "count", 0), most = fcn_args_u64(args, "most", 0);
	struct fcn_config_host *h;

	if (max < 1 || max > MAX_NEIGHBOURS)
		return fcn_command_error(
				args, -ERANGE, "count", "1 to %u neighbours", MAX_NEIGHBOURS);
	if (fcn_args_has(args, "most") && (most < 1 || most > max))
		return fcn_command_error(
				args, -ERANGE, "most", "of one port 1 to all %" PRIu64, max);
	h = &fcn_session_edit(session)->host;
	h->max_neighbours = max;
	h->port_neighbours = most;
	return 0;
}

static int
set_class(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t class = fcn_args_u64(args, "class", 0);

	if (class == FCN_ARG_CLASS_ALL)
		return fcn_command_error(args, -EINVAL, "class", "one class, 0 to 7");
	fcn_session_edit(session)->host.class = class;
	return 0;
}

static int
set_advertise(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_port(session, args, "port");

	if (port < 0)
		return port;
	fcn_session_edit(session)->port[port].advertise = is_on(args);
	return 0;
}

static int
clear_neighbour(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	fprintf(session->out, "%u forgotten\n",
			fcn_host_clear_neighbours(fcn_control_host(session->ctl)));
	return 0;
}

static int
clear_sender(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	fprintf(session->out, "%u forgotten\n",
			fcn_host_clear_senders(fcn_control_host(session->ctl)));
	return 0;
}

static const struct fcn_command commands[] = {
		{"set host <mode:auto|on|off>",
				"Find neighbours, answer ping, tell senders what cannot be "
				"forwarded (default auto: on in the live switch, off in replay)",
				FCN_COMMAND_CONFIG, set_mode},
		{"set host dad <state:on|off>",
				"Ask whether an address is taken before using it (default on)",
				FCN_COMMAND_CONFIG, set_dad},
		{"set host mld <state:on|off>",
				"Report the multicast groups of the switch's IPv6 addresses, so "
				"that "
				"switches that snoop forward Neighbour Discovery to it (default "
				"on)",
				FCN_COMMAND_CONFIG, set_mld},
		{"set host errors <rate:count> burst <burst:count>",
				"ICMP errors of each kind a second for each ingress port, and how "
				"many at once (default 1000, 100)",
				FCN_COMMAND_CONFIG, set_rate},
		{"set host replies <rate:count> burst <burst:count>",
				"Echo replies a second for each ingress port, and how many at once "
				"(default 1000, 100)",
				FCN_COMMAND_CONFIG, set_rate},
		{"set host solicitations <rate:count> burst <burst:count>",
				"Neighbours that the packets of each port may have asked for in a "
				"second, and how many at once (default 500, 250)",
				FCN_COMMAND_CONFIG, set_rate},
		{"set host reachable <time:time>",
				"How long a neighbour is believed before it is asked again "
				"(default 30s)",
				FCN_COMMAND_CONFIG, set_time},
		{"set host retrans <time:time>",
				"Between two questions for a neighbour (default 1s)",
				FCN_COMMAND_CONFIG, set_time},
		{"set host neighbours <count:count> [port <most:count>]",
				"Neighbours found and asked for at the most (default 8192), and of "
				"these on one port (default: what the other ports leave it). Half "
				"of them are promised in equal parts to all ports",
				FCN_COMMAND_CONFIG, set_max},
		{"set host capability <time:time>",
				"How long a sender that answers a Fast CNP with Parameter Problem "
				"counts as one that does not understand it (default 600s)",
				FCN_COMMAND_CONFIG, set_time},
		{"set host capability off", "Learn nothing of senders by their answers",
				FCN_COMMAND_CONFIG, set_capability_off},
		{"set host advertise <time:time>",
				"Between two router advertisements of a port (default 200s)",
				FCN_COMMAND_CONFIG, set_time},
		{"set host class <class:class>",
				"Class queue of what the host functions send (default 7)",
				FCN_COMMAND_CONFIG, set_class},
		{"set port <port:name> advertise <state:on|off>",
				"Send router advertisements (default off)", FCN_COMMAND_CONFIG,
				set_advertise},
		{"clear neighbour", "Forget neighbours that were found", FCN_COMMAND_ACTION,
				clear_neighbour},
		{"clear sender", "Forget what was found out about senders", FCN_COMMAND_ACTION,
				clear_sender},
};

const struct fcn_command_group fcn_host_commands = {"Host functions", commands, RTE_DIM(commands)};

static void
save_bucket(const struct fcn_config_bucket *b, const struct fcn_config_bucket *def,
		const char *what, FILE *out)
{
	if (b->rate != def->rate || b->burst != def->burst)
		fprintf(out, "set host %s %" PRIu64 " burst %u\n", what, b->rate, b->burst);
}

static void
save_time(uint64_t ns, uint64_t def, const char *what, FILE *out)
{
	char text[32];

	if (ns != def)
		fprintf(out, "set host %s %s\n", what, fcn_format_time(ns, text, sizeof(text)));
}

void
fcn_save_host(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_host *h = &cfg->host;
	struct fcn_config_host def;

	fcn_config_host_default(&def);
	if (h->mode != def.mode)
		fprintf(out, "set host %s\n", fcn_host_mode_name(h->mode));
	if (h->dad != def.dad)
		fprintf(out, "set host dad %s\n", h->dad ? "on" : "off");
	if (h->mld != def.mld)
		fprintf(out, "set host mld %s\n", h->mld ? "on" : "off");
	save_bucket(&h->errors, &def.errors, "errors", out);
	save_bucket(&h->replies, &def.replies, "replies", out);
	save_time(h->reachable_ns, def.reachable_ns, "reachable", out);
	save_time(h->retrans_ns, def.retrans_ns, "retrans", out);
	save_bucket(&h->solicitations, &def.solicitations, "solicitations", out);
	if (h->port_neighbours != 0)
		fprintf(out, "set host neighbours %u port %u\n", h->max_neighbours,
				h->port_neighbours);
	else if (h->max_neighbours != def.max_neighbours)
		fprintf(out, "set host neighbours %u\n", h->max_neighbours);
	if (h->capability_ns == 0)
		fprintf(out, "set host capability off\n");
	else
		save_time(h->capability_ns, def.capability_ns, "capability", out);
	save_time(h->advertise_ns, def.advertise_ns, "advertise", out);
	if (h->class != def.class)
		fprintf(out, "set host class %u\n", h->class);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].name[0] != '\0' && cfg->port[p].advertise)
			fprintf(out, "set port %s advertise on\n", cfg->port[p].name);
	}
}
