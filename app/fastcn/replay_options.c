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
	return add_file(session, args, options_of(session)->in, &options_of(session)->n_in);
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

	if (opt->n_in == 0)
		return fcn_command_error(args, -EINVAL, NULL, "it must follow an --in");
	opt->in[opt->n_in - 1].filter = fcn_options_word(session);
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
		{"filter <bpf:text>",
				"Use only packets of the preceding --in that match a BPF filter "
				"(syntax of tcpdump)",
				FCN_COMMAND_CONFIG, set_filter},
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
		{"series <file:text>", "Write queue occupancy and notices over time, tab separated",
				TEXT(series)},
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
	      "\n"
	      "Switch the packets of capture files in virtual time: packets arrive at the times\n"
	      "of their timestamps, and leave at the speed of the ports' links. The same input\n"
	      "always gives the same output.\n"
	      "\n",
			out);
	fcn_options_help(&options, out);
	fputs("\n"
	      "The replay needs neither root nor hugepages. Ctrl-C ends it early, with complete\n"
	      "files and the report, and status 130.\n",
			out);
}

int
replay_options_parse(struct replay_options *opt, int argc, char **argv)
{
	RTE_SET_USED(argc);
	opt->speed = 1;
	opt->mbufs = DEFAULT_MBUFS;
	opt->seed = FCN_DEFAULT_SEED;
	if (fcn_options_read(&options, opt, argv + 1) != 0)
		return -1;
	if (!opt->help && opt->config == NULL) {
		fprintf(stderr, "fastcn replay: one configuration file is expected\n");
		return -1;
	}
	if (!opt->help && opt->n_in == 0) {
		fprintf(stderr, "fastcn replay: no input; give an option --in PORT=FILE\n");
		return -1;
	}
	return 0;
}

void
replay_options_free(struct replay_options *opt)
{
	for (unsigned int i = 0; i < opt->n_in; i++)
		free(opt->in[i].port);
	for (unsigned int i = 0; i < opt->n_out; i++)
		free(opt->out[i].port);
}
