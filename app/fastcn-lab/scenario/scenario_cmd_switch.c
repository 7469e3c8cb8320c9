/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "scenario_private.h"

#define MAX_LATENCY_NS UINT64_C(1000000000)
#define MIN_CACHE 8u
#define MAX_CACHE 1048576u
#define DEFAULT_CACHE 131072u /* the same as in the live switch */

/* Whether a configuration adds ports. */
static bool
has_ports(const char *text)
{
	for (; text != NULL; text = strchr(text, '\n')) {
		text += strspn(text, " \t\r\n");
		if (strncmp(text, "port", 4) == 0 && strspn(text + 4, " \t") > 0 &&
				strncmp(text + 4 + strspn(text + 4, " \t"), "add", 3) == 0)
			return true;
	}
	return false;
}

static int
add_switch(struct lab_reader *r, const struct fcn_args *args, const char *name, const char *file,
		bool bare)
{
	const char *why = lab_name_error(name);
	struct lab_node known;
	struct lab_switch *sw;

	if (why != NULL)
		return fcn_command_error(args, -EINVAL, "switches", "%s %s", name, why);
	if (lab_node_find(r->sc, name, &known))
		return fcn_command_error(args, -EEXIST, "switches", "there is a %s %s already",
				known.kind == LAB_HOST ? "host" : "switch", name);
	if (r->sc->n_switches == LAB_MAX_SWITCHES)
		return fcn_command_error(args, -ENOSPC, "switches", "more than %u switches",
				LAB_MAX_SWITCHES);
	sw = lab_push(&r->sc->node_switch, &r->sc->n_switches, sizeof(*sw));
	if (sw == NULL)
		return -ENOMEM;
	snprintf(sw->name, sizeof(sw->name), "%s", name);
	sw->latency_ns = fcn_args_u64(args, "latency", LAB_DEFAULT_LATENCY_NS);
	sw->flows = (uint32_t)fcn_args_u64(args, "flows", DEFAULT_CACHE);
	sw->autoconf = !bare;
	sw->core = fcn_args_has(args, "core");
	sw->place = r->place;
	if (file != NULL) {
		sw->file = strdup(file);
		if (sw->file == NULL)
			return -ENOMEM;
	}
	return 0;
}

/* Read the configuration file of switches, and find out whether the lab has to add ports. */
static int
read_config(struct lab_reader *r, const struct fcn_args *args, char **path, bool *bare)
{
	const char *file = fcn_args_str(args, "file");
	size_t size;
	char *text;
	int rc;

	if (file == NULL)
		return 0;
	*path = lab_beside(r->sc, file);
	if (*path == NULL)
		return -ENOMEM;
	text = lab_read_file(*path, LAB_MAX_FILE, &size, &rc);
	if (text == NULL)
		return fcn_command_error(args, rc, "file", "%s: %s", *path, strerror(-rc));
	*bare = *bare || has_ports(text);
	free(text);
	return 0;
}

static int
switch_add(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_NODES);
	uint64_t flows = fcn_args_u64(args, "flows", DEFAULT_CACHE);
	bool bare = fcn_args_has(args, "bare");
	struct lab_names names;
	char *path = NULL;
	int rc;

	if (r == NULL)
		return 0;
	if (fcn_args_u64(args, "latency", 0) > MAX_LATENCY_NS)
		return fcn_command_error(args, -ERANGE, "latency", "a latency must be at most 1s");
	if (flows < MIN_CACHE || flows > MAX_CACHE || !rte_is_power_of_2((uint32_t)flows))
		return fcn_command_error(args, -ERANGE, "flows",
				"the number of flows must be a power of two, %u to %u", MIN_CACHE,
				MAX_CACHE);
	rc = read_config(r, args, &path, &bare);
	if (rc == 0)
		rc = lab_names_of(args, "switches", &names);
	if (rc == 0) {
		for (unsigned int i = 0; rc == 0 && i < names.n; i++)
			rc = add_switch(r, args, names.name[i], path, bare);
		lab_names_free(&names);
	}
	free(path);
	return rc;
}

static int
switch_do(struct fcn_session *session, const struct fcn_args *args)
{
	struct lab_reader *r = lab_reader_in(session, LAB_PASS_REST);
	struct lab_nodes nodes;
	int rc;

	if (r == NULL)
		return 0;
	rc = lab_nodes_of(r, args, "switches", LAB_SWITCHES, &nodes);
	for (unsigned int i = 0; rc == 0 && i < nodes.n; i++) {
		struct lab_switch *sw = &r->sc->node_switch[nodes.node[i].index];
		struct lab_line *line = lab_push(&sw->lines, &sw->n_lines, sizeof(*line));

		if (line == NULL) {
			rc = -ENOMEM;
			break;
		}
		line->place = r->place;
		line->column = lab_column(r, args, "line");
		line->text = strdup(fcn_args_str(args, "line"));
		if (line->text == NULL)
			rc = -ENOMEM;
	}
	lab_nodes_free(&nodes);
	return rc;
}

static const struct fcn_command commands[] = {
		{"switch add <switches:names> [file <file:name>] [latency <latency:time>] "
		 "[flows <flows:count>] [core] [bare]",
				"Add switches. file is a configuration file in the folder of "
				"the scenario. latency is a delay that is added to every frame "
				"after the dataplane has sent it (default 2us, which is about what "
				"the live switch takes). flows is the number of flows "
				"for which the switch remembers when they were notified "
				"(default 131072). The lab adds ports for the links, and "
				"routes and neighbours for the hosts, unless bare is given or "
				"the file adds ports itself. core is for nodes inside a "
				"provider's network: they have routes to switches only, and no "
				"switch has a route to a host that leads through them",
				FCN_COMMAND_CONFIG, switch_add},
		{"switch <switches:names> do <line:text>",
				"Run a command of the switch (see the console reference), "
				"after its file and the commands that the lab adds",
				FCN_COMMAND_CONFIG, switch_do},
};

const struct fcn_command_group lab_switch_commands = {"Switches", commands, RTE_DIM(commands)};
