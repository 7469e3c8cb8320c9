/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "options.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_bgp_nhc.h"
#include "fcn_program_options.h"
#include "keys.h"

#define SECOND_NS UINT64_C(1000000000)
#define DEFAULT_LIFETIME (300 * SECOND_NS)
#define DEFAULT_WAIT (10 * SECOND_NS)
#define LEAST_TIME (2 * SECOND_NS)
#define MOST_TIME (86400 * SECOND_NS)

/* What options set: the options, and what is read only to find others. */
struct reading {
	struct pnc_options opt;
	const char *name; /* of the switch */
};

static struct pnc_options *
options_of(const struct fcn_session *session)
{
	return &((struct reading *)fcn_options_object(session))->opt;
}

/* ---- lists ---- */

static int
add_prefix(const struct fcn_args *args, struct fcn_prefix *list, unsigned int *n)
{
	struct fcn_prefix p = *fcn_args_prefix(args, "prefix");

	if (fcn_prefix_normalise(&p))
		return fcn_command_error(args, -EINVAL, "prefix", "the prefix has host bits");
	if (*n == PNC_MAX_PREFIXES)
		return fcn_command_error(args, -ENOSPC, "prefix", "more than %d", PNC_MAX_PREFIXES);
	list[(*n)++] = p;
	return 0;
}

_Static_assert(LEARNED_ACCEPT == PNC_MAX_PREFIXES, "add_prefix() has one limit");

static int
set_accept(struct fcn_session *session, const struct fcn_args *args)
{
	struct learned_accept *accept = &options_of(session)->accept[FCN_PNC_PROXY];

	return add_prefix(args, accept->prefix, &accept->n);
}

static int
set_endcon_accept(struct fcn_session *session, const struct fcn_args *args)
{
	struct learned_accept *accept = &options_of(session)->accept[FCN_PNC_ENDCON];

	return add_prefix(args, accept->prefix, &accept->n);
}

static int
set_bmp_from(struct fcn_session *session, const struct fcn_args *args)
{
	return add_prefix(args, options_of(session)->bmp_from, &options_of(session)->n_bmp_from);
}

static int
set_bmp(struct fcn_session *session, const struct fcn_args *args)
{
	struct pnc_options *opt = options_of(session);
	uint64_t port = fcn_args_u64(args, "port", 0);

	if (port < 1 || port > 65535)
		return fcn_command_error(args, -ERANGE, "port", "the port must be 1 to 65535");
	if (opt->n_bmp == PNC_MAX_BMP)
		return fcn_command_error(args, -ENOSPC, "address", "more than %d", PNC_MAX_BMP);
	opt->bmp[opt->n_bmp++] = (struct pnc_listen){
			*fcn_args_addr(args, "address"), (uint16_t)port};
	return 0;
}

/* Texts are those of the command line, which stay. */
static int
add_text(struct fcn_session *session, const struct fcn_args *args, const char *name,
		const char **list, unsigned int *n, unsigned int most)
{
	if (*n == most)
		return fcn_command_error(args, -ENOSPC, name, "more than %u", most);
	list[(*n)++] = fcn_options_word(session);
	return 0;
}

static int
set_interface(struct fcn_session *session, const struct fcn_args *args)
{
	struct pnc_options *opt = options_of(session);

	return add_text(session, args, "interface", opt->interface, &opt->n_interfaces,
			PNC_MAX_INTERFACES);
}

static int
set_pcap(struct fcn_session *session, const struct fcn_args *args)
{
	struct pnc_options *opt = options_of(session);

	return add_text(session, args, "file", opt->capture, &opt->n_captures, PNC_MAX_CAPTURES);
}

/* Keys for one protocol are enough for its reader. */
static int
set_keys(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_pnc_auth *auth[FCN_PNC_PROTOCOL_COUNT] = {
			[FCN_PNC_ISIS] = &options_of(session)->isis.auth,
			[FCN_PNC_OSPF] = &options_of(session)->ospf.auth,
			[FCN_PNC_OSPF3] = &options_of(session)->ospf3.auth};
	char error[256];

	if (pnc_keys_read(fcn_options_word(session), auth, error, sizeof(error)) != 0)
		return fcn_command_error(args, -EINVAL, "file", "%s", error);
	return 0;
}

