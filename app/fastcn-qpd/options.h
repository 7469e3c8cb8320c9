/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Command line of `fastcn-qpd`. See fcn_program_options.h for the forms of options.
 */

#ifndef QPD_OPTIONS_H
#define QPD_OPTIONS_H

#include <stdio.h>

#include "fcn_addr.h"
#include "fcn_remote_frame.h"

#define QPD_MAX_LISTEN 8 /**< maximum number of addresses that hosts connect to */
#define QPD_MAX_FROM 64  /**< maximum number of --from */

struct qpd_listen {
	struct fcn_addr addr;
	uint16_t port;
};

struct qpd_options {
	char socket[FCN_REMOTE_PATH_SIZE];
	const char *status_file;  /**< NULL: standard error */
	bool is_json;             /**< of the state */
	const char *metrics_file; /**< NULL: none */
	bool is_printed;          /**< lines for the switch go to standard output */
	bool counters;            /**< print their meaning */
	bool help;
	unsigned int n_listen, n_from;
	struct qpd_listen listen[QPD_MAX_LISTEN];
	struct fcn_prefix from[QPD_MAX_FROM];
	const char *ca, *certificate, *key; /**< files */
	const char *crl;                    /**< NULL: no certificate is revoked */
	uint64_t lifetime_ns;
	uint64_t handshake_ns; /**< time for the handshake */
	uint64_t silence_ns;   /**< after which a session ends */
	uint32_t hosts, entries, total, changes;
};

/**
 * Read the words of the command line behind the name of the program, ended by NULL, which must stay
 * as long as the options. Errors are written to stderr.
 *
 * @return 0 or -1
 */
int qpd_options_parse(struct qpd_options *opt, char *const *words);

/** Print the usage and all options. */
void qpd_options_help(FILE *out);

#endif /* QPD_OPTIONS_H */
