/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Command line of `fastcn-endpoint`. Its options are declared as commands of the console are:
 * values have the console's forms, and options, help and errors come from one list. Settings of the
 * endpoint are those of hosts in scenarios of the lab (fcn_endpoint_setting.h).
 */

#ifndef LIVE_OPTIONS_H
#define LIVE_OPTIONS_H

#include <stdio.h>

#include "fcn_endpoint.h"
#include "fcn_command.h"

#define LIVE_MAX_SETTINGS 64
#define LIVE_MAX_QPS 4096

struct live_options {
	char device[FCN_COMMAND_MAX_TEXT];
	struct fcn_prefix addr;
	struct fcn_addr gateway, peer; /**< version 0: none */
	uint64_t line_bps;             /**< 0: the device's */
	uint64_t qp_bps;               /**< 0: the line's */
	uint8_t dscp;
	uint32_t first_qp, qps; /**< qps 0: not given */
	bool listen, json, quiet, help;
	uint64_t size;        /**< of a message; 0: none are sent */
	uint64_t messages;    /**< of each queue pair; 0: without end */
	uint64_t duration_ns; /**< 0: without end */
	uint64_t wait_ns;     /**< for the peer's MAC address, and for progress */
	uint64_t idle_ns;     /**< longest sleep */
	uint64_t seed;
	char *setting[LIVE_MAX_SETTINGS];
	unsigned int n_settings;
};

/** Read the command line; argv[0] is no option. Errors are written to stderr. @return 0 or -1 */
int live_options_parse(struct live_options *opt, int argc, char **argv);
void live_options_free(struct live_options *opt);

/** Usage and all options. */
void live_options_help(FILE *out);

/**
 * Parameters of the endpoint: the defaults at this speed, changed by the settings.
 *
 * @return 0, or -1 after the errors were written to stderr
 */
int live_options_endpoint(
		const struct live_options *opt, uint64_t line_bps, struct fcn_endpoint_conf *conf);

#endif /* LIVE_OPTIONS_H */
