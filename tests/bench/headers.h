/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ports that cost next to nothing, for several workers. All buffers hold the same packet from the
 * beginning. A port that receives writes hop limit and addresses into the first cache line of a
 * buffer, which the switch will write, too; the rest of the packet is never written, as with a
 * device that puts packets into memory by itself. What is sent is freed. With net_null, the buffers
 * that hold packets to a port would end as the buffers of that port's worker, which then receives
 * nothing else.
 */

#ifndef BENCH_HEADERS_H
#define BENCH_HEADERS_H

#include "rig.h"

/** Operations of such a port. */
extern const struct fcn_port_ops bench_headers_ops;

/** Create a port, which receives the flows of a port of the traffic. The program ends on failure.
 */
void *bench_headers_open(const struct bench_rig *rig, unsigned int port);
void bench_headers_close(void *port);

/** Put the packet into all buffers of the rig. */
void bench_headers_fill(const struct bench_rig *rig);

#endif /* BENCH_HEADERS_H */
