/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_snapshot.h"
#include "scenario_private.h"

#define DEFAULT_RATE UINT64_C(100000000000)
#define DEFAULT_DELAY 1000
#define MIN_RATE 1000
#define MAX_RATE UINT64_C(10000000000000)
#define MAX_DELAY_NS UINT64_C(10000000000)

bool
lab_node_has_port(const struct lab_scenario *sc, struct lab_node node, const char *port)
{
	for (unsigned int i = 0; i < sc->n_links; i++)
		for (unsigned int e = 0; e < 2; e++)
			if (sc->link[i].end[e].kind == node.kind &&
					sc->link[i].end[e].index == node.index &&
					strcmp(sc->link[i].port[e], port) == 0)
				return true;
	return false;
}

/*
 * Name the port at an end of a link: as given, or after the node at the other end. From the second
 * link between two nodes on, a number is appended.
 */
static int
name_port(struct lab_reader *r, const struct fcn_args *args, const char *key,
		const struct lab_node ends[2], unsigned int end, const char *said, char *port)
{
	const char *other = lab_node_name(r->sc, ends[1 - end]);
	unsigned int n = 1;

	port[0] = '\0';
	if (ends[end].kind == LAB_HOST)
		return said == NULL ? 0
				    : fcn_command_error(args, -EINVAL, key,
						      "%s is a host: its port has no name",
						      lab_node_name(r->sc, ends[end]));
	snprintf(port, LAB_NAME_LEN, "%s", said != NULL ? said : other);
	while (said == NULL && lab_node_has_port(r->sc, ends[end], port))
		snprintf(port, LAB_NAME_LEN, "%.24s_%u", other, ++n);
	if (lab_node_has_port(r->sc, ends[end], port))
		return fcn_command_error(args, -EEXIST, key, "%s has a port %s already",
				lab_node_name(r->sc, ends[end]), port);
	return 0;
}

unsigned int
lab_links_of(const struct lab_scenario *sc, struct lab_node node)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < sc->n_links; i++)
		for (unsigned int e = 0; e < 2; e++)
			n += sc->link[i].end[e].kind == node.kind &&
			     sc->link[i].end[e].index == node.index;
	return n;
}

static int
check_end(struct lab_reader *r, const struct fcn_args *args, const char *key, struct lab_node node)
{
	unsigned int n = lab_links_of(r->sc, node);

	if (node.kind == LAB_HOST && n == 1)
		return fcn_command_error(args, -EEXIST, key, "host %s has a link already",
				lab_node_name(r->sc, node));
	if (node.kind == LAB_SWITCH && n == FCN_MAX_PORTS)
		return fcn_command_error(args, -ENOSPC, key,
				"switch %s has %u links already, as many as a switch can have",
				lab_node_name(r->sc, node), FCN_MAX_PORTS);
	return 0;
}

/* Port names given for the links. */
struct ports {
	struct lab_names names[2];
};

static const char *
port_said(const struct ports *ports, unsigned int end, unsigned int i)
{
	return i < ports->names[end].n ? ports->names[end].name[i] : NULL;
}

static int
add_link(struct lab_reader *r, const struct fcn_args *args, const struct lab_nodes ends[2],
		unsigned int i, const struct ports *ports)
{
	static const char *const keys[2] = {"a", "b"};
	static const char *const port_keys[2] = {"a-port", "b-port"};
	const struct lab_node end[2] = {ends[0].node[i], ends[1].node[i]};
	struct lab_link *link, new = {.place = r->place, .end = {end[0], end[1]}};
	unsigned int e;
	int rc = 0;

	if (end[0].kind == end[1].kind && end[0].index == end[1].index)
		return fcn_command_error(args, -EINVAL, "b", "a link cannot connect %s to itself",
				lab_node_name(r->sc, end[0]));
	if (r->sc->n_links == LAB_MAX_LINKS)
		return fcn_command_error(args, -ENOSPC, NULL, "there can be at most %u links",
				LAB_MAX_LINKS);
	for (e = 0; rc == 0 && e < 2; e++) {
		rc = check_end(r, args, keys[e], end[e]);
		if (rc == 0)
			rc = name_port(r, args, port_keys[e], end, e, port_said(ports, e, i),
					new.port[e]);
	}
	if (rc != 0)
		return rc;
	new.rate_bps = fcn_args_u64(args, "rate", DEFAULT_RATE);
	new.delay_ns = fcn_args_u64(args, "delay", DEFAULT_DELAY);
	link = lab_push(&r->sc->link, &r->sc->n_links, sizeof(*link));
	if (link == NULL)
		return -ENOMEM;
	*link = new;
	return 0;
}

