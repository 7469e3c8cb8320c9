/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Command line of `fastcn-pnc`. See fcn_program_options.h for the forms of options.
 */

#ifndef PNC_OPTIONS_H
#define PNC_OPTIONS_H

#include <stdio.h>

#include "fcn_pnc_isis.h"
#include "fcn_pnc_ospf3.h"
#include "fcn_remote_frame.h"
#include "learned.h"

#define PNC_MAX_BMP 8 /**< maximum number of addresses that routers connect to */
#define PNC_MAX_INTERFACES 64
#define PNC_MAX_CAPTURES 16
#define PNC_MAX_PREFIXES 64 /**< maximum number of --bmp-from */

struct pnc_listen {
	struct fcn_addr addr;
	uint16_t port;
};

struct pnc_options {
	char socket[FCN_REMOTE_PATH_SIZE];
	const char *status_file; /**< NULL: standard error */
	bool is_json;            /**< of the state */
	bool is_printed;         /**< lines for the switch go to standard output */
	bool once;               /**< end when all captures were read */
	bool counters;           /**< print their meaning */
	bool help;
	const char *user; /**< who it becomes once all is open; NULL: it stays who started it */
	uint64_t lifetime_ns, hold_ns; /**< hold_ns 0: lifetime_ns */
	uint64_t wait_ns;              /**< for the Initiation of a router */
	unsigned int n_bmp, n_bmp_from, n_interfaces, n_captures;
	struct pnc_listen bmp[PNC_MAX_BMP];
	struct fcn_prefix bmp_from[PNC_MAX_PREFIXES];
	struct learned_accept accept[FCN_PNC_KIND_COUNT]; /**< by enum fcn_pnc_kind */
	const char *interface[PNC_MAX_INTERFACES];
	const char *capture[PNC_MAX_CAPTURES]; /**< "-": standard input */
	bool is_read[FCN_PNC_PROTOCOL_COUNT];  /**< by enum fcn_pnc_protocol */
	uint32_t routers, peers, routes;       /**< limits of the BMP station; 0: its default */
	uint8_t nhc_type;
	uint16_t pnc_code;
	uint16_t endcon_code; /**< of the behavior END.CON; 0: SIDs are not read */
	struct fcn_pnc_isis_conf isis;
	struct fcn_pnc_ospf_conf ospf, ospf3;
};

/**
 * Read the words of the command line behind the name of the program, ended by NULL, which must stay
 * as long as the options. Errors are written to stderr.
 *
 * @return 0 or -1
 */
int pnc_options_parse(struct pnc_options *opt, char *const *words);

/** Print the usage and all options. */
void pnc_options_help(FILE *out);

#endif /* PNC_OPTIONS_H */
