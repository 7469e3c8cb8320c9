/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lists of flows as other simulators read them: flow.txt of the ns-3 simulations published with
 *HPCC, and the connection matrices (.cm) of htsim.
 *
 *	2                           number of flows
 *	0 1 3 100 200000 2.000001   source, destination, priority group, port, bytes, start in
 *seconds 4 1 3 100 5000 2.000002
 *
 *	Nodes 16
 *	Connections 2
 *	0->13 start 0 size 2000000  source->destination, start in ps, bytes (0: without end)
 *	1->13 id 7 start 1500000 size 4096
 */

#ifndef LAB_FLOW_FILE_H
#define LAB_FLOW_FILE_H

#include <stddef.h>
#include <stdint.h>

#define LAB_FLOW_FILE_MAX 1000000u /**< flows */

/** A flow of one message. */
struct lab_listed_flow {
	uint32_t from, to; /**< numbers of hosts, from 0 on */
	uint64_t bytes;    /**< 0: it has no end */
	uint64_t start_ns;
	int group;     /**< priority group, 0 to 7; -1: none is given */
	uint16_t port; /**< destination port, which fct.txt repeats */
	uint32_t line; /**< in the file */
};

struct lab_flow_list {
	struct lab_listed_flow *flow;
	unsigned int n;
	uint32_t n_hosts; /**< greatest number of a host, and 1 */
};

/**
 * Read flow.txt. What follows the number of flows that the first line gives is not read, as the
 * simulator does not read it either. The text may hold any bytes.
 *
 * @return 0, -ENOMEM, or -EINVAL with "LINE:COLUMN: message" in err
 */
int lab_flow_list_read_ns3(const char *text, size_t size, struct lab_flow_list *list, char *err,
		size_t err_size);

/** Read a connection matrix. Triggers and failures are refused. The rest is as above. */
int lab_flow_list_read_htsim(const char *text, size_t size, struct lab_flow_list *list, char *err,
		size_t err_size);

void lab_flow_list_free(struct lab_flow_list *list);

#endif /* LAB_FLOW_FILE_H */
