/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A network under test: made of a scenario's text, run event by event, reached into. */

#ifndef NETWORK_UTIL_H
#define NETWORK_UTIL_H

#include "network.h"

extern struct lab_scenario *sc;
extern struct lab_measure *measure;
extern struct lab_network *net;

/* The scenario is text and rest, one behind the other. */
void start(const char *text, const char *rest);

/* Until the end, with something done between any two events. */
void run(void (*meddle)(void));

/* @return buffers that leaked */
unsigned int stop(void);

unsigned int violations_with(const char *text);

/* Of a switch, by its place in the scenario. */
struct fcn_worker *worker(unsigned int node);
struct lab_net_port *port_named(unsigned int node, const char *name);
/* Of class 3. */
struct fcn_queue *queue_to(unsigned int node, const char *name);

/* Setup of a group of tests. */
int net_eal(void **state);

#endif /* NETWORK_UTIL_H */
