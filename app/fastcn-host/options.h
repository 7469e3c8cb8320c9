/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Command line of `fastcn-host`. */

#ifndef HOST_OPTIONS_H
#define HOST_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** What the program is to do. */
enum host_action {
	HOST_REPORT, /**< tell a switch */
	HOST_SHOW,   /**< print what there is, and end */
	HOST_WATCH,  /**< print each change */
};

struct host_options {
	enum host_action action;
	bool is_json, help, version;
	bool no_probes;
	uint32_t interval_ms; /**< 0: the default of host_qp.h */
	uint32_t most;        /**< likewise */
	/* Texts are those of the command line; NULL: not given. */
	const char *address;                /**< of the switch's fastcn-qpd: IPv4 or IPv6 */
	uint16_t port;                      /**< 0: not given */
	const char *ca, *certificate, *key; /**< files, PEM */
	const char *name;                   /**< that the switch's certificate must have */
};

/**
 * Read the command line. Errors are written to stderr.
 *
 * @return 0 or -1
 */
int host_options_parse(struct host_options *opt, int argc, char **argv);

/** Print the usage and all options. */
void host_options_help(FILE *out);

#endif /* HOST_OPTIONS_H */
