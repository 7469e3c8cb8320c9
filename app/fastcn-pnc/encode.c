/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `fastcn-pnc encode`: messages with Proxy Node Capability, in hexadecimal, for other programs. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "encode.h"
#include "fcn_bgp_nhc.h"
#include "fcn_bmp_build.h"
#include "pnc.h"

#define EXIT_USAGE 2

void
encode_put_hex(FILE *out, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%02x", data[i]);
	fputc('\n', out);
}

/* ---- BGP ---- */

int
encode_number(const struct fcn_args *args, const char *key, uint64_t most, uint64_t *value)
{
	*value = fcn_args_u64(args, key, *value);
	return *value <= most ? 0
			      : fcn_command_error(
						args, -ERANGE, key, "at most %ju", (uintmax_t)most);
}

static int
read_route(const struct fcn_args *args, struct fcn_bgp_route *route)
{
	uint64_t as = 0, type = FCN_BGP_NHC_TYPE, code = FCN_BGP_PNC_CODE;

	*route = (struct fcn_bgp_route){.prefix = *fcn_args_prefix(args, "prefix"),
			.next_hop = *fcn_args_addr(args, "hop"),
			.has_pnc = true,
			.is_partial = fcn_args_has(args, "partial")};
	if (fcn_prefix_normalise(&route->prefix))
		return fcn_command_error(args, -EINVAL, "prefix", "the prefix has host bits");
	if (route->prefix.addr.version == 6 && route->next_hop.version == 4)
		return fcn_command_error(
				args, -EINVAL, "hop", "IPv6 prefixes have an IPv6 next hop");
	if (encode_number(args, "as", UINT32_MAX, &as) != 0 ||
			encode_number(args, "type", UINT8_MAX, &type) != 0 ||
			encode_number(args, "code", UINT16_MAX, &code) != 0)
		return -ERANGE;
	route->as = (uint32_t)as;
	route->nhc_type = (uint8_t)type;
	route->pnc_code = (uint16_t)code;
	return 0;
}

/* A route as ExaBGP's configuration has it. Its attribute is type, flags and value. */
static void
put_exabgp(FILE *out, const struct fcn_bgp_route *route, const uint8_t *attribute, size_t len)
{
	char prefix[FCN_PREFIX_STRLEN], hop[FCN_ADDR_STRLEN];

	fprintf(out, "route %s next-hop %s attribute [0x%02x 0x%02x 0x",
			fcn_prefix_format(&route->prefix, prefix, sizeof(prefix)),
			fcn_addr_format(&route->next_hop, hop, sizeof(hop)), attribute[1],
			attribute[0]);
	for (size_t i = 3; i < len; i++)
		fprintf(out, "%02x", attribute[i]);
	fputs("];\n", out);
}

static int
encode_attribute(struct fcn_session *session, const struct fcn_args *args)
{
	uint8_t data[FCN_BGP_NHC_MAX_LEN];
	struct fcn_bgp_route route;
	int rc = read_route(args, &route);
	size_t len;

	if (rc != 0)
		return rc;
	len = fcn_bgp_nhc_build(route.nhc_type, route.pnc_code, route.is_partial,
			route.prefix.addr.version == 4 ? FCN_BGP_AFI_IP4 : FCN_BGP_AFI_IP6,
			&route.next_hop, data);
	if (strcmp(fcn_args_str(args, "form"), "exabgp") == 0)
		put_exabgp(session->out, &route, data, len);
	else
		encode_put_hex(session->out, data, len);
	return 0;
}

static int
encode_update(struct fcn_session *session, const struct fcn_args *args)
{
	uint8_t data[FCN_BMP_BUILD_MAX];
	struct fcn_bgp_route route;
	int rc = read_route(args, &route);

	if (rc != 0)
		return rc;
	route.is_withdrawn = strcmp(fcn_args_str(args, "form"), "withdraw") == 0;
	encode_put_hex(session->out, data, fcn_bgp_update_build(&route, data));
	return 0;
}

/* ---- BMP ---- */

static int
read_peer(const struct fcn_args *args, struct fcn_bmp_peer *peer)
{
	uint64_t as = 0;

	if (encode_number(args, "as", UINT32_MAX, &as) != 0)
		return -ERANGE;
	*peer = (struct fcn_bmp_peer){.addr = *fcn_args_addr(args, "peer"),
			.as = (uint32_t)as,
			.identifier = 1,
			.is_post_policy = fcn_args_has(args, "post-policy")};
	return 0;
}

