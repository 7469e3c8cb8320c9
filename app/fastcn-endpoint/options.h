/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Command line of `fastcn-endpoint`. Its options are declared like commands of the console, so that
 * values have the same forms, and options, help and errors come from one list. The settings of the
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
	const char *device;
	struct fcn_prefix addr;
	struct fcn_addr gateway, peer; /**< version 0: none */
	uint64_t line_bps; /**< speed of the link, bits per second; 0: that of the device */
	uint64_t qp_bps; /**< maximum rate of a queue pair, bits per second; 0: that of the link */
	uint8_t dscp;
	/**
	 * Number of the first queue pair, and number of queue pairs; qps is 0 when it was not
	 * given.
	 */
	uint32_t first_qp, qps;
	bool listen, json, quiet, help;
	uint64_t size;        /**< bytes of a message; 0: no messages are sent */
	uint64_t messages;    /**< messages of each queue pair; 0: no limit */
	uint64_t duration_ns; /**< time after which no message is started; 0: no limit */
	/** Maximum time without an answer of the next hop, or without an acknowledgement. */
	uint64_t wait_ns;
	uint64_t idle_ns; /**< maximum time to sleep */
	uint64_t seed;
	char *setting[LIVE_MAX_SETTINGS];
	unsigned int n_settings;
};

/**
 * Read the words of the command line behind those of the EAL, ended by NULL. Errors are written to
 * stderr.
 *
 * @return 0 or -1
 */
int live_options_parse(struct live_options *opt, char *const *words);
void live_options_free(struct live_options *opt);

/** Print the usage and all options. */
void live_options_help(FILE *out);

/**
 * Compute the parameters of the endpoint: the defaults for this speed, changed by the settings.
 *
 * @return 0, or -1 after the errors were written to stderr
 */
int live_options_endpoint(
		const struct live_options *opt, uint64_t line_bps, struct fcn_endpoint_conf *conf);

#endif /* LIVE_OPTIONS_H */
