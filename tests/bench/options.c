/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "options.h"

static const char usage[] =
		"[EAL options] -- --source pcap|ring|null [--bridged]\n"
		"  [--trace] [--transit]\n"
		"  [--srv6 end|end_dt6|end_con|p_node|encaps|encaps_red|no_srh|paths] "
		"[--payload BYTES]\n"
		"  [--ipv4] [--ports 2|4] [--hosts N] [--flows N] [--groups N [--spread]]\n"
		"  [--routes N] [--to-routes] [--tcp N [--best-effort]]\n"
		"  [--cnp] [--events] [--rounds N] [--rate N] [--chunks N] [--variant "
		"NAME[,NAME...]]\n"
		"or: --write-pcap PREFIX [options of the packets]\n"
		"--hosts and --flows are numbers of each port, --routes is that of "
		"further routes,\n"
		"and with --to-routes packets go there, at random. With --tcp, one of N "
		"flows is TCP; with --best-effort, of the lowest class.\n"
		"With --groups, the route to each host is a group of N next hops, all behind the "
		"port of\n"
		"the host, or with --spread behind all ports in turn.\n";

static void
choose_source(struct bench_options *o, const char *name)
{
	static const char *const names[] = {
			[BENCH_PCAP] = "pcap", [BENCH_RING] = "ring", [BENCH_NULL] = "null"};

	for (unsigned int i = 0; i < RTE_DIM(names); i++) {
		if (strcmp(name, names[i]) == 0) {
			o->source = names[i];
			o->setup.source = i;
			o->setup.traffic.circulating = i == BENCH_RING;
			return;
		}
	}
	errx(2, "there is no source %s", name);
}

