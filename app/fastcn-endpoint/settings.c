/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters of the endpoint: its defaults, changed by the settings of the command line. */

#include <inttypes.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_endpoint_setting.h"
#include "options.h"

/*
 * Retransmission timeout, which is a typical value of network adapters. It is longer than in
 * simulations, because acknowledgements are sent by software that shares a processor.
 */
#define TIMEOUT_NS UINT64_C(67000000)

/* The commands' session is the configuration that they change. */
static int
change(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_endpoint_set(args, (struct fcn_endpoint_conf *)(void *)session);
}

#define FORM(syntax, help) {syntax, help, FCN_COMMAND_CONFIG, change},
#define STATE(word, field, help) FORM("set " word " <state:on|off>", help)
#define VALUE(word, type, field, unit, least, most, help) \
	FORM("set " word " <value:" type ">", help)

static const struct fcn_command commands[] = {
		FCN_ENDPOINT_FORMS(FORM) FCN_ENDPOINT_STATES(STATE) FCN_ENDPOINT_VALUES(VALUE)};

static bool
is_reaction(const char *setting)
{
	return strncmp(setting, "reaction", 8) == 0;
}

static int
apply(const struct fcn_command_table *table, const char *setting, struct fcn_endpoint_conf *conf)
{
	char line[FCN_COMMAND_MAX_LINE + 1];
	struct fcn_diag diag = {0};

	if (snprintf(line, sizeof(line), "%s%s", is_reaction(setting) ? "" : "set ", setting) >=
			(int)sizeof(line))
		snprintf(diag.message, sizeof(diag.message), "too long");
	else if (fcn_command_run(table, (struct fcn_session *)(void *)conf, line,
				 FCN_COMMAND_ALLOW_ALL, &diag) == 0)
		return 0;
	fprintf(stderr, "fastcn-endpoint: --set '%s': %s\n", setting, diag.message);
	return -1;
}

int
live_options_endpoint(
		const struct live_options *opt, uint64_t line_bps, struct fcn_endpoint_conf *conf)
{
	struct fcn_command_group groups[] = {{"Settings", commands, RTE_DIM(commands)}, {0}};
	struct fcn_command_table *table = NULL;
	int rc = 0;

	if (fcn_endpoint_reaction_commands("Reactions", "", change, &groups[1]) == 0)
		table = fcn_command_table_create(groups, RTE_DIM(groups));

	if (table == NULL) {
		fprintf(stderr, "fastcn-endpoint: out of memory\n");
		return -1;
	}
	memset(conf, 0, sizeof(*conf));
	fcn_endpoint_defaults(conf, line_bps);
	conf->timeout_ns = TIMEOUT_NS;
	for (unsigned int i = 0; i < opt->n_settings; i++)
		if (apply(table, opt->setting[i], conf) != 0)
			rc = -1;
	fcn_command_table_free(table);
	return rc;
}