static int
set_socket(struct fcn_session *session, const struct fcn_args *args)
{
	if (strlen(fcn_options_word(session)) >= sizeof(options_of(session)->socket))
		return fcn_command_error(args, -EINVAL, "path", "a path has 1 to 107 bytes");
	strcpy(options_of(session)->socket, fcn_options_word(session));
	return 0;
}

static int
set_only(struct fcn_session *session, const struct fcn_args *args)
{
	const char *text = fcn_options_word(session);

	memset(options_of(session)->is_read, 0, sizeof(options_of(session)->is_read));
	while (*text != '\0') {
		size_t len = strcspn(text, ",");
		unsigned int i = 0;

		while (i < FCN_PNC_PROTOCOL_COUNT &&
				(strlen(fcn_pnc_protocol_name(i)) != len ||
						memcmp(fcn_pnc_protocol_name(i), text, len) != 0))
			i++;
		if (i == FCN_PNC_PROTOCOL_COUNT)
			return fcn_command_error(args, -EINVAL, "protocols",
					"expected isis, ospf, ospf3 or bgp, with commas between");
		options_of(session)->is_read[i] = true;
		text += len + (text[len] == ',');
	}
	return 0;
}

#define NUMBER(member, least, most) FCN_OPTIONS_NUMBER(struct reading, opt.member, least, most)
#define FLAG(member) FCN_OPTIONS_FLAG(struct reading, opt.member)

