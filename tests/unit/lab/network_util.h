/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The tests of networks make a network from the text of a scenario, run it event by event, and look
 * at its switches and queues. */

#ifndef NETWORK_UTIL_H
#define NETWORK_UTIL_H

#include "network.h"

extern struct lab_scenario *sc;
extern struct lab_measure *measure;
extern struct lab_network *net;

/* Make the network. The scenario is text followed by rest. */
void start(const char *text, const char *rest);

/* Run the network until the end. @param meddle callback between any two events; NULL: none */
void run(void (*meddle)(void));

/* Free the network. @return number of buffers that leaked */
unsigned int stop(void);

unsigned int violations_with(const char *text);

/* Get the worker of a switch. @param node position of the switch in the scenario */
struct fcn_worker *worker(unsigned int node);
struct lab_net_port *port_named(unsigned int node, const char *name);
/* Get the queue of class 3 of a port. */
struct fcn_queue *queue_to(unsigned int node, const char *name);

/* Setup of a group of tests: start the EAL. */
int net_eal(void **state);

#endif /* NETWORK_UTIL_H */