static enum bench_srv6
srv6_of(const char *name)
{
	static const char *const names[] = {[BENCH_SRV6_END] = "end",
			[BENCH_SRV6_END_DT6] = "end_dt6",
			[BENCH_SRV6_END_CON] = "end_con",
			[BENCH_SRV6_P_NODE] = "p_node",
			[BENCH_SRV6_ENCAPS] = "encaps",
			[BENCH_SRV6_ENCAPS_RED] = "encaps_red",
			[BENCH_SRV6_NO_SRH] = "no_srh",
			[BENCH_SRV6_PATHS] = "paths"};

	for (unsigned int i = BENCH_SRV6_END; i < RTE_DIM(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return i;
	}
	errx(2, "there is no kind %s of SRv6", name);
}

static void
check_traffic(const struct bench_traffic *t)
{
	if (t->payload > BENCH_PAYLOAD_MAX)
		errx(2, "a payload has at most %u bytes", BENCH_PAYLOAD_MAX);
	if (bench_ports(t) < BENCH_PORTS || bench_ports(t) > BENCH_PORTS_MAX)
		errx(2, "there are %u to %u ports", BENCH_PORTS, BENCH_PORTS_MAX);
	if (t->hosts > BENCH_HOSTS_MAX)
		errx(2, "there are at most %u hosts behind a port", BENCH_HOSTS_MAX);
	if (t->ipv4 && (t->trace || t->srv6 != BENCH_SRV6_NONE))
		errx(2, "IOAM and SRv6 are for IPv6");
	if (t->tcp != 0 && (t->trace || t->srv6 != BENCH_SRV6_NONE))
		errx(2, "TCP is beside plain RoCEv2");
	if (t->srv6 != BENCH_SRV6_NONE && t->hosts != 0)
		errx(2, "SRv6 is for the usual number of hosts");
}

static void
check_groups(const struct bench_setup *s)
{
	if (s->groups > FCN_NEXT_HOP_MAX_MEMBERS)
		errx(2, "a group has at most %u next hops", FCN_NEXT_HOP_MAX_MEMBERS);
	if (s->groups != 0 && (s->traffic.bridged || bench_srv6_is_headend(s->traffic.srv6) ||
					      s->traffic.networks != 0))
		errx(2, "groups are for routes to hosts");
	if (s->cnp && (s->traffic.srv6 != BENCH_SRV6_NONE || s->traffic.networks != 0))
		errx(2, "the first switch of the senders knows their queue pairs outside of "
			"tunnels");
	if (s->spread && s->traffic.circulating)
		errx(2, "packets that circulate leave by the port that they came from");
}

static const char *
read_own(int argc, char **argv, struct bench_options *o)
{
	static const struct option options[] = {
			{"source", required_argument, NULL, 's'},
			{"bridged", no_argument, NULL, 'b'},
			{"trace", no_argument, NULL, 't'},
			{"transit", no_argument, NULL, 'a'},
			{"srv6", required_argument, NULL, 'S'},
			{"payload", required_argument, NULL, 'p'},
			{"routes", required_argument, NULL, 'r'},
			{"to-routes", no_argument, NULL, 'T'},
			{"ports", required_argument, NULL, 'N'},
			{"groups", required_argument, NULL, 'g'},
			{"spread", no_argument, NULL, 'd'},
			{"hosts", required_argument, NULL, 'h'},
			{"flows", required_argument, NULL, 'f'},
			{"ipv4", no_argument, NULL, '4'},
			{"tcp", required_argument, NULL, 'P'},
			{"best-effort", no_argument, NULL, 'B'},
			{"cnp", no_argument, NULL, 'C'},
			{"events", no_argument, NULL, 'e'},
			{"rounds", required_argument, NULL, 'R'},
			{"rate", required_argument, NULL, 'Q'},
			{"chunks", required_argument, NULL, 'c'},
			{"variant", required_argument, NULL, 'v'},
			{"write-pcap", required_argument, NULL, 'w'},
			{0},
	};
	const char *prefix = NULL;
	bool to_routes = false;
	int c;

	*o = (struct bench_options){.source = "pcap", .rounds = 10, .chunks = 50};
	optind = 1;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			choose_source(o, optarg);
			break;
		case 'b':
			o->setup.traffic.bridged = true;
			break;
		case 't':
			o->setup.traffic.trace = true;
			break;
		case 'a': /* IOAM transit: a trace to which the switch adds its data */
			o->setup.traffic.trace = true;
			o->setup.traffic.transit = true;
			break;
		case 'S':
			o->setup.traffic.srv6 = srv6_of(optarg);
			break;
		case 'p':
			o->setup.traffic.payload = atoi(optarg);
			break;
		case 'r':
			o->setup.extra_routes = atoi(optarg);
			break;
		case '4':
			o->setup.traffic.ipv4 = true;
			break;
		case 'P':
			o->setup.traffic.tcp = atoi(optarg);
			break;
		case 'B':
			o->setup.traffic.best_effort = true;
			break;
		case 'T':
			to_routes = true;
			break;
		case 'N':
			o->setup.traffic.ports = atoi(optarg);
			break;
		case 'g':
			o->setup.groups = atoi(optarg);
			break;
		case 'd':
			o->setup.spread = true;
			break;
		case 'h':
			o->setup.traffic.hosts = atoi(optarg);
			break;
		case 'f':
			o->setup.traffic.flows = atoi(optarg);
			break;
		case 'C':
			o->setup.cnp = true;
			break;
		case 'e':
			o->setup.events = true;
			break;
		case 'R':
			o->rounds = atoi(optarg);
			break;
		case 'Q':
			o->rate = atoi(optarg);
			break;
		case 'c':
			o->chunks = atoi(optarg);
			break;
		case 'v':
			o->variant = optarg;
			break;
		case 'w':
			prefix = optarg;
			break;
		default:
			fprintf(stderr, "usage: %s %s", argv[0], usage);
			exit(2);
		}
	}
	if (to_routes)
		o->setup.traffic.networks = o->setup.extra_routes;
	check_traffic(&o->setup.traffic);
	check_groups(&o->setup);
	return prefix;
}

static void
write_files(const struct bench_options *o, const char *prefix)
{
	for (unsigned int p = 0; p < bench_ports(&o->setup.traffic); p++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s%u.pcap", prefix, p);
		if (bench_write_pcap(&o->setup.traffic, p, file) != 0)
			exit(1);
	}
	exit(0);
}

void
bench_options_read(int argc, char **argv, struct bench_options *o)
{
	int used;

	if (argc > 1 && strcmp(argv[1], "--write-pcap") == 0)
		write_files(o, read_own(argc, argv, o));
	used = rte_eal_init(argc, argv);
	if (used < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	if (read_own(argc - used, argv + used, o) != NULL)
		errx(2, "--write-pcap has to come first");
	if (o->setup.source != BENCH_PCAP && o->setup.traffic.bridged)
		errx(2, "packets that come back would teach the bridge that hosts move");
}
