/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions and structures that the source files of a random scenario share.
 *
 * random_scenario.c  topology, hosts, traffic
 * switch.c           configurations of switches
 * srv6.c             SIDs and policies
 * arn.c              precise flow control
 * proxy.c            congestion notification with proxies
 * fault.c            faults, and when they end
 * main.c             the program: seeds, one after the other
 */

#ifndef LAB_RANDOM_PRIVATE_H
#define LAB_RANDOM_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include <rte_common.h>

#include "fcn_random.h"

#define RANDOM_MAX_SWITCHES 3
#define RANDOM_MAX_HOSTS 6
#define RANDOM_MAX_LINKS (RANDOM_MAX_HOSTS + RANDOM_MAX_SWITCHES)
#define RANDOM_CLASSES 8

/* Faults begin before this time. It is early, so that many seeds can be run. */
#define RANDOM_CHAOS_US 400
/*
 * The end of the run: there are no faults in the rest of it, and all flows have to complete.
 * Packets may wait in a slow queue for dozens of a sender's timeouts, and each of them sends all
 * again.
 */
#define RANDOM_DURATION_MS 10000

/* Speeds of links, in Gbit/s. */
static const unsigned int random_rates[] = {1, 10, 25, 100, 400};

struct random_link {
	char a[16], b[16];
};

/* Facts about a switch on which the lines of its configuration depend. */
struct random_switch {
	unsigned int gbps;                     /* of its fastest link */
	unsigned int notice_class;             /* class of its notices */
	unsigned int limit_k[RANDOM_CLASSES];  /* least limit of a class queue, in KB */
	unsigned int needed_k[RANDOM_CLASSES]; /* limit that the thresholds require, in KB */
	bool buffer;                           /* it is shared */
	uint32_t policies;                     /* bit set of hosts, for whose packets it has one */
	uint32_t ingress;                      /* those of them that have a roce-source */
};

struct random_maker {
	struct fcn_random random;
	FILE *out;
	FILE *end; /* lines that put an end to faults */
	unsigned int n_switches, n_hosts, n_links, n_flows;
	unsigned int home[RANDOM_MAX_HOSTS]; /* switch of each host */
	unsigned int hot;                    /* host that most send to */
	struct random_link link[RANDOM_MAX_LINKS];
	struct random_switch node_switch[RANDOM_MAX_SWITCHES];
	bool ioam;
	bool scarce;  /* there are few buffers */
	bool bridged; /* switches are bridges, not routers */
	bool tagged;  /* with VLAN tags between them */
	bool srv6;    /* switches are nodes of an SRv6 domain */
	bool arn;     /* switches ask each other to halt traffic */
	bool proxy;   /* switches tell each other about flows, as proxies of senders */
};

/* Get a random number from 0 to n - 1. */
static inline unsigned int
random_pick(struct random_maker *m, unsigned int n)
{
	return fcn_random32(&m->random) % n;
}

static inline bool
random_chance(struct random_maker *m, unsigned int percent)
{
	return random_pick(m, 100) < percent;
}

static inline unsigned int
random_between(struct random_maker *m, unsigned int least, unsigned int most)
{
	return least + random_pick(m, most - least + 1);
}

#define RANDOM_OF(m, list) ((list)[random_pick(m, RTE_DIM(list))])

/* Write the configuration of a switch, 1 for the first. Its links have been chosen. */
void random_switch(struct random_maker *m, unsigned int s);
/* Write SIDs and policies of a switch, 1 for the first. */
void random_srv6(struct random_maker *m, unsigned int s);
/* A line that another configuration may follow at any time, without the line feed's "at". */
void random_switch_change(struct random_maker *m, unsigned int s);
/* The same for a switch of an SRv6 domain. */
void random_srv6_change(struct random_maker *m, unsigned int s);
/* Write the precise flow control of a switch, 1 for the first. */
void random_arn(struct random_maker *m, unsigned int s);
/* A line that changes it, without the line feed's "at". */
void random_arn_change(struct random_maker *m);
/* A host asks a switch to hold a flow. */
void random_arn_fault(struct random_maker *m);
/* Write what a switch, 1 for the first, tells proxies, and what it does as a proxy. */
void random_proxy(struct random_maker *m, unsigned int s);
/* A line that changes it, without the line feed's "at". */
void random_proxy_change(struct random_maker *m);
/* A host tells a switch about a flow. */
void random_proxy_fault(struct random_maker *m);
/* Write hosts that report their queue pairs, and what switches do with them, or none. All else is
 * the same as without it. */
void random_reports(const struct random_maker *m);
/* Write some faults, or none. */
void random_faults(struct random_maker *m);
/* Write changes of links' speeds, or none. */
void random_speeds(struct random_maker *m);

#endif /* LAB_RANDOM_PRIVATE_H */
