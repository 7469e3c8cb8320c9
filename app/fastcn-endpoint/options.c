/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_inet.h"
#include "fcn_program_options.h"

#define MAX_NS UINT64_C(1000000000000)
#define MAX_BPS UINT64_C(10000000000000)
#define MAX_MESSAGE (UINT64_C(1) << 40)

static struct live_options *
options_of(const struct fcn_session *session)
{
	return fcn_options_object(session);
}

static int
set_addr(struct fcn_session *session, const struct fcn_args *args)
{
	struct live_options *opt = options_of(session);
	const struct fcn_prefix *p = fcn_args_prefix(args, "address");

	if (p->addr.version != 6 || !fcn_ip6_is_station(p->addr.bytes))
		return fcn_command_error(args, -EINVAL, "address",
				"the address must be a unicast IPv6 address");
	opt->addr = *p;
	return 0;
}

static int
set_station(const struct fcn_args *args, struct fcn_addr *addr)
{
	const struct fcn_addr *a = fcn_args_addr(args, "address");

	if (!fcn_ip6_is_station(a->bytes))
		return fcn_command_error(args, -EINVAL, "address", "not a unicast address");
	*addr = *a;
	return 0;
}

static int
set_gateway(struct fcn_session *session, const struct fcn_args *args)
{
	return set_station(args, &options_of(session)->gateway);
}

static int
set_peer(struct fcn_session *session, const struct fcn_args *args)
{
	return set_station(args, &options_of(session)->peer);
}

static int
add_setting(struct live_options *opt, const struct fcn_args *args, const char *word,
		const char *text)
{
	if (opt->n_settings == LIVE_MAX_SETTINGS)
		return fcn_command_error(
				args, -ENOSPC, NULL, "more than %u settings", LIVE_MAX_SETTINGS);
	if (asprintf(&opt->setting[opt->n_settings], "%s%s", word, text) < 0)
		return -ENOMEM;
	opt->n_settings++;
	return 0;
}

static int
set_setting(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(options_of(session), args, "", fcn_options_word(session));
}

static int
set_reaction(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(options_of(session), args, "reaction ", fcn_options_word(session));
}

static int
set_operation(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(
			options_of(session), args, "operation ", fcn_args_str(args, "operation"));
}

static int
set_payload(struct fcn_session *session, const struct fcn_args *args)
{
	return add_setting(options_of(session), args, "payload ", fcn_args_str(args, "bytes"));
}

#define NUMBER(member, least, most) FCN_OPTIONS_NUMBER(struct live_options, member, least, most)
#define FLAG(member) FCN_OPTIONS_FLAG(struct live_options, member)

/* The options, each with "--" in front. */
static const struct fcn_command commands[] = {
		{"port <device:text>",
				"DPDK device: its name, or name and arguments such as "
				"net_af_packet0,iface=eth1",
				FCN_OPTIONS_TEXT(struct live_options, device)},
		{"addr <address:prefix>",
				"IPv6 address of the endpoint, with the length of the prefix "
				"that is on its link",
				FCN_COMMAND_CONFIG, set_addr},
		{"gateway <address:addr6>",
				"IPv6 address of the next hop to addresses that are not on the "
				"link",
				FCN_COMMAND_CONFIG, set_gateway},
		{"peer <address:addr6>", "IPv6 address of the other end of the queue pairs",
				FCN_COMMAND_CONFIG, set_peer},
		{"listen", "Accept messages from any peer", FLAG(listen)},
		{"send <value:size>", "Send messages of this number of bytes to the peer",
				NUMBER(size, 1, MAX_MESSAGE)},
		{"messages <value:number>",
				"Number of messages on each queue pair, after which the "
				"program ends (default: no limit)",
				NUMBER(messages, 1, UINT32_MAX)},
		{"duration <value:time>",
				"Time after which no new message is started; the program ends "
				"when all started messages are acknowledged (default: no limit)",
				NUMBER(duration_ns, 1, MAX_NS)},
		{"qps <value:number>",
				"Number of queue pairs (default 1); with --listen and without "
				"--peer, number of queue pairs that accept messages (default "
				"1024)",
				NUMBER(qps, 1, LIVE_MAX_QPS)},
		{"first-qp <value:number>",
				"Number of the first queue pair, here and at the peer (default 2)",
				NUMBER(first_qp, FCN_ENDPOINT_FIRST_QP, LIVE_MAX_QPS)},
		{"rate <value:rate>",
				"Speed of the link (default: the speed that the device "
				"reports, or 1G if it reports none)",
				NUMBER(line_bps, 1000, MAX_BPS)},
		{"qp-rate <value:rate>",
				"Maximum rate of each queue pair (default: the speed of the "
				"link)",
				NUMBER(qp_bps, 1000, MAX_BPS)},
		{"dscp <value:number>", "DSCP of data packets (default 26)", NUMBER(dscp, 0, 63)},
		{"operation <operation:name>",
				"Operation that sends messages, send (default) or write: the "
				"same as --set 'operation ...'",
				FCN_COMMAND_CONFIG, set_operation},
		{"payload <bytes:name>", "The same as --set 'payload BYTES'", FCN_COMMAND_CONFIG,
				set_payload},
		{"reaction <reaction:text>", "The same as --set 'reaction ...'", FCN_COMMAND_CONFIG,
				set_reaction},
		{"set <setting:text>",
				"Set a parameter of the endpoint, in the words that scenarios "
				"of fastcn-lab use for hosts: 'reaction dcqcn', 'fast-cnp "
				"accept from 2001:db8:f::/48', 'window 64K'",
				FCN_COMMAND_CONFIG, set_setting},
		{"wait <value:time>",
				"Time without an answer of the next hop, or without any "
				"acknowledgement, after which the program gives up (default "
				"10s)",
				NUMBER(wait_ns, 1, MAX_NS)},
		{"idle <value:time>",
				"Maximum time to sleep when there is nothing to do (default "
				"100us); 0: never sleep",
				NUMBER(idle_ns, 0, MAX_NS)},
		{"seed <value:number>", "Seed of random numbers (default: taken from the clock)",
				NUMBER(seed, 0, UINT64_MAX)},
		{"json", "Print statistics and summary as JSON, one object per line", FLAG(json)},
		{"quiet", "Print only the summary, and no statistics", FLAG(quiet)},
		{"help", "Print this text", FLAG(help)},
};

