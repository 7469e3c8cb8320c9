/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The names of a configuration, for the completion of consoles. */

#include <string.h>

#include <rte_common.h>

#include "session_private.h"

struct names {
	const struct fcn_config *cfg;
	void (*add)(void *list, const char *name);
	void *list;
};

static void
ports(const struct names *n)
{
	for (unsigned int i = 0; i < FCN_MAX_PORTS; i++)
		if (n->cfg->port[i].name[0] != '\0')
			n->add(n->list, n->cfg->port[i].name);
}

static void
bridges(const struct names *n)
{
	for (unsigned int i = 0; i < FCN_MAX_BRIDGES; i++)
		if (n->cfg->bridge[i].name[0] != '\0')
			n->add(n->list, n->cfg->bridge[i].name);
}

static void
tables(const struct names *n)
{
	n->add(n->list, FCN_TABLE_MAIN_NAME);
	for (unsigned int i = 0; i < FCN_MAX_TABLES; i++)
		if (i != FCN_TABLE_MAIN && n->cfg->table[i].name[0] != '\0')
			n->add(n->list, n->cfg->table[i].name);
}

static void
policies(const struct names *n)
{
	for (size_t i = 0; i < n->cfg->srv6.policies.n; i++)
		n->add(n->list, n->cfg->srv6.policies.item[i].name);
}

static bool
uses_vlan(const struct fcn_config *cfg, unsigned int vlan)
{
	for (unsigned int i = 0; i < FCN_MAX_PORTS; i++) {
		const struct fcn_config_port *p = &cfg->port[i];

		if (p->name[0] != '\0' &&
				(p->vlan == vlan || p->pvid == vlan ||
						(p->tagged[vlan / 64] >> vlan % 64 & 1) != 0))
			return true;
	}
	return false;
}

static void
vlans(const struct names *n)
{
	char text[16];

	for (unsigned int vlan = 1; vlan <= 4094; vlan++) {
		if (!uses_vlan(n->cfg, vlan))
			continue;
		snprintf(text, sizeof(text), "%u", vlan);
		n->add(n->list, text);
	}
}

static void
classes(const struct names *n)
{
	char text[16];

	for (unsigned int class = 0; class < FCN_CLASSES; class ++) {
		snprintf(text, sizeof(text), "%u", class);
		n->add(n->list, text);
	}
}

/* The keys of arguments in FCN_SESSION_NAMES, and `parent`, which is a port. */
static const struct {
	const char *key;
	void (*list)(const struct names *n);
} kinds[] = {
		{"port", ports},
		{"bridge", bridges},
		{"table", tables},
		{"policy", policies},
		{"vlan", vlans},
		{"class", classes},
		{"parent", ports},
};

void
fcn_session_names(const struct fcn_config *cfg, const char *key,
		void (*add)(void *list, const char *name), void *list)
{
	const struct names n = {cfg, add, list};

	for (unsigned int i = 0; i < RTE_DIM(kinds); i++)
		if (strcmp(kinds[i].key, key) == 0)
			kinds[i].list(&n);
}

static void
put_line(void *list, const char *name)
{
	fprintf(list, "%s\n", name);
}

static void
put_json(void *list, const char *name)
{
	json_array_append_new(list, json_string(name));
}

int
fcn_session_show_names(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_config *cfg = fcn_control_config(session->ctl);
	const char *of = fcn_args_str(args, "of");
	json_t *value;

	if (!session->json && !fcn_args_has(args, "json")) {
		fcn_session_names(cfg, of, put_line, session->out);
		return 0;
	}
	value = json_array();
	if (value != NULL)
		fcn_session_names(cfg, of, put_json, value);
	return fcn_session_put(session, args, value, NULL);
}
