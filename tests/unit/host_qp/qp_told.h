/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file A map, what it tells, and netlink and probes that tell it. */

#ifndef QP_TOLD_H
#define QP_TOLD_H

#include "qp_map.h"
#include "test_case.h"

#define TOLD_MOST 64 /**< number of queue pairs of the map */
#define RXE 7        /**< the device */

enum {
	RESET,
	INIT,
	RTR,
	RTS,
	SQD,
	SQE,
	ERR
};

/** What was told since told_reset(), as "+17>18@2 " for queue pair 17 that is connected to queue
 * pair 18 of 192.0.2.2, and "-17>18@2 ". */
extern char told[4096];

extern struct qp_map *map;

int told_begin(void **state);
int told_end(void **state);

#define TOLD_TEST .setup = told_begin, .teardown = told_end

void told_reset(void);

/** Assert what was told, and begin anew. */
#define assert_told(text)                        \
	do {                                     \
		assert_string_equal(told, text); \
		told_reset();                    \
	} while (0)

/** 192.0.2.HOST as ::ffff:192.0.2.HOST. */
void address(uint8_t out[16], uint8_t host);

/** A queue pair of a process as netlink has it, in this moment of the round. */
void say_qp(uint32_t qp, uint32_t remote_qp, uint8_t state, uint32_t pid);

/** A CM_ID, from 192.0.2.1 to 192.0.2.HOST. */
void say_cm_id(uint32_t qp, uint8_t host, uint32_t pid);

/** A probe tells of a modification. host 0: without addresses. */
void event(uint32_t qp, uint32_t remote_qp, uint8_t state, uint8_t host);

void event_destroyed(uint32_t qp);

/** Begin a round, in which the device is there. */
void begin_round(void);

/** Get why a queue pair is not told; HOST_QP_REASON_COUNT: there is none. */
enum host_qp_reason reason_of(uint32_t qp, bool has_probes);

#endif /* QP_TOLD_H */
