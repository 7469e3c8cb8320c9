/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_bgp_nhc.h"
#include "fcn_command.h"
#include "keys.h"

#define SECOND_NS UINT64_C(1000000000)
#define DEFAULT_LIFETIME (300 * SECOND_NS)
#define MAX_VALUES 2 /* of an option */

/* The options, and the words of the command line, whose strings they keep. */
struct fcn_session {
	struct pnc_options *opt;
	const char *value; /* first value of the option that is read */
	const char *name;
};

/* ---- numbers ---- */

/* Options whose value is a number in a range, and options without a value. */
static const struct field {
	const char *word;
	size_t offset, size;
	uint64_t least, most;
} fields[] = {
#define FIELD(word, field, least, most)                                                  \
	{                                                                                \
		word, offsetof(struct pnc_options, field),                               \
				sizeof(((struct pnc_options *)NULL)->field), least, most \
	}
		FIELD("lifetime", lifetime_ns, 2 * SECOND_NS, 86400 * SECOND_NS),
		FIELD("bmp-hold", hold_ns, SECOND_NS, 86400 * SECOND_NS),
		FIELD("bmp-routers", routers, 1, 256),
		FIELD("bmp-peers", peers, 1, 4096),
		FIELD("bmp-routes", routes, 1, 65536),
		FIELD("bgp-attribute", nhc_type, 1, 255),
		FIELD("bgp-code", pnc_code, 1, 65535),
		FIELD("isis-flags", isis.flags_sub_tlv, 1, 255),
		FIELD("isis-bit", isis.flag_bit, 0, 31),
		FIELD("ospf-flags", ospf.flags_sub_tlv, 1, 65535),
		FIELD("ospf-bit", ospf.flag_bit, 0, 31),
		FIELD("ospf3-flags", ospf3.flags_sub_tlv, 1, 65535),
		FIELD("ospf3-bit", ospf3.flag_bit, 0, 31),
		FIELD("json", is_json, 1, 1),
		FIELD("print", is_printed, 1, 1),
		FIELD("once", once, 1, 1),
		FIELD("counters", counters, 1, 1),
		FIELD("help", help, 1, 1),
};

static void
store(struct pnc_options *opt, const struct field *f, uint64_t value)
{
	char *at = (char *)opt + f->offset;
	uint32_t u32 = (uint32_t)value;
	uint16_t u16 = (uint16_t)value;
	uint8_t u8 = (uint8_t)value;

	if (f->size == sizeof(u8))
		memcpy(at, &u8, sizeof(u8));
	else if (f->size == sizeof(u16))
		memcpy(at, &u16, sizeof(u16));
	else if (f->size == sizeof(u32))
		memcpy(at, &u32, sizeof(u32));
	else
		memcpy(at, &value, sizeof(value));
}

