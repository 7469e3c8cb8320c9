/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_program_options.h"
#include "main.h"
#include "replay_run.h"

#define DEFAULT_MBUFS 32767
#define MIN_MBUFS 1024u
#define MAX_MBUFS 300000u /* maximum number of buffers that fit into the memory of a replay */

static struct replay_options *
options_of(const struct fcn_session *session)
{
	return fcn_options_object(session);
}

/* Read "PORT=FILE". */
static int
add_file(const struct fcn_session *session, const struct fcn_args *args, struct replay_file *files,
		unsigned int *n)
{
	const char *word = fcn_options_word(session), *eq = strchr(word, '=');

	if (eq == NULL || eq == word || eq[1] == '\0')
		return fcn_command_error(args, -EINVAL, "file", "the argument must be PORT=FILE");
	if (*n == REPLAY_MAX_FILES)
		return fcn_command_error(
				args, -ENOSPC, "file", "more than %u of them", REPLAY_MAX_FILES);
	files[*n] = (struct replay_file){.port = strndup(word, eq - word), .file = eq + 1};
	if (files[*n].port == NULL)
		return -ENOMEM;
	(*n)++;
	return 0;
}

static int
add_in(struct fcn_session *session, const struct fcn_args *args)
{
	struct replay_options *opt = options_of(session);
	int rc = add_file(session, args, opt->in, &opt->n_in);

	if (rc == 0)
		opt->last_filter = &opt->in[opt->n_in - 1].filter;
	return rc;
}

static int
add_mirror(struct fcn_session *session, const struct fcn_args *args)
{
	struct replay_options *opt = options_of(session);
	struct replay_mirror_options *m = &opt->mirror;

	if (m->n_files == REPLAY_MIRROR_FILES)
		return fcn_command_error(
				args, -ENOSPC, "file", "more than %u of them", REPLAY_MIRROR_FILES);
	m->file[m->n_files] = fcn_options_word(session);
	opt->last_filter = &m->filter[m->n_files++];
	return 0;
}

/* Read "PORT=WHAT[,WHAT...]". */
static int
add_place(struct fcn_session *session, const struct fcn_args *args)
{
	struct replay_mirror_options *m = &options_of(session)->mirror;
	const char *word = fcn_options_word(session), *eq = strchr(word, '='), *what;

	if (eq == NULL || eq == word || eq[1] == '\0')
		return fcn_command_error(args, -EINVAL, "port",
				"the argument must be PORT=MAC or "
				"PORT=INTERFACE");
	for (what = eq + 1; what != NULL;) {
		const char *comma = strchr(what, ',');
		struct replay_mirror_place *place = &m->place[m->n_places];

		if (m->n_places == REPLAY_MIRROR_PLACES)
			return fcn_command_error(args, -ENOSPC, "port", "more than %u of them",
					REPLAY_MIRROR_PLACES);
		place->port = strndup(word, eq - word);
		place->what = comma != NULL ? strndup(what, comma - what) : strdup(what);
		m->n_places++;
		if (place->port == NULL || place->what == NULL)
			return -ENOMEM;
		what = comma != NULL ? comma + 1 : NULL;
	}
	return 0;
}

static int
add_out(struct fcn_session *session, const struct fcn_args *args)
{
	return add_file(session, args, options_of(session)->out, &options_of(session)->n_out);
}

static int
set_filter(struct fcn_session *session, const struct fcn_args *args)
{
	struct replay_options *opt = options_of(session);

	if (opt->last_filter == NULL)
		return fcn_command_error(
				args, -EINVAL, NULL, "it must follow an --in or a --mirror");
	*opt->last_filter = fcn_options_word(session);
	return 0;
}

static int
set_speed(struct fcn_session *session, const struct fcn_args *args)
{
	const char *word = fcn_options_word(session);
	double *speed = &options_of(session)->speed;
	char *end;

	errno = 0;
	*speed = strtod(word, &end);
	if (errno != 0 || end == word || *end != '\0' || !(*speed > 0) || *speed > 1e12)
		return fcn_command_error(args, -EINVAL, "n", "the value must be a number above 0");
	return 0;
}

#define NUMBER(member, least, most) FCN_OPTIONS_NUMBER(struct replay_options, member, least, most)
#define FLAG(member) FCN_OPTIONS_FLAG(struct replay_options, member)
#define TEXT(member) FCN_OPTIONS_TEXT(struct replay_options, member)

