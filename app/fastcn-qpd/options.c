/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "options.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_program_options.h"

#define SECOND_NS UINT64_C(1000000000)

/* What options set: the options, and what is read only to find others. */
struct reading {
	struct qpd_options opt;
	const char *name; /* of the switch */
};

static struct qpd_options *
options_of(const struct fcn_session *session)
{
	return &((struct reading *)fcn_options_object(session))->opt;
}

static int
set_listen(struct fcn_session *session, const struct fcn_args *args)
{
	struct qpd_options *opt = options_of(session);
	uint64_t port = fcn_args_u64(args, "port", 0);

	if (port < 1 || port > 65535)
		return fcn_command_error(args, -ERANGE, "port", "the port must be 1 to 65535");
	if (opt->n_listen == QPD_MAX_LISTEN)
		return fcn_command_error(args, -ENOSPC, "address", "more than %d", QPD_MAX_LISTEN);
	opt->listen[opt->n_listen++] = (struct qpd_listen){
			*fcn_args_addr(args, "address"), (uint16_t)port};
	return 0;
}

static int
set_from(struct fcn_session *session, const struct fcn_args *args)
{
	struct qpd_options *opt = options_of(session);
	struct fcn_prefix p = *fcn_args_prefix(args, "prefix");

	if (fcn_prefix_normalise(&p))
		return fcn_command_error(args, -EINVAL, "prefix", "the prefix has host bits");
	if (opt->n_from == QPD_MAX_FROM)
		return fcn_command_error(args, -ENOSPC, "prefix", "more than %d", QPD_MAX_FROM);
	opt->from[opt->n_from++] = p;
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

#define NUMBER(member, least, most) FCN_OPTIONS_NUMBER(struct reading, opt.member, least, most)
#define FLAG(member) FCN_OPTIONS_FLAG(struct reading, opt.member)
#define TEXT(member) FCN_OPTIONS_TEXT(struct reading, opt.member)

/* The options, each with "--" in front. */
static const struct fcn_command commands[] = {
		{"listen <address:addr> <port:number>",
				"Listen here for hosts; may be given several times. There is no "
				"default",
				FCN_COMMAND_CONFIG, set_listen},
		{"from <prefix:prefix>",
				"Refuse connections from addresses that are not in this prefix; "
				"may be given several times (default: none is refused)",
				FCN_COMMAND_CONFIG, set_from},
		{"ca <file:text>", "Certificates, as PEM, of those who sign certificates of hosts",
				TEXT(ca)},
		{"certificate <file:text>",
				"Certificate of this switch, as PEM, with those between it and "
				"the one that hosts know",
				TEXT(certificate)},
		{"key <file:text>", "Private key of the certificate, as PEM", TEXT(key)},
		{"crl <file:text>", "Certificates that are revoked, as PEM (default: none)",
				TEXT(crl)},
		{"lifetime <value:time>",
				"Time after which the switch forgets the queue pairs of a host "
				"whose session has ended (default 30s)",
				NUMBER(lifetime_ns, 2 * SECOND_NS, 86400 * SECOND_NS)},
		{"hosts <value:number>", "Maximum number of hosts (default 256)",
				NUMBER(hosts, 1, 4096)},
		{"entries <value:number>",
				"Maximum number of queue pairs of a host (default 16384)",
				NUMBER(entries, 1, 1048576)},
		{"total <value:number>",
				"Maximum number of queue pairs of all hosts (default 1048576)",
				NUMBER(total, 1, 1048576)},
		{"changes <value:number>",
				"Maximum number of records of a host in a second; one that sends "
				"more has to wait (default 10000)",
				NUMBER(changes, 1, 1000000)},
		{"handshake <value:time>",
				"Time within which a host has to show its certificate (default 5s)",
				NUMBER(handshake_ns, SECOND_NS, 60 * SECOND_NS)},
		{"silence <value:time>",
				"Time after which the session of a host ends that says nothing; "
				"hosts say something every second (default 5s)",
				NUMBER(silence_ns, 2 * SECOND_NS, 3600 * SECOND_NS)},
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
				"(default: standard error)",
				TEXT(status_file)},
		{"json", "Write the state as JSON", FLAG(is_json)},
		{"metrics <file:text>",
				"File that metrics for Prometheus are written to, every 5 s and "
				"after the signal SIGUSR1 (default: none)",
				TEXT(metrics_file)},
		{"counters", "Print what the counters of the state mean", FLAG(counters)},
		{"help", "Print this text", FLAG(help)},
};

static const struct fcn_options options = {"fastcn-qpd", commands, RTE_DIM(commands)};

void
qpd_options_help(FILE *out)
{
	fputs("usage: fastcn-qpd --listen ADDRESS PORT --ca FILE --certificate FILE --key FILE "
	      "[options]\n"
	      "\n"
	      "fastcn-qpd takes reports of hosts about their RDMA queue pairs, by TLS 1.3 with\n"
	      "certificates of both sides, and tells them to a running fastcn. SIGHUP has it read\n"
	      "the certificates again.\n"
	      "\n",
			out);
	fcn_options_help(&options, out);
	fputs("\n"
	      "Exit status: 0 after SIGTERM or SIGINT, 1 if it had to give up, 2 if it could not\n"
	      "start.\n",
			out);
}

static int
find_socket(struct qpd_options *opt, const char *name)
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
check(const struct qpd_options *opt)
{
	const char *what = NULL;

	if (opt->n_listen == 0)
		what = "there is nowhere to listen: give --listen ADDRESS PORT";
	else if (opt->ca == NULL)
		what = "no host could be believed: give --ca FILE";
	else if (opt->certificate == NULL || opt->key == NULL)
		what = "no host would believe it: give --certificate FILE and --key FILE";
	if (what == NULL)
		return 0;
	fprintf(stderr, "fastcn-qpd: %s; see fastcn-qpd --help\n", what);
	return -1;
}

int
qpd_options_parse(struct qpd_options *opt, char *const *words)
{
	struct reading r = {.opt = {.lifetime_ns = 30 * SECOND_NS,
					    .handshake_ns = 5 * SECOND_NS,
					    .silence_ns = 5 * SECOND_NS,
					    .hosts = 256,
					    .entries = 16384,
					    .total = 1048576,
					    .changes = 10000}};
	const int rc = fcn_options_read(&options, &r, words);

	*opt = r.opt;
	if (rc != 0)
		return -1;
	if (opt->help || opt->counters)
		return 0;
	return check(opt) == 0 ? find_socket(opt, r.name) : -1;
}