static int
set_field(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t value = fcn_args_u64(args, "value", 1);

	for (size_t i = 0; i < RTE_DIM(fields); i++) {
		const struct field *f = &fields[i];

		if (!fcn_args_has(args, f->word))
			continue;
		if (value < f->least || value > f->most)
			return f->most >= SECOND_NS
					       ? fcn_command_error(args, -ERANGE, "value",
								 "%" PRIu64 "s to %" PRIu64 "s",
								 f->least / SECOND_NS,
								 f->most / SECOND_NS)
					       : fcn_command_error(args, -ERANGE, "value",
								 "%" PRIu64 " to %" PRIu64,
								 f->least, f->most);
		store(session->opt, f, value);
	}
	return 0;
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

static int
set_accept(struct fcn_session *session, const struct fcn_args *args)
{
	return add_prefix(args, session->opt->accept, &session->opt->n_accept);
}

static int
set_bmp_from(struct fcn_session *session, const struct fcn_args *args)
{
	return add_prefix(args, session->opt->bmp_from, &session->opt->n_bmp_from);
}

static int
set_bmp(struct fcn_session *session, const struct fcn_args *args)
{
	struct pnc_options *opt = session->opt;
	uint64_t port = fcn_args_u64(args, "port", 0);

	if (port < 1 || port > 65535)
		return fcn_command_error(args, -ERANGE, "port", "1 to 65535");
	if (opt->n_bmp == PNC_MAX_BMP)
		return fcn_command_error(args, -ENOSPC, "address", "more than %d", PNC_MAX_BMP);
	opt->bmp[opt->n_bmp++] = (struct pnc_listen){
			*fcn_args_addr(args, "address"), (uint16_t)port};
	return 0;
}

/* Texts are those of the command line, which stay. */
static int
add_text(struct fcn_session *session, const struct fcn_args *args, const char **list,
		unsigned int *n, unsigned int most)
{
	if (*n == most)
		return fcn_command_error(args, -ENOSPC, "text", "more than %u", most);
	list[(*n)++] = session->value;
	return 0;
}

static int
set_interface(struct fcn_session *session, const struct fcn_args *args)
{
	struct pnc_options *opt = session->opt;

	return add_text(session, args, opt->interface, &opt->n_interfaces, PNC_MAX_INTERFACES);
}

static int
set_pcap(struct fcn_session *session, const struct fcn_args *args)
{
	struct pnc_options *opt = session->opt;

	return add_text(session, args, opt->capture, &opt->n_captures, PNC_MAX_CAPTURES);
}

/* Keys for one protocol are enough for its reader. */
static int
set_keys(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_pnc_auth *auth[FCN_PNC_PROTOCOL_COUNT] = {
			[FCN_PNC_ISIS] = &session->opt->isis.auth,
			[FCN_PNC_OSPF] = &session->opt->ospf.auth,
			[FCN_PNC_OSPF3] = &session->opt->ospf3.auth};
	char error[256];

	if (pnc_keys_read(session->value, auth, error, sizeof(error)) != 0)
		return fcn_command_error(args, -EINVAL, "text", "%s", error);
	return 0;
}

static int
set_router_ids(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	session->opt->ospf.router_id_is_address = true;
	return 0;
}

static int
set_status(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	session->opt->status_file = session->value;
	return 0;
}

static int
set_socket(struct fcn_session *session, const struct fcn_args *args)
{
	if (strlen(session->value) >= sizeof(session->opt->socket))
		return fcn_command_error(args, -EINVAL, "text", "a path has 1 to 107 bytes");
	strcpy(session->opt->socket, session->value);
	return 0;
}

static int
set_name(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	session->name = session->value;
	return 0;
}

static int
set_only(struct fcn_session *session, const struct fcn_args *args)
{
	const char *text = session->value;

	memset(session->opt->is_read, 0, sizeof(session->opt->is_read));
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
		session->opt->is_read[i] = true;
		text += len + (text[len] == ',');
	}
	return 0;
}

/* The options, each with "--" in front. */
static const struct fcn_command commands[] = {
		{"interface <text:text>",
				"Listen for IS-IS and OSPF on this interface of the kernel, also "
				"while it is not there yet; may be given several times",
				FCN_COMMAND_CONFIG, set_interface},
		{"pcap <text:text>",
				"Read IS-IS and OSPF from this capture, pcap or pcapng, which can "
				"be a "
				"FIFO, or - for standard input; may be given several times",
				FCN_COMMAND_CONFIG, set_pcap},
		{"once", "End when all captures were read, and the switch has been told",
				FCN_COMMAND_CONFIG, set_field},
		{"keys <text:text>",
				"File with keys of IS-IS and OSPF, each a line: protocol, "
				"algorithm, "
				"key ID, secret. Without keys for a protocol, its authentication "
				"is ignored",
				FCN_COMMAND_CONFIG, set_keys},
		{"isis-flags <value:number>",
				"Type of the sub-TLV of prefix attribute flags of IS-IS (default "
				"4)",
				FCN_COMMAND_CONFIG, set_field},
		{"isis-bit <value:number>",
				"Bit of Proxy Node Capability in them, from the first one on "
				"(default "
				"7)",
				FCN_COMMAND_CONFIG, set_field},
		{"ospf-flags <value:number>",
				"Type of the sub-TLV of prefix extended flags of OSPFv2 (default "
				"11)",
				FCN_COMMAND_CONFIG, set_field},
		{"ospf-bit <value:number>", "Bit of Proxy Node Capability in them (default 2)",
				FCN_COMMAND_CONFIG, set_field},
		{"ospf3-flags <value:number>",
				"Type of the sub-TLV of prefix extended flags of OSPFv3 (default "
				"37)",
				FCN_COMMAND_CONFIG, set_field},
		{"ospf3-bit <value:number>", "Bit of Proxy Node Capability in them (default 2)",
				FCN_COMMAND_CONFIG, set_field},
		{"router-ids",
				"Router IDs of OSPFv2 are addresses of the routers, and can be "
				"those of proxies",
				FCN_COMMAND_CONFIG, set_router_ids},
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
				FCN_COMMAND_CONFIG, set_field},
		{"bmp-routers <value:number>", "Maximum number of routers (default 16)",
				FCN_COMMAND_CONFIG, set_field},
		{"bmp-peers <value:number>",
				"Maximum number of BGP peers of a router (default 256)",
				FCN_COMMAND_CONFIG, set_field},
		{"bmp-routes <value:number>",
				"Maximum number of routes with Proxy Node Capability (default "
				"65536)",
				FCN_COMMAND_CONFIG, set_field},
		{"bgp-attribute <value:number>",
				"Type of the attribute of Next Hop Dependent Characteristics "
				"(default 39)",
				FCN_COMMAND_CONFIG, set_field},
		{"bgp-code <value:number>", "Code of Proxy Node Capability in it (default 65500)",
				FCN_COMMAND_CONFIG, set_field},
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
				FCN_COMMAND_CONFIG, set_field},
		{"socket <text:text>", "Socket of the switch", FCN_COMMAND_CONFIG, set_socket},
		{"name <text:text>",
				"Name of the switch (default fastcn), whose socket is "
				"/run/fastcn/NAME.sock, or for users other than root "
				"$XDG_RUNTIME_DIR/fastcn/NAME.sock",
				FCN_COMMAND_CONFIG, set_name},
		{"print",
				"Write the commands for the switch to standard output, and connect "
				"to none",
				FCN_COMMAND_CONFIG, set_field},
		{"status <text:text>",
				"File that the state is written to after the signal SIGUSR1 "
				"(default: "
				"standard error)",
				FCN_COMMAND_CONFIG, set_status},
		{"json", "Write the state as JSON", FCN_COMMAND_CONFIG, set_field},
		{"counters", "Print what the counters of the state mean", FCN_COMMAND_CONFIG,
				set_field},
		{"help", "Print this text", FCN_COMMAND_CONFIG, set_field},
};

