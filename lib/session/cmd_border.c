/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_ioam.h"
#include "session_private.h"

static int
set_border(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t ports;
	int rc = fcn_session_ports(session, args, "port", &ports);

	for (; ports != 0; ports &= ports - 1)
		fcn_session_edit(session)->port[__builtin_ctzll(ports)].border = fcn_session_is_on(
				args);
	return rc;
}

/*
 * The two high bits of the type must be 00 and the third 0
 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.2); the number is not assigned.
 */
static int
set_proxy_type(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t type = fcn_args_u64(args, "type", 0);

	if (type < 2 || type > 0x1F)
		return fcn_command_error(args, -ERANGE, "type",
				"the option type of a proxy's address is 0x02 to 0x1f (action 00, "
				"no change en route; 0 and 1 are padding)");
	if (type == FCN_IPV6_OPT_IOAM)
		return fcn_command_error(
				args, -EINVAL, "type", "the option type 0x11 is IOAM's (RFC 9486)");
	fcn_session_edit(session)->codes.proxy_addr = type;
	return 0;
}

static int
set_udp_port(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t number = fcn_args_u64(args, "number", 0);
	struct fcn_config_border *border;

	if (fcn_args_has(args, "number") && (number < 1 || number > UINT16_MAX))
		return fcn_command_error(
				args, -ERANGE, "number", "a UDP port is 1 to %u", UINT16_MAX);
	border = &fcn_session_edit(session)->border;
	if (fcn_args_has(args, "cnm-port"))
		border->cnm_port = number;
	else
		border->arn_port = number;
	return 0;
}

static int
prefix_error(const struct fcn_args *args, int rc)
{
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "prefix", "this prefix is there already");
	if (rc == -ENOENT)
		return fcn_command_error(args, rc, "prefix", "there is no such prefix");
	return rc;
}

