/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * `fastcn-pnc encode`: the attribute of BGP with Proxy Node Capability, for a BGP speaker that
 * sends attributes that it does not know.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_bgp_nhc.h"
#include "fcn_command.h"
#include "pnc.h"

#define EXIT_USAGE 2

/* What the functions of commands get. */
struct fcn_session {
	FILE *out;
};

/* Read a number. @param value the default before, the number afterwards */
static int
read_number(const struct fcn_args *args, const char *key, uint64_t most, uint64_t *value)
{
	*value = fcn_args_u64(args, key, *value);
	return *value <= most ? 0
			      : fcn_command_error(
						args, -ERANGE, key, "at most %ju", (uintmax_t)most);
}

static void
put_hex(FILE *out, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%02x", data[i]);
}

/* A route as ExaBGP's configuration has it. Its attribute is type, flags and value. */
static void
put_exabgp(FILE *out, const struct fcn_prefix *prefix, const struct fcn_addr *hop,
		const uint8_t *attribute, size_t len)
{
	char prefix_text[FCN_PREFIX_STRLEN], hop_text[FCN_ADDR_STRLEN];

	fprintf(out, "route %s next-hop %s attribute [0x%02x 0x%02x 0x",
			fcn_prefix_format(prefix, prefix_text, sizeof(prefix_text)),
			fcn_addr_format(hop, hop_text, sizeof(hop_text)), attribute[1],
			attribute[0]);
	put_hex(out, attribute + 3, len - 3);
	fputs("];\n", out);
}

static int
encode_attribute(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_addr *hop = fcn_args_addr(args, "hop");
	struct fcn_prefix prefix = *fcn_args_prefix(args, "prefix");
	uint64_t type = FCN_BGP_NHC_TYPE, code = FCN_BGP_PNC_CODE;
	uint8_t data[FCN_BGP_NHC_MAX_LEN];
	size_t len;

	if (fcn_prefix_normalise(&prefix))
		return fcn_command_error(args, -EINVAL, "prefix", "the prefix has host bits");
	if (prefix.addr.version == 6 && hop->version == 4)
		return fcn_command_error(
				args, -EINVAL, "hop", "IPv6 prefixes have an IPv6 next hop");
	if (read_number(args, "type", UINT8_MAX, &type) != 0 ||
			read_number(args, "code", UINT16_MAX, &code) != 0)
		return -ERANGE;
	len = fcn_bgp_nhc_build((uint8_t)type, (uint16_t)code, fcn_args_has(args, "partial"),
			prefix.addr.version == 4 ? FCN_BGP_AFI_IP4 : FCN_BGP_AFI_IP6, hop, data);
	if (strcmp(fcn_args_str(args, "form"), "exabgp") == 0) {
		put_exabgp(session->out, &prefix, hop, data, len);
	} else {
		put_hex(session->out, data, len);
		fputc('\n', session->out);
	}
	return 0;
}

static const struct fcn_command commands[] = {
		{"bgp <form:attribute|exabgp> <prefix:prefix> next-hop <hop:addr> [attribute "
		 "<type:number>] [code <code:number>] [partial]",
				"Write the attribute that says that the next hop is the proxy of "
				"the prefix, in hexadecimal; or a route with it for the "
				"configuration of ExaBGP",
				FCN_COMMAND_CONFIG, encode_attribute},
};

static const struct fcn_command_group groups[] = {{"Attributes", commands, RTE_DIM(commands)}};

static void
put_help(const struct fcn_command_table *table, FILE *out)
{
	fputs("usage: fastcn-pnc encode bgp ...\n"
	      "\n"
	      "It writes a path attribute of BGP with Proxy Node Capability.\n"
	      "\n",
			out);
	fcn_command_help(table, "", out);
}

/* Join words with blanks. @return false if they are too long for a line */
static bool
join(char *line, size_t size, int n, char **words)
{
	size_t at = 0;

	line[0] = '\0';
	for (int i = 0; i < n; i++) {
		int len = snprintf(line + at, size - at, "%s%s", i > 0 ? " " : "", words[i]);

		at += (size_t)len;
		if (at >= size)
			return false;
	}
	return true;
}

int
pnc_encode(int argc, char **argv)
{
	struct fcn_command_table *table = fcn_command_table_create(groups, RTE_DIM(groups));
	struct fcn_session session = {.out = stdout};
	char line[FCN_COMMAND_MAX_LINE + 1];
	struct fcn_diag diag = {0};
	int rc, status = EXIT_SUCCESS;

	if (table == NULL) {
		fprintf(stderr, "fastcn-pnc: out of memory\n");
		return EXIT_USAGE;
	}
	if (argc == 1 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		put_help(table, argc == 1 ? stderr : stdout);
		status = argc == 1 ? EXIT_USAGE : EXIT_SUCCESS;
	} else if (!join(line, sizeof(line), argc - 1, argv + 1)) {
		fprintf(stderr, "fastcn-pnc: encode: the line is too long\n");
		status = EXIT_USAGE;
	} else {
		rc = fcn_command_run(table, &session, line, FCN_COMMAND_ALLOW_ALL, &diag);
		if (rc != 0) {
			fprintf(stderr, "fastcn-pnc: encode: column %u: %s\n", diag.column,
					diag.message[0] != '\0' ? diag.message : strerror(-rc));
			status = EXIT_USAGE;
		}
	}
	fcn_command_table_free(table);
	if (fflush(stdout) != 0) {
		perror("fastcn-pnc: output");
		status = 1;
	}
	return status;
}