static const struct fcn_command_group groups[] = {{"Options", commands, RTE_DIM(commands)}};

/* Write the arguments of an option: their types, or their keys where these say more. */
static void
put_arguments(const char *syntax, FILE *out)
{
	for (const char *c = strchr(syntax, '<'); c != NULL; c = strchr(c + 1, '<')) {
		const char *colon = strchr(c, ':');
		bool is_typed = strncmp(c, "<value:", 7) == 0 || strncmp(c, "<text:", 6) == 0;
		const char *begin = is_typed ? colon + 1 : c + 1;
		size_t len = is_typed ? strcspn(begin, ">") : (size_t)(colon - begin);

		fputc(' ', out);
		for (size_t i = 0; i < len; i++)
			fputc(begin[i] >= 'a' && begin[i] <= 'z' ? begin[i] - 'a' + 'A' : begin[i],
					out);
	}
}

/* Write a text in indented lines of limited width. */
static void
put_wrapped(const char *text, FILE *out)
{
	const size_t width = 84;
	size_t column = 0;

	while (*text != '\0') {
		size_t len = strcspn(text, " ");

		if (column == 0 || column + 1 + len > width) {
			fprintf(out, "%s        %.*s", column == 0 ? "" : "\n", (int)len, text);
			column = 8 + len;
		} else {
			fprintf(out, " %.*s", (int)len, text);
			column += 1 + len;
		}
		text += len;
		text += strspn(text, " ");
	}
	fputs("\n", out);
}

void
pnc_options_help(FILE *out)
{
	fputs("usage: fastcn-pnc [options]\n"
	      "       fastcn-pnc encode ...   (see fastcn-pnc encode --help)\n"
	      "\n"
	      "fastcn-pnc learns proxies of the congestion notification from routing protocols,\n"
	      "and tells them to a running fastcn. It sends nothing to routers.\n"
	      "\n",
			out);
	for (size_t i = 0; i < RTE_DIM(commands); i++) {
		const char *syntax = commands[i].syntax;

		fprintf(out, "  --%.*s", (int)strcspn(syntax, " "), syntax);
		put_arguments(syntax, out);
		fputc('\n', out);
		put_wrapped(commands[i].help, out);
	}
	fputs("\n"
	      "Exit status: 0 after SIGTERM or SIGINT, 1 if it had to give up, 2 if it could not\n"
	      "start.\n",
			out);
}

static const struct fcn_command *
find(const char *word, size_t len)
{
	for (size_t i = 0; i < RTE_DIM(commands); i++)
		if (strcspn(commands[i].syntax, " ") == len &&
				strncmp(commands[i].syntax, word, len) == 0)
			return &commands[i];
	return NULL;
}

static int
usage_error(const char *option, const char *value, const char *what)
{
	fprintf(stderr, "fastcn-pnc: %s%s%s: %s\n", option, value != NULL ? " " : "",
			value != NULL ? value : "", what);
	return -1;
}