/*
 * Read `port A [B]`. A is the name at the first end, or at the only end that is a switch; B is the
 * name at the second end.
 */
static int
read_ports(const struct fcn_args *args, const struct lab_nodes ends[2], struct ports *ports)
{
	static const char *const keys[2] = {"a-port", "b-port"};
	bool swapped = ends[0].node[0].kind == LAB_HOST && !fcn_args_has(args, "b-port");
	unsigned int e;
	int rc = 0;

	memset(ports, 0, sizeof(*ports));
	for (e = 0; rc == 0 && e < 2; e++) {
		struct lab_names *names = &ports->names[swapped ? 1 - e : e];

		if (!fcn_args_has(args, keys[e]))
			continue;
		rc = lab_names_of(args, keys[e], names);
		if (rc == 0 && names->n != ends[0].n)
			rc = fcn_command_error(args, -EINVAL, keys[e],
					"there are %u ports for %u links", names->n, ends[0].n);
	}
	return rc;
}

int
lab_check_link_rate(const struct fcn_args *args)
{
	uint64_t rate = fcn_args_u64(args, "rate", DEFAULT_RATE);

	if (rate < MIN_RATE || rate > MAX_RATE)
		return fcn_command_error(
				args, -ERANGE, "rate", "the rate of a link must be 1K to 10T");
	return 0;
}

static int
check_values(const struct fcn_args *args)
{
	int rc = lab_check_link_rate(args);

	if (rc != 0)
		return rc;
	if (fcn_args_u64(args, "delay", DEFAULT_DELAY) > MAX_DELAY_NS)
		return fcn_command_error(
				args, -ERANGE, "delay", "the delay of a link must be at most 10s");
	return 0;
}

static int
link_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_LINKS);
	struct ports ports = {.names = {{.n = 0}}};
	struct lab_nodes ends[2];
	int rc;

	if (r == NULL)
		return 0;
	rc = check_values(args);
	if (rc == 0)
		rc = lab_pairs_of(r, args, "a", "b", ends);
	if (rc != 0)
		return rc;
	rc = read_ports(args, ends, &ports);
	for (unsigned int i = 0; rc == 0 && i < ends[0].n; i++)
		rc = add_link(r, args, ends, i, &ports);
	lab_names_free(&ports.names[0]);
	lab_names_free(&ports.names[1]);
	lab_nodes_free(&ends[0]);
	lab_nodes_free(&ends[1]);
	return rc;
}

static const struct fcn_command commands[] = {
		{"link add <a:names> <b:names> [rate <rate:rate>] [delay <delay:time>] "
		 "[port <a-port:names> [<b-port:names>]]",
				"Connect nodes by links. If both lists have the same length, "
				"the nodes are connected in pairs; otherwise one list has a "
				"single node, which is connected to each node of the other "
				"list. rate is the speed in each direction (default 100G), "
				"delay the one-way propagation delay (default 1us), and port "
				"gives the names of the switches' ports (default: the name of "
				"the node at the other end)",
				FCN_COMMAND_CONFIG, link_add},
};

const struct fcn_command_group lab_link_commands = {"Links", commands, RTE_DIM(commands)};
