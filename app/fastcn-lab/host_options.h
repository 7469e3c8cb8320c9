/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Command line of `fastcn-lab host`. Its options are declared as commands of the console are:
 * values have the console's forms, and options, help and mistakes come from one list. Settings of
 * the endpoint are those of hosts in scenarios, read by the scenario's reader.
 */

#ifndef HOST_OPTIONS_H
#define HOST_OPTIONS_H

#include <stdio.h>

#include "fcn_endpoint.h"
#include "fcn_command.h"

#define HOST_MAX_SETTINGS 64
#define HOST_MAX_QPS 4096

struct host_options {
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
	char *setting[HOST_MAX_SETTINGS];
	unsigned int n_settings;
};

/** Read the command line, argv[0] is no option. What is wrong is said on stderr. @return 0 or -1 */
int host_options_parse(struct host_options *opt, int argc, char **argv);
void host_options_free(struct host_options *opt);

/** Usage and all options. */
void host_options_help(FILE *out);

/**
 * Parameters of the endpoint: a live host's defaults at this speed, then the settings.
 *
 * @return 0, or -1 with what is wrong on stderr
 */
int host_options_endpoint(
		const struct host_options *opt, uint64_t line_bps, struct fcn_endpoint_conf *conf);

#endif /* HOST_OPTIONS_H */