/* Number of values that an option has. */
static unsigned int
count_values(const char *syntax)
{
	unsigned int n = 0;

	for (const char *c = syntax; (c = strchr(c, '<')) != NULL; c++)
		n++;
	return n;
}

/*
 * Read an option: "--word", "--word value", "--word value value" or "--word=value".
 * @param words ended by NULL
 * @return number of words read, or -1
 */
static int
read_option(struct fcn_session *session, const struct fcn_command_table *table, char **words)
{
	size_t len = strncmp(words[0], "--", 2) == 0 ? strcspn(words[0] + 2, "=") : 0;
	const struct fcn_command *command = len > 0 ? find(words[0] + 2, len) : NULL;
	const char *values[MAX_VALUES] = {NULL};
	char line[FCN_COMMAND_MAX_LINE + 1];
	struct fcn_diag diag = {0};
	unsigned int n, used = 1;
	int at, rc;

	if (command == NULL)
		return usage_error(words[0], NULL, "no such option; see fastcn-pnc --help");
	n = count_values(command->syntax);
	at = snprintf(line, sizeof(line), "%.*s", (int)len, words[0] + 2);
	for (unsigned int i = 0; i < n; i++) {
		values[i] = i == 0 && words[0][2 + len] == '=' ? words[0] + 3 + len : words[used++];
		if (values[i] == NULL)
			return usage_error(words[0], NULL,
					n > 1 ? "needs two values; see fastcn-pnc --help"
					      : "needs a value; see fastcn-pnc --help");
		if (strpbrk(values[i], "\r\n") != NULL || values[i][0] == '\0')
			return usage_error(words[0], NULL, "a value is one line, and not empty");
		at += snprintf(line + at, sizeof(line) - (size_t)at, " %s", values[i]);
		if (at >= (int)sizeof(line))
			return usage_error(words[0], NULL, "too long");
	}
	session->value = values[0];
	rc = fcn_command_run(table, session, line, FCN_COMMAND_ALLOW_ALL, &diag);
	if (rc == 0)
		return (int)used;
	return usage_error(words[0], values[0],
			diag.message[0] != '\0' ? diag.message : strerror(-rc));
}

static int
find_socket(struct pnc_options *opt, const char *name)
{
	int rc;

	if (opt->socket[0] != '\0' || opt->is_printed)
		return 0;
	rc = fcn_remote_path(name != NULL ? name : FCN_REMOTE_NAME, opt->socket);
	if (rc == -ENOENT)
		return usage_error("--name", NULL,
				"XDG_RUNTIME_DIR is not set: give the socket of the switch by "
				"--socket PATH");
	return rc == 0 ? 0 : usage_error("--name", name, "not a valid name of a switch");
}

/* Check the options that depend on each other. */
static int
check(struct pnc_options *opt)
{
	bool reads_igp = opt->is_read[FCN_PNC_ISIS] || opt->is_read[FCN_PNC_OSPF] ||
			 opt->is_read[FCN_PNC_OSPF3];
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
	if (opt->hold_ns == 0)
		opt->hold_ns = opt->lifetime_ns;
	if (what == NULL)
		return 0;
	fprintf(stderr, "fastcn-pnc: %s; see fastcn-pnc --help\n", what);
	return -1;
}

int
pnc_options_parse(struct pnc_options *opt, int argc, char **argv)
{
	struct fcn_command_table *table = fcn_command_table_create(groups, RTE_DIM(groups));
	struct fcn_session session = {.opt = opt};
	int used = 1, i = 1;

	*opt = (struct pnc_options){.lifetime_ns = DEFAULT_LIFETIME,
			.nhc_type = FCN_BGP_NHC_TYPE,
			.pnc_code = FCN_BGP_PNC_CODE,
			.isis = FCN_PNC_ISIS_DEFAULTS,
			.ospf = FCN_PNC_OSPF_DEFAULTS,
			.ospf3 = FCN_PNC_OSPF3_DEFAULTS};
	memset(opt->is_read, true, sizeof(opt->is_read));
	if (table == NULL) {
		fprintf(stderr, "fastcn-pnc: out of memory\n");
		return -1;
	}
	for (; used > 0 && i < argc; i += used)
		used = read_option(&session, table, argv + i);
	fcn_command_table_free(table);
	if (used < 0)
		return -1;
	if (opt->help || opt->counters)
		return 0;
	return check(opt) == 0 ? find_socket(opt, session.name) : -1;
}