/* The options, each with "--" in front. */
static const struct fcn_command commands[] = {
		{"interface <interface:text>",
				"Listen for IS-IS and OSPF on this interface of the kernel, also "
				"while it is not there yet; may be given several times",
				FCN_COMMAND_CONFIG, set_interface},
		{"pcap <file:text>",
				"Read IS-IS and OSPF from this capture, pcap or pcapng, which can "
				"be a "
				"FIFO, or - for standard input; may be given several times",
				FCN_COMMAND_CONFIG, set_pcap},
		{"once", "End when all captures were read, and the switch has been told",
				FLAG(once)},
		{"keys <file:text>",
				"File with keys of IS-IS and OSPF, each a line: protocol, "
				"algorithm, "
				"key ID, secret. Without keys for a protocol, its authentication "
				"is ignored",
				FCN_COMMAND_CONFIG, set_keys},
		{"isis-flags <value:number>",
				"Type of the sub-TLV of prefix attribute flags of IS-IS (default "
				"4)",
				NUMBER(isis.flags_sub_tlv, 1, 255)},
		{"isis-bit <value:number>",
				"Bit of Proxy Node Capability in the prefix attribute flags of "
				"IS-IS; 0 is the first one, which is the most significant "
				"(default 7)",
				NUMBER(isis.flag_bit, 0, 31)},
		{"ospf-flags <value:number>",
				"Type of the sub-TLV of prefix extended flags of OSPFv2 (default "
				"11)",
				NUMBER(ospf.flags_sub_tlv, 1, 65535)},
		{"ospf-bit <value:number>",
				"Bit of Proxy Node Capability in the prefix extended flags of "
				"OSPFv2, counted in the same way (default 2)",
				NUMBER(ospf.flag_bit, 0, 31)},
		{"ospf3-flags <value:number>",
				"Type of the sub-TLV of prefix extended flags of OSPFv3 (default "
				"37)",
				NUMBER(ospf3.flags_sub_tlv, 1, 65535)},
		{"ospf3-bit <value:number>",
				"Bit of Proxy Node Capability in the prefix extended flags of "
				"OSPFv3, counted in the same way (default 2)",
				NUMBER(ospf3.flag_bit, 0, 31)},
		{"endcon-code <value:number>",
				"Learn END.CON SIDs, too: SRv6 End SIDs of IS-IS and OSPFv3 whose "
				"behavior has this code. None is assigned; fastcn's own is 32768 "
				"(default: none are learned)",
				NUMBER(endcon_code, 1, 65535)},
		{"endcon-accept <prefix:prefix>",
				"Learn only END.CON SIDs within this prefix; may be given several "
				"times (default: all)",
				FCN_COMMAND_CONFIG, set_endcon_accept},
		{"router-ids",
				"Router IDs of OSPFv2 are addresses of the routers, and can be "
				"those of proxies",
				FLAG(ospf.router_id_is_address)},
		{"bmp <address:addr> <port:number>",
				"Listen here for routers that speak the BGP Monitoring Protocol; "
				"there is no default port",
				FCN_COMMAND_CONFIG, set_bmp},
		{"bmp-from <prefix:prefix>",
				"Refuse connections of routers whose address is not in this "
				"prefix; "
				"may be given several times",
				FCN_COMMAND_CONFIG, set_bmp_from},
		{"bmp-hold <value:time>",
				"Time for which the routes of a router are kept when its "
				"connection has ended (default: that of --lifetime)",
				NUMBER(hold_ns, SECOND_NS, MOST_TIME)},
		{"bmp-wait <value:time>",
				"Time within which a router has to send its first message, the "
				"Initiation (default 10s)",
				NUMBER(wait_ns, SECOND_NS, MOST_TIME)},
		{"bmp-routers <value:number>", "Maximum number of routers (default 16)",
				NUMBER(routers, 1, 256)},
		{"bmp-peers <value:number>",
				"Maximum number of BGP peers of a router (default 256)",
				NUMBER(peers, 1, 4096)},
		{"bmp-routes <value:number>",
				"Maximum number of routes with Proxy Node Capability (default "
				"65536)",
				NUMBER(routes, 1, 65536)},
		{"bgp-attribute <value:number>",
				"Type of the attribute of Next Hop Dependent Characteristics "
				"(default 39)",
				NUMBER(nhc_type, 1, 255)},
		{"bgp-code <value:number>",
				"Code of Proxy Node Capability in the attribute of Next Hop "
				"Dependent Characteristics (default 65500)",
				NUMBER(pnc_code, 1, 65535)},
		{"only <protocols:text>",
				"Protocols to read, with commas between: isis, ospf, ospf3, bgp "
				"(default: all)",
				FCN_COMMAND_CONFIG, set_only},
		{"accept <prefix:prefix>",
				"Learn only proxies of prefixes within this one; may be given "
				"several times (default: all)",
				FCN_COMMAND_CONFIG, set_accept},
		{"lifetime <value:time>",
				"Time after which the switch forgets a proxy of BGP unless it is "
				"told "
				"again; it is told all proxies at half of it (default 300s)",
				NUMBER(lifetime_ns, LEAST_TIME, MOST_TIME)},
		{"socket <path:text>", "Socket of the switch", FCN_COMMAND_CONFIG, set_socket},
		{"name <name:text>",
				"Name of the switch (default fastcn), whose socket is "
				"/run/fastcn/NAME.sock, or for users other than root "
				"$XDG_RUNTIME_DIR/fastcn/NAME.sock",
				FCN_OPTIONS_TEXT(struct reading, name)},
		{"print",
				"Write the commands for the switch to standard output, and connect "
				"to none",
				FLAG(is_printed)},
		{"status <file:text>",
				"File that the state is written to after the signal SIGUSR1 "
				"(default: "
				"standard error)",
				FCN_OPTIONS_TEXT(struct reading, opt.status_file)},
		{"json", "Write the state as JSON", FLAG(is_json)},
		{"user <name:text>",
				"User, or USER:GROUP, to become once BMP ports and captures are "
				"open; CAP_NET_RAW is kept for interfaces that come later "
				"(default: "
				"stay who started it)",
				FCN_OPTIONS_TEXT(struct reading, opt.user)},
		{"counters", "Print what the counters of the state mean", FLAG(counters)},
		{"help", "Print this text", FLAG(help)},
};

static const struct fcn_options options = {"fastcn-pnc", commands, RTE_DIM(commands)};

