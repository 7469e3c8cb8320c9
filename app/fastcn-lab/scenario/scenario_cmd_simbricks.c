/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands for hosts that are in other simulators. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define DEFAULT_LATENCY UINT64_C(500)
#define MAX_LATENCY UINT64_C(1000000000)
#define DEFAULT_WAIT UINT64_C(60000000000)
#define MAX_WAIT UINT64_C(1000000000000000)
#define NS_PER_MS UINT64_C(1000000)

static int
read_times(const struct fcn_args *args, struct lab_simbricks *s)
{
	s->latency_ns = fcn_args_u64(args, "latency", DEFAULT_LATENCY);
	s->sync_ns = fcn_args_u64(args, "sync", s->latency_ns);
	s->wait_ns = fcn_args_u64(args, "wait", DEFAULT_WAIT);
	if (s->latency_ns == 0 || s->latency_ns > MAX_LATENCY)
		return fcn_command_error(args, -ERANGE, "latency", "the latency must be 1ns to 1s");
	if (s->sync_ns == 0 || s->sync_ns > s->latency_ns)
		return fcn_command_error(args, -ERANGE, "sync",
				"the time between two messages must be 1ns to the latency, or both "
				"simulators could wait for each other");
	if (s->wait_ns < NS_PER_MS || s->wait_ns > MAX_WAIT)
		return fcn_command_error(
				args, -ERANGE, "wait", "the time to wait must be 1ms to 1000000s");
	return 0;
}

/* Add the host, whose index is that of the last one. */
static int
add(struct lab_reader *r, const struct fcn_args *args, bool listens)
{
	struct lab_simbricks *s, new = {.listen = listens, .place = r->place};
	int rc = read_times(args, &new);

	if (rc == 0)
		rc = lab_host_push(r, args, "host", fcn_args_str(args, "host"));
	if (rc != 0)
		return rc;
	new.host = r->sc->n_hosts - 1;
	s = lab_push(&r->sc->simbricks, &r->sc->n_simbricks, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	*s = new;
	s->path = lab_beside(r->sc, fcn_args_str(args, "socket"));
	return s->path != NULL ? 0 : -ENOMEM;
}

static int
add_in_pass(struct fcn_session *session, const struct fcn_args *args, bool listens)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);

	if (r != NULL)
		return add(r, args, listens);
	r = lab_reader_in(session, LAB_PASS_REST);
	return r == NULL || r->half_read ? 0 : lab_host_check_links(r, args, "host");
}

static int
simbricks_listen(struct fcn_session *session, const struct fcn_args *args)
{
	return add_in_pass(session, args, true);
}

static int
simbricks_connect(struct fcn_session *session, const struct fcn_args *args)
{
	return add_in_pass(session, args, false);
}

/* Get what the scenario wants a host to do itself; NULL: nothing. */
static const char *
wanted_of(const struct lab_scenario *sc, unsigned int host)
{
	unsigned int i;

	for (i = 0; i < sc->n_flows; i++)
		if (sc->flow[i].from == host || sc->flow[i].to == host)
			return "be an end of a flow";
	for (i = 0; i < sc->n_captures; i++)
		if (sc->capture[i].host == host)
			return "send a capture";
	for (i = 0; i < sc->n_generators; i++)
		if (sc->generator[i].from == host)
			return "send packets of a generator";
	for (i = 0; i < sc->n_actions; i++) {
		const struct lab_action *a = &sc->action[i];

		if (a->target == host &&
				(a->kind == LAB_NOTICES_SPOOF || a->kind == LAB_HOST_PAUSE ||
						a->kind == LAB_HOST_HALT ||
						a->kind == LAB_HOST_TELL))
			return "be told what to send";
	}
	return NULL;
}

void
lab_simbricks_check(struct lab_reader *r)
{
	for (unsigned int i = 0; i < r->sc->n_simbricks; i++) {
		const struct lab_simbricks *s = &r->sc->simbricks[i];
		const char *wanted = wanted_of(r->sc, s->host);

		if (wanted != NULL)
			lab_report_error(r, &s->place, 1,
					"host %s is in another simulator, and cannot %s here",
					r->sc->host[s->host].name, wanted);
	}
}

#define REST " <socket:name> [latency <latency:time>] [sync <sync:time>] [wait <wait:time>]"

static const struct fcn_command commands[] = {
		{"simbricks add <host:name> listen" REST,
				"Add a host that is in another simulator, which connects to "
				"this UNIX socket (relative to the folder of the scenario) and "
				"speaks SimBricks' network protocol with synchronised time. The "
				"host has a link like any other, by which its frames enter the "
				"network. latency is the time that frames to the other "
				"simulator take after the link (default 500ns); the other one "
				"has its own. sync is the longest virtual time without a "
				"message to it (default: the latency). wait is the time of the "
				"clock after which the run ends with an error if the other "
				"simulator does not come or says nothing (default 60s)",
				FCN_COMMAND_CONFIG, simbricks_listen},
		{"simbricks add <host:name> connect" REST,
				"The same for a simulator that listens on this UNIX socket",
				FCN_COMMAND_CONFIG, simbricks_connect},
};

const struct fcn_command_group lab_simbricks_commands = {
		"Other simulators", commands, RTE_DIM(commands)};