/* The options, each with "--" in front. */
static const struct fcn_command commands[] = {
		{"in <port=file:text>",
				"Packets that a port receives (pcap or pcapng); several are merged "
				"by time",
				FCN_COMMAND_CONFIG, add_in},
		{"mirror <file:text>",
				"A capture of several ports, in one or both directions. Each frame "
				"enters by the port of its sender. Without CONFIG, a configuration "
				"is made for it",
				FCN_COMMAND_CONFIG, add_mirror},
		{"filter <bpf:text>",
				"Use only packets of the preceding --in or --mirror that match a "
				"BPF filter (syntax of tcpdump)",
				FCN_COMMAND_CONFIG, set_filter},
		{"interface <name:text>",
				"--mirror: use only frames of this interface of pcapng, a name or "
				"a number",
				TEXT(mirror.interface)},
		{"port <port=mac:text>",
				"--mirror: what is behind a port of CONFIG: MAC addresses, or an "
				"interface of pcapng",
				FCN_COMMAND_CONFIG, add_place},
		{"link <value:rate>",
				"--mirror without CONFIG: speed of all links (default: the slowest "
				"usual one at which the senders can have sent)",
				NUMBER(mirror.link_bps, 1000000, UINT64_C(10000000000000))},
		{"ipv6",
				"--mirror: replay IPv4 packets as IPv6 packets, 20 bytes longer, "
				"as "
				"there are no Fast CNPs for IPv4",
				FLAG(mirror.ipv6)},
		{"save-config <file:text>", "--mirror without CONFIG: write the configuration",
				TEXT(save_config)},
		{"flows <file:text>",
				"Write CNPs and notices of all flows as CSV: when the receiver "
				"told "
				"the sender, and when the switch would have",
				TEXT(flows)},
		{"gap <value:time>",
				"Longest pause within a series of CNPs or notices of a flow, whose "
				"beginnings are compared (default 1ms)",
				NUMBER(gap_ns, 1000, UINT64_C(1000000000000))},
		{"out <port=file:text>",
				"Write the packets that a port sends, with the time in nanoseconds "
				"at which their last bit was sent",
				FCN_COMMAND_CONFIG, add_out},
		{"speed <n:text>", "Divide the gaps between captured packets by N (default 1)",
				FCN_COMMAND_CONFIG, set_speed},
		{"json <file:text>",
				"Write the report as JSON ('-': to standard output, instead of the "
				"text)",
				TEXT(json)},
		{"series <file:text>",
				"Write queue occupancy, notices and drops over time, tab separated",
				TEXT(series)},
		{"report <file:text>",
				"Write a page for a browser with pictures of queues, notices and "
				"drops over time ('-': a sketch as text to standard output)",
				TEXT(report)},
		{"before <commands:text>",
				"Console commands to run before the first packet, separated by ';'",
				TEXT(before)},
		{"after <commands:text>",
				"Console commands to run after the last packet and the report",
				TEXT(after)},
		{"seed <value:number>", "Seed of random numbers (default 1)",
				NUMBER(seed, 0, UINT64_MAX)},
		{"mbufs <value:number>",
				"Number of packet buffers (default 32767), which limits the "
				"packets that can be queued",
				NUMBER(mbufs, MIN_MBUFS, MAX_MBUFS)},
		{"quiet", "Print no report, and no warnings about the configuration", FLAG(quiet)},
		{"help", "Print this text", FLAG(help)},
};

static int
take_config(void *object, const char *word)
{
	struct replay_options *opt = object;

	if (opt->config != NULL) {
		fprintf(stderr, "fastcn replay: one configuration file is expected, not also %s\n",
				word);
		return -1;
	}
	opt->config = word;
	return 0;
}

static const struct fcn_options options = {
		"fastcn replay", commands, RTE_DIM(commands), take_config};

void
replay_usage(FILE *out)
{
	fputs("usage: fastcn replay CONFIG --in PORT=FILE... [options]\n"
	      "       fastcn replay [CONFIG] --mirror FILE... [options]\n"
	      "\n"
	      "Switch the packets of capture files in virtual time: packets arrive at the times\n"
	      "of their timestamps, and leave at the speed of the ports' links. The same input\n"
	      "always gives the same output.\n"
	      "\n",
			out);
	fcn_options_help(&options, out);
	fputs("\n"
	      "The replay needs neither root nor hugepages. Ctrl-C ends it early, with complete\n"
	      "files and the report, and status 130. Status 4: nothing was forwarded.\n"
	      "Captures are pcap or pcapng, also compressed by gzip or zstd; '-': standard "
	      "input.\n",
			out);
}

static int
refuse(const char *why)
{
	fprintf(stderr, "fastcn replay: %s\n", why);
	return -1;
}

/* Check what options say together. */
static int
check(const struct replay_options *opt)
{
	const bool mirror = opt->mirror.n_files != 0;

	if (opt->config == NULL && !mirror)
		return refuse("one configuration file is expected");
	if (opt->n_in == 0 && !mirror)
		return refuse("no input; give an option --in PORT=FILE or --mirror FILE");
	if (opt->n_in != 0 && mirror)
		return refuse("--in and --mirror cannot be combined");
	if (!mirror && (opt->mirror.interface != NULL || opt->mirror.n_places != 0 ||
				       opt->mirror.ipv6))
		return refuse("--interface, --port and --ipv6 are about --mirror");
	if (opt->config == NULL && opt->mirror.n_places != 0)
		return refuse("--port is about the ports of a configuration");
	if ((opt->config != NULL || !mirror) &&
			(opt->mirror.link_bps != 0 || opt->save_config != NULL))
		return refuse("--link and --save-config are about --mirror without a "
			      "configuration");
	return 0;
}

int
replay_options_parse(struct replay_options *opt, int argc, char **argv)
{
	RTE_SET_USED(argc);
	opt->speed = 1;
	opt->mbufs = DEFAULT_MBUFS;
	opt->seed = FCN_DEFAULT_SEED;
	opt->gap_ns = REPLAY_FLOWS_GAP_NS;
	if (fcn_options_read(&options, opt, argv + 1) != 0)
		return -1;
	return opt->help ? 0 : check(opt);
}

void
replay_options_free(struct replay_options *opt)
{
	for (unsigned int i = 0; i < opt->n_in; i++)
		free(opt->in[i].port);
	for (unsigned int i = 0; i < opt->n_out; i++)
		free(opt->out[i].port);
	for (unsigned int i = 0; i < opt->mirror.n_places; i++) {
		free(opt->mirror.place[i].port);
		free(opt->mirror.place[i].what);
	}
}