void
pnc_options_help(FILE *out)
{
	fputs("usage: fastcn-pnc [options]\n"
	      "       fastcn-pnc encode ...   (see fastcn-pnc encode --help)\n"
	      "\n"
	      "fastcn-pnc learns proxies of the congestion notification, and END.CON SIDs, from\n"
	      "routing protocols, and tells them to a running fastcn. It sends nothing to\n"
	      "routers.\n"
	      "\n",
			out);
	fcn_options_help(&options, out);
	fputs("\n"
	      "Exit status: 0 after SIGTERM or SIGINT, 1 if it had to give up, 2 if it could not\n"
	      "start.\n",
			out);
}

static int
find_socket(struct pnc_options *opt, const char *name)
{
	int rc;

	if (opt->socket[0] != '\0' || opt->is_printed)
		return 0;
	rc = fcn_remote_path(name != NULL ? name : FCN_REMOTE_NAME, opt->socket);
	if (rc == -ENOENT)
		return fcn_options_error(&options, "--name", NULL,
				"XDG_RUNTIME_DIR is not set: give the socket of the switch by "
				"--socket PATH");
	return rc == 0 ? 0
		       : fcn_options_error(
					 &options, "--name", name, "not a valid name of a switch");
}

/* Check the options that depend on each other. */
static int
check(struct pnc_options *opt)
{
	bool reads_igp = opt->is_read[FCN_PNC_ISIS] || opt->is_read[FCN_PNC_OSPF] ||
			 opt->is_read[FCN_PNC_OSPF3];
	bool reads_sids = opt->n_interfaces + opt->n_captures > 0 &&
			  (opt->is_read[FCN_PNC_ISIS] || opt->is_read[FCN_PNC_OSPF3]);
	const char *what = NULL;

	if (opt->n_bmp + opt->n_interfaces + opt->n_captures == 0)
		what = "there is nothing to learn from: give --interface, --pcap or --bmp";
	else if (opt->n_bmp > 0 && !opt->is_read[FCN_PNC_BGP])
		what = "--bmp is given, but --only does not have bgp";
	else if (opt->n_interfaces + opt->n_captures > 0 && !reads_igp)
		what = "--interface or --pcap is given, but --only has neither isis, ospf nor "
		       "ospf3";
	else if (opt->once && opt->n_interfaces + opt->n_bmp > 0)
		what = "--once is for captures alone";
	else if (opt->n_bmp_from > 0 && opt->n_bmp == 0)
		what = "--bmp-from needs --bmp";
	else if (opt->accept[FCN_PNC_ENDCON].n > 0 && opt->endcon_code == 0)
		what = "--endcon-accept needs --endcon-code";
	else if (opt->endcon_code != 0 && !reads_sids)
		what = "--endcon-code is given, but neither IS-IS nor OSPFv3 is read";
	if (opt->hold_ns == 0)
		opt->hold_ns = opt->lifetime_ns;
	if (what == NULL)
		return 0;
	fprintf(stderr, "fastcn-pnc: %s; see fastcn-pnc --help\n", what);
	return -1;
}

int
pnc_options_parse(struct pnc_options *opt, char *const *words)
{
	struct reading r = {.opt = {.lifetime_ns = DEFAULT_LIFETIME,
					    .wait_ns = DEFAULT_WAIT,
					    .nhc_type = FCN_BGP_NHC_TYPE,
					    .pnc_code = FCN_BGP_PNC_CODE,
					    .isis = FCN_PNC_ISIS_DEFAULTS,
					    .ospf = FCN_PNC_OSPF_DEFAULTS,
					    .ospf3 = FCN_PNC_OSPF3_DEFAULTS}};
	int rc;

	memset(r.opt.is_read, true, sizeof(r.opt.is_read));
	rc = fcn_options_read(&options, &r, words);
	r.opt.isis.endcon_code = r.opt.ospf3.endcon_code = r.opt.endcon_code;
	*opt = r.opt;
	if (rc != 0)
		return -1;
	if (opt->help || opt->counters)
		return 0;
	return check(opt) == 0 ? find_socket(opt, r.name) : -1;
}