static const struct fcn_options options = {"fastcn-endpoint", commands, RTE_DIM(commands)};

void
live_options_help(FILE *out)
{
	fputs("usage: fastcn-endpoint [EAL options] -- --port DEVICE --addr ADDRESS/LENGTH "
	      "--listen\n"
	      "       fastcn-endpoint [EAL options] -- --port DEVICE --addr ADDRESS/LENGTH\n"
	      "                       --peer ADDRESS [--gateway ADDRESS] --send SIZE [options]\n"
	      "\n"
	      "fastcn-endpoint is a RoCEv2 endpoint on a real port. It sends load through a live\n"
	      "switch and reacts to its notices.\n"
	      "\n",
			out);
	fcn_options_help(&options, out);
	fputs("\n"
	      "Exit status: 0 if all messages were acknowledged, 1 if not, 2 if the program could "
	      "not\n"
	      "start.\n",
			out);
}

/* Check the options that depend on each other. */
static int
check(struct live_options *opt)
{
	static const uint8_t link_local[] = {0xfe, 0x80};
	const char *what = NULL;

	if (opt->qps == 0)
		opt->qps = opt->peer.version != 0 ? 1 : 1024;
	if (opt->device == NULL)
		what = "--port is needed";
	else if (opt->addr.addr.version == 0)
		what = "--addr is needed";
	else if (opt->peer.version == 0 && !opt->listen)
		what = "--peer or --listen is needed: otherwise there is nothing to do";
	else if (opt->size != 0 && opt->peer.version == 0)
		what = "--send needs --peer";
	else if (opt->size == 0 && opt->messages != 0)
		what = "--messages needs --send";
	else if (opt->first_qp + opt->qps - 1 > LIVE_MAX_QPS)
		what = "queue pairs are numbered up to 4096";
	else if (opt->peer.version != 0 && fcn_addr_equal(&opt->peer, &opt->addr.addr))
		what = "the peer is the endpoint itself";
	else if (opt->peer.version != 0 && opt->gateway.version == 0 &&
			!fcn_prefix_contains(&opt->addr, &opt->peer) &&
			memcmp(opt->peer.bytes, link_local, sizeof(link_local)) != 0)
		what = opt->addr.len == 128 ? "--addr has no length, such as /64, so that nothing "
					      "is on its "
					      "link: --gateway is needed, or that"
					    : "--peer is not on the link that --addr tells of: "
					      "--gateway is "
					      "needed";
	if (what == NULL)
		return 0;
	fprintf(stderr, "fastcn-endpoint: %s; see fastcn-endpoint --help\n", what);
	return -1;
}

int
live_options_parse(struct live_options *opt, char *const *words)
{
	*opt = (struct live_options){
			.dscp = 26,
			.first_qp = FCN_ENDPOINT_FIRST_QP,
			.wait_ns = UINT64_C(10000000000),
			.idle_ns = 100000,
	};
	if (fcn_options_read(&options, opt, words) != 0)
		return -1;
	return opt->help ? 0 : check(opt);
}

void
live_options_free(struct live_options *opt)
{
	for (unsigned int i = 0; i < opt->n_settings; i++)
		free(opt->setting[i]);
}
