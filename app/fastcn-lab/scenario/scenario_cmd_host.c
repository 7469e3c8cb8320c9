/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_common.h>

#include "fcn_endpoint_setting.h"
#include "scenario_private.h"

int
lab_host_push(struct lab_reader *r, const struct fcn_args *args, const char *key, const char *name)
{
	const char *why = lab_name_error(name);
	struct lab_node known;
	struct lab_host *host;

	if (why != NULL)
		return fcn_command_error(args, -EINVAL, key, "%s %s", name, why);
	if (lab_node_find(r->sc, name, &known))
		return fcn_command_error(args, -EEXIST, key, "there is a %s %s already",
				known.kind == LAB_HOST ? "host" : "switch", name);
	if (r->sc->n_hosts == LAB_MAX_HOSTS)
		return fcn_command_error(args, -ENOSPC, key, "more than %u hosts", LAB_MAX_HOSTS);
	host = lab_push(&r->sc->host, &r->sc->n_hosts, sizeof(*host));
	if (host == NULL)
		return -ENOMEM;
	snprintf(host->name, sizeof(host->name), "%s", name);
	host->place = r->place;
	return 0;
}

int
lab_host_check_links(struct lab_reader *r, const struct fcn_args *args, const char *key)
{
	struct lab_nodes hosts;
	int rc = lab_nodes_of(r, args, key, LAB_HOSTS, &hosts);

	for (unsigned int i = 0; rc == 0 && i < hosts.n; i++)
		if (lab_links_of(r->sc, hosts.node[i]) == 0)
			rc = fcn_command_error(args, -EINVAL, key, "host %s has no link",
					r->sc->host[hosts.node[i].index].name);
	lab_nodes_free(&hosts);
	return rc;
}

static int
host_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);
	struct lab_names names;
	int rc;

	if (r == NULL) {
		r = lab_reader_in(session, LAB_PASS_REST);
		return r == NULL || r->half_read ? 0 : lab_host_check_links(r, args, "hosts");
	}
	rc = lab_names_of(args, "hosts", &names);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; rc == 0 && i < names.n; i++)
		rc = lab_host_push(r, args, "hosts", names.name[i]);
	lab_names_free(&names);
	return rc;
}

/* Change a setting of the endpoint of each host in the argument "hosts". */
static int
host_change(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_nodes hosts;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &hosts);
	for (unsigned int i = 0; rc == 0 && i < hosts.n; i++) {
		/* A host whose link has an error has no defaults, so its settings cannot be
		 * checked. */
		if (r->half_read && lab_links_of(r->sc, hosts.node[i]) == 0)
			continue;
		rc = fcn_endpoint_set(args, &r->sc->host[hosts.node[i].index].conf);
	}
	lab_nodes_free(&hosts);
	return rc;
}

/* The hosts in the argument "hosts" tell the switch at their link about their queue pairs. */
static int
host_reports(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_nodes hosts;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_nodes_of(r, args, "hosts", LAB_HOSTS, &hosts);
	for (unsigned int i = 0; rc == 0 && i < hosts.n; i++) {
		struct lab_host *host = &r->sc->host[hosts.node[i].index];

		host->reports = true;
		host->report_ns = fcn_args_u64(args, "after", 0);
		host->reports_place = r->place;
	}
	lab_nodes_free(&hosts);
	return rc;
}

#define HOST "host <hosts:names> "
#define FORM(syntax, help) {HOST syntax, help, FCN_COMMAND_CONFIG, host_change},
#define STATE(word, field, help) FORM("set " word " <state:on|off>", help)
#define VALUE(word, type, field, unit, least, most, help) \
	FORM("set " word " <value:" type ">", help)

static const struct fcn_command commands[] = {
		{"host add <hosts:names>",
				"Add hosts. A host is a RoCEv2 network adapter with one link. "
				"By default it has the parameters of a ConnectX adapter, does "
				"not react to congestion, and refuses Fast CNPs",
				FCN_COMMAND_CONFIG, host_add},
		{HOST "reports [after <after:time>]",
				"Hosts tell the switch at their link, by its commands proxy qp "
				"learned, which queue pairs they send over, and when one is "
				"closed. The switch needs set proxy reported. after is the time "
				"from the connection of a queue pair to its report (default 0). "
				"After a restart of the switch all are reported again",
				FCN_COMMAND_CONFIG, host_reports},
		FCN_ENDPOINT_FORMS(FORM) FCN_ENDPOINT_STATES(STATE) FCN_ENDPOINT_VALUES(VALUE)};

const struct fcn_command_group lab_host_commands = {"Hosts", commands, RTE_DIM(commands)};

int
lab_reaction_commands(struct fcn_command_group *into)
{
	return fcn_endpoint_reaction_commands(
			"Hosts' reaction to congestion", HOST, host_change, into);
}
