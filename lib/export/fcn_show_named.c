/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_json_text.h"
#include "fcn_show.h"
#include "fcn_show_named.h"

#define MAX_PARAMS 2
#define NONE (-1) /* not given */
#define FLOWS 10
#define MOST_FLOWS 256

/* Shows without parameters. */
#define PLAIN(name, value)                                             \
	static json_t *name(struct fcn_control *ctl, const int *param) \
	{                                                              \
		RTE_SET_USED(param);                                   \
		return value;                                          \
	}

PLAIN(get_notify, fcn_show_notify(ctl))
PLAIN(get_drops, fcn_show_drops(ctl))
PLAIN(get_errors, fcn_show_errors(ctl))
PLAIN(get_buffer, fcn_show_buffer(ctl))
PLAIN(get_ioam, fcn_show_ioam(ctl))
PLAIN(get_border, fcn_show_border(ctl))
PLAIN(get_conservation, fcn_show_conservation(ctl))
PLAIN(get_worker, fcn_show_workers(ctl))
PLAIN(get_kernel, fcn_show_kernel(ctl))

static json_t *
get_port(struct fcn_control *ctl, const int *param)
{
	return fcn_show_ports(ctl, param[0]);
}

static json_t *
get_bridge(struct fcn_control *ctl, const int *param)
{
	return fcn_show_bridges(ctl, param[0]);
}

static json_t *
get_queue(struct fcn_control *ctl, const int *param)
{
	return fcn_show_queues(ctl, param[0], param[1], false);
}

static json_t *
get_pfc(struct fcn_control *ctl, const int *param)
{
	return fcn_show_pfc(ctl, param[0]);
}

static json_t *
get_police(struct fcn_control *ctl, const int *param)
{
	return fcn_show_police(ctl, param[0]);
}

static json_t *
get_rates(struct fcn_control *ctl, const int *param)
{
	return fcn_show_rates(ctl, param[0]);
}

static json_t *
get_episodes(struct fcn_control *ctl, const int *param)
{
	return fcn_show_episodes(ctl, param[0], param[1], UINT32_MAX);
}

static json_t *
get_events(struct fcn_control *ctl, const int *param)
{
	return fcn_show_events(ctl, param[0] == NONE ? UINT32_MAX : (unsigned int)param[0]);
}

static json_t *
get_flows(struct fcn_control *ctl, const int *param)
{
	return fcn_show_flows(ctl, param[0] == NONE ? FLOWS : RTE_MIN(param[0], MOST_FLOWS));
}

#define PORT "port"
#define PORT_CLASS "port,class"
#define NUMBER "number"
#define BRIDGE "bridge"

const struct fcn_show_named fcn_show_named[] = {
		{"port", PORT, "Ports: settings, traffic, drops", 1, get_port},
		{"queue", PORT_CLASS, "Class queues in use", 2, get_queue},
		{"rates", PORT, "Rates over the last second", 1, get_rates},
		{"notify", NULL, "Notices: policy, and what became of them", 0, get_notify},
		{"bridge", BRIDGE, "Bridges and their ports: MAC addresses, limits", 1, get_bridge},
		{"drops", NULL, "Dropped packets by port and reason", 0, get_drops},
		{"police", PORT, "Packets left to the host functions by port and kind", 1,
				get_police},
		{"errors", NULL, "Packets with defects by port and defect", 0, get_errors},
		{"pfc", PORT, "Flow control of ports and classes", 1, get_pfc},
		{"buffer", NULL, "The shared buffer", 0, get_buffer},
		{"ioam", NULL, "IOAM: node, namespaces, ports", 0, get_ioam},
		{"border", NULL, "The domain's border, and trust in classes", 0, get_border},
		{"episodes", PORT_CLASS, "Congestion episodes of queues", 2, get_episodes},
		{"events", NUMBER, "The last events", 1, get_events},
		{"flows", NUMBER, "The flows notified most", 1, get_flows},
		{"worker", NULL, "Workers: ports, how busy they are", 0, get_worker},
		{"kernel", NULL,
				"The Linux kernel beside the switch: its routes, how they were "
				"read",
				0, get_kernel},
		{"conservation", NULL, "The ledger: where every packet is", 0, get_conservation},
		{NULL, NULL, NULL, 0, NULL},
};

static json_t *
error(const char *what, const char *param)
{
	char text[128];

	/* a parameter that is too long may be cut within a character */
	snprintf(text, sizeof(text), "%s: %.64s", what, param);
	return json_pack("{s:o}", "error", fcn_json_text(text));
}

/* What a name stands for: a bridge where the show takes one, else a port.
 * @return 0, or -1 with an object in *err */
static int
read_name(const struct fcn_control *ctl, const struct fcn_show_named *show, const char *text,
		int *value, json_t **err)
{
	const bool bridge = strcmp(show->parameters, BRIDGE) == 0;

	*value = bridge ? fcn_config_bridge_find(fcn_control_config(ctl), text)
			: fcn_config_port_find(fcn_control_config(ctl), text);
	*err = *value >= 0 ? NULL : error(bridge ? "there is no bridge" : "there is no port", text);
	return *value < 0 ? -1 : 0;
}

/* The first parameter is a name, unless it is a number; the second is a class.
 * @return 0, or -1 with an object in *err */
static int
read_param(const struct fcn_control *ctl, const struct fcn_show_named *show, unsigned int i,
		const char *text, int *value, json_t **err)
{
	bool number = strcmp(show->parameters, NUMBER) == 0;
	char *end;
	unsigned long n;

	if (!number && i == 0)
		return read_name(ctl, show, text, value, err);
	n = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' ||
			n > (number ? INT32_MAX : FCN_CLASSES - 1)) {
		*err = error(number ? "not a number" : "not a class", text);
		return -1;
	}
	*value = (int)n;
	return 0;
}

/* @return 0, or -1 with an object in *err */
static int
read_params(const struct fcn_control *ctl, const struct fcn_show_named *show, const char *params,
		int *value, json_t **err)
{
	char copy[128], *save = NULL, *word;
	unsigned int i = 0;

	if (strlen(params) >= sizeof(copy)) {
		*err = error("parameters are too long", params);
		return -1;
	}
	strcpy(copy, params);
	for (word = strtok_r(copy, ",", &save); word != NULL; word = strtok_r(NULL, ",", &save)) {
		if (i == show->n) {
			*err = error("one parameter too many", word);
			return -1;
		}
		if (read_param(ctl, show, i, word, &value[i], err) != 0)
			return -1;
		i++;
	}
	return 0;
}

json_t *
fcn_show_by_name(struct fcn_control *ctl, const char *name, const char *params)
{
	const struct fcn_show_named *show = fcn_show_named;
	int value[MAX_PARAMS] = {NONE, NONE};
	json_t *v = NULL;

	while (show->name != NULL && strcmp(show->name, name) != 0)
		show++;
	if (show->name == NULL)
		return error("there is no show", name);
	if (params != NULL && read_params(ctl, show, params, value, &v) != 0)
		return v;
	fcn_control_keep_watermarks(ctl, true);
	v = show->get(ctl, value);
	fcn_control_keep_watermarks(ctl, false);
	return v;
}