static int
encode_initiation(struct fcn_session *session, const struct fcn_args *args)
{
	uint8_t data[FCN_BMP_BUILD_MAX];

	encode_put_hex(session->out, data,
			fcn_bmp_initiation_build(fcn_args_str(args, "name"), data));
	return 0;
}

static int
encode_peer(struct fcn_session *session, const struct fcn_args *args)
{
	uint8_t data[FCN_BMP_BUILD_MAX];
	struct fcn_bmp_peer peer;
	int rc = read_peer(args, &peer);

	if (rc != 0)
		return rc;
	encode_put_hex(session->out, data,
			strcmp(fcn_args_str(args, "form"), "peer-up") == 0
					? fcn_bmp_peer_up_build(&peer, data)
					: fcn_bmp_peer_down_build(&peer, data));
	return 0;
}

static int
encode_route(struct fcn_session *session, const struct fcn_args *args)
{
	uint8_t data[FCN_BMP_BUILD_MAX];
	struct fcn_bgp_route route;
	struct fcn_bmp_peer peer;
	int rc = read_peer(args, &peer);

	if (rc == 0)
		rc = read_route(args, &route);
	if (rc != 0)
		return rc;
	route.is_withdrawn = strcmp(fcn_args_str(args, "form"), "withdraw") == 0;
	encode_put_hex(session->out, data, fcn_bmp_route_build(&peer, &route, data));
	return 0;
}

#define ROUTE                                                                                    \
	" <prefix:prefix> next-hop <hop:addr> [as <as:number>] [attribute <type:number>] [code " \
	"<code:number>]"

#define KEY " [key <algorithm:name> <id:number> <secret:name>]"
#define OSPF_WORDS                                                                               \
	" [address <address:addr>] [router-id <router-id:addr4>] [area <area:addr4>] [sequence " \
	"<sequence:number>] [age <seconds:number>]" KEY " [node] [plain]"

static const enum fcn_pnc_protocol igps[] = {FCN_PNC_ISIS, FCN_PNC_OSPF, FCN_PNC_OSPF3};

static const struct fcn_command commands[] = {
		{"isis <prefix:prefix> [address <address:addr>] [system "
		 "<system:name>] [level <level:number>] [sequence <sequence:number>] [lifetime "
		 "<seconds:number>]" KEY " [node] [plain]",
				"Write an Ethernet frame with a link state PDU: a prefix with the "
				"capability (without: plain), the address of its originator, and a "
				"key; lifetime 0 is a purge",
				FCN_COMMAND_CONFIG, encode_igp, &igps[0]},
		{"ospf <prefix:prefix>" OSPF_WORDS,
				"Write an Ethernet frame with a Link State Update of OSPFv2; age "
				"3600 is a flush",
				FCN_COMMAND_CONFIG, encode_igp, &igps[1]},
		{"ospf3 <prefix:prefix>" OSPF_WORDS, "The same for OSPFv3", FCN_COMMAND_CONFIG,
				encode_igp, &igps[2]},
		{"bgp <form:attribute|exabgp>" ROUTE " [partial]",
				"Write the attribute that says that the next hop is the proxy of "
				"the prefix; or a route with it for the configuration of ExaBGP",
				FCN_COMMAND_CONFIG, encode_attribute},
		{"bgp <form:update|withdraw>" ROUTE " [partial]",
				"Write an UPDATE message that announces or withdraws a route with "
				"the attribute",
				FCN_COMMAND_CONFIG, encode_update},
		{"bmp initiation <name:name>",
				"Write the message with which a router of this name begins",
				FCN_COMMAND_CONFIG, encode_initiation},
		{"bmp <form:peer-up|peer-down> <peer:addr> [as <as:number>]",
				"Write the message that a BGP peer is up or down",
				FCN_COMMAND_CONFIG, encode_peer},
		{"bmp peer <peer:addr> <form:route|withdraw>" ROUTE " [partial] [post-policy]",
				"Write the message that a peer has announced or withdrawn a route",
				FCN_COMMAND_CONFIG, encode_route},
};

static const struct fcn_command_group groups[] = {{"Messages", commands, RTE_DIM(commands)}};

static void
put_help(const struct fcn_command_table *table, FILE *out)
{
	fputs("usage: fastcn-pnc encode MESSAGE...\n"
	      "\n"
	      "It writes a message with Proxy Node Capability in hexadecimal.\n"
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