static int
peer_add(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_peer_add(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
peer_remove(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_peer_remove(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
sid_add(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_sid_add(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

static int
sid_remove(struct fcn_session *session, const struct fcn_args *args)
{
	return prefix_error(args, fcn_config_sid_remove(fcn_session_edit(session),
						  fcn_args_prefix(args, "prefix")));
}

/* ---- trust in classes ---- */

static int
set_class_trust(struct fcn_session *session, const struct fcn_args *args)
{
	enum fcn_class_trust trust = FCN_CLASS_TRUST_AUTO;
	uint64_t ports;
	int rc = fcn_session_ports(session, args, "port", &ports);

	while (strcmp(fcn_class_trust_name(trust), fcn_args_str(args, "trust")) != 0)
		trust++;
	for (; ports != 0; ports &= ports - 1)
		fcn_session_edit(session)->port[__builtin_ctzll(ports)].class_trust = trust;
	return rc;
}

static int
set_untrusted_class(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t class = fcn_args_u64(args, "class", 0), ports;
	int rc;

	if (class == FCN_ARG_CLASS_ALL)
		return fcn_command_error(
				args, -EINVAL, "class", "these packets go to one class, 0 to 7");
	rc = fcn_session_ports(session, args, "port", &ports);
	for (; ports != 0; ports &= ports - 1)
		fcn_session_edit(session)->port[__builtin_ctzll(ports)].untrusted_class = class;
	return rc;
}

static int
set_remark(struct fcn_session *session, const struct fcn_args *args)
{
	const char *which = fcn_args_str(args, "which");
	uint64_t dscp = fcn_args_u64(args, "dscp", 0), ports;
	enum fcn_remark remark = FCN_REMARK_OFF;
	int rc;

	if (dscp > 63)
		return fcn_command_error(args, -ERANGE, "dscp", "a DSCP is 0 to 63");
	while (which != NULL && strcmp(fcn_remark_name(remark), which) != 0)
		remark++;
	rc = fcn_session_ports(session, args, "port", &ports);
	for (; ports != 0; ports &= ports - 1) {
		struct fcn_config_port *port =
				&fcn_session_edit(session)->port[__builtin_ctzll(ports)];

		port->remark = remark;
		port->remark_dscp = dscp;
	}
	return rc;
}

static int
set_protected(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);
	struct fcn_config *cfg = fcn_session_edit(session);
	int set = class == FCN_ARG_CLASS_ALL ? 0xFF : 1 << class;

	if (fcn_args_has(args, "auto")) {
		cfg->protected_classes = FCN_PROTECTED_AUTO;
		return 0;
	}
	cfg->protected_classes = fcn_config_protected(cfg);
	if (fcn_session_is_on(args))
		cfg->protected_classes |= set;
	else
		cfg->protected_classes &= ~set;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set port <port:name> border <state:on|off>",
				"The domain ends at this port: notices, IOAM data and everything "
				"else that belongs to the domain are dropped when they arrive here "
				"or are about to leave here (default off)",
				FCN_COMMAND_CONFIG, set_border},
		{"set border proxy-type <type:number>",
				"Type of the Proxy Network Node Address option, which has no "
				"assignment (default 0x1e)",
				FCN_COMMAND_CONFIG, set_proxy_type},
		{"set border cnm-port <number:number>",
				"UDP port of congestion notification messages, which has no "
				"assignment. Packets to this port are dropped at the border",
				FCN_COMMAND_CONFIG, set_udp_port},
		{"set border cnm-port off",
				"The switch does not look for congestion notification messages at "
				"the border (default)",
				FCN_COMMAND_CONFIG, set_udp_port},
		{"set border arn-port <number:number>",
				"UDP port of adaptive routing notifications, which has no "
				"assignment. Packets to this port are dropped at the border",
				FCN_COMMAND_CONFIG, set_udp_port},
		{"set border arn-port off",
				"The switch does not look for adaptive routing notifications at "
				"the border (default)",
				FCN_COMMAND_CONFIG, set_udp_port},
		{"border peer add <prefix:prefix>",
				"CNPs may come in from these hosts outside the domain, and may "
				"leave to them. All other CNPs are dropped at the border",
				FCN_COMMAND_CONFIG, peer_add},
		{"border peer remove <prefix:prefix>",
				"Forget a prefix of hosts outside the domain that CNPs are "
				"exchanged with",
				FCN_COMMAND_CONFIG, peer_remove},
		{"border sid add <prefix:prefix>",
				"Segment identifiers (SIDs) of the domain, END.CON among them. "
				"Packets to and from them are dropped at the border",
				FCN_COMMAND_CONFIG, sid_add},
		{"border sid remove <prefix:prefix>", "Forget a prefix of segment identifiers",
				FCN_COMMAND_CONFIG, sid_remove},
		{"set port <port:name> class-trust <trust:auto|on|off>",
				"Whether packets that come in here get into protected classes "
				"(default auto: they do, unless it is a border port)",
				FCN_COMMAND_CONFIG, set_class_trust},
		{"set port <port:name> untrusted-class <class:class>",
				"Class of packets that ask for a protected one and do not get it "
				"(default 0)",
				FCN_COMMAND_CONFIG, set_untrusted_class},
		{"set port <port:name> remark <which:moved|all> [dscp <dscp:number>]",
				"Without class trust: write a DSCP (default 0), and the class as "
				"VLAN priority, to packets that were moved out of a protected "
				"class, or to all",
				FCN_COMMAND_CONFIG, set_remark},
		{"set port <port:name> remark off",
				"DSCP and VLAN priority of packets stay as they are (default)",
				FCN_COMMAND_CONFIG, set_remark},
		{"set protected-class <class:class> <state:on|off>",
				"Whether packets of ports without class trust are kept out of a "
				"class",
				FCN_COMMAND_CONFIG, set_protected},
		{"set protected-class auto",
				"They are kept out of the classes of the notices and of the host "
				"functions, 6 and 7 (default)",
				FCN_COMMAND_CONFIG, set_protected},
};

const struct fcn_command_group fcn_border_commands = {"Border", commands, RTE_DIM(commands)};

static void
save_port(const struct fcn_config_port *port, FILE *out)
{
	if (port->border)
		fprintf(out, "set port %s border on\n", port->name);
	if (port->class_trust != FCN_CLASS_TRUST_AUTO)
		fprintf(out, "set port %s class-trust %s\n", port->name,
				fcn_class_trust_name(port->class_trust));
	if (port->untrusted_class != 0)
		fprintf(out, "set port %s untrusted-class %u\n", port->name, port->untrusted_class);
	if (port->remark != FCN_REMARK_OFF)
		fprintf(out, "set port %s remark %s dscp %u\n", port->name,
				fcn_remark_name(port->remark), port->remark_dscp);
}

static void
save_prefixes(const char *what, const struct fcn_prefix *prefix, size_t n, FILE *out)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < n; i++)
		fprintf(out, "border %s add %s\n", what,
				fcn_prefix_format(&prefix[i], text, sizeof(text)));
}

void
fcn_save_border(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_border *b = &cfg->border;

	if (cfg->codes.proxy_addr != fcn_parse_default_codes.proxy_addr)
		fprintf(out, "set border proxy-type 0x%02x\n", cfg->codes.proxy_addr);
	if (b->cnm_port != 0)
		fprintf(out, "set border cnm-port %u\n", b->cnm_port);
	if (b->arn_port != 0)
		fprintf(out, "set border arn-port %u\n", b->arn_port);
	save_prefixes("peer", b->peers.item, b->peers.n, out);
	save_prefixes("sid", b->sids.item, b->sids.n, out);
	if (cfg->protected_classes != FCN_PROTECTED_AUTO) {
		fputs("set protected-class all off\n", out);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (cfg->protected_classes >> c & 1)
				fprintf(out, "set protected-class %u on\n", c);
		}
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_line(cfg, p))
			save_port(&cfg->port[p], out);
	}
}
