/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* IOAM traces as nodes of a path would have written them, made octet by octet. */

#ifndef TRACES_H
#define TRACES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_ioam.h"

#define TYPE_HPCC 0xB62000u /* node, time, link speed, queue, tx bytes */
#define TYPE_OPAQUE 0x000002u

#define TRACE_EPOCH UINT64_C(1700000000000000000)

struct hop {
	uint32_t id;
	uint64_t time; /* ns after TRACE_EPOCH */
	uint32_t mbps;
	uint32_t queue;
	uint64_t tx;
	uint64_t id_wide;
	/* Instead of time, when they are not 0. */
	uint32_t seconds, fraction;
	uint8_t schema_words;
};

struct trace {
	uint8_t data[508];
	struct fcn_ioam_trace t;
};

static inline uint8_t *
put_word(uint8_t *p, uint32_t v)
{
	*p++ = (uint8_t)(v >> 24);
	*p++ = (uint8_t)(v >> 16);
	*p++ = (uint8_t)(v >> 8);
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *
put_node(uint8_t *p, uint32_t type, const struct hop *hop)
{
	uint64_t time = TRACE_EPOCH + hop->time;

	if (type & 0x800000)
		p = put_word(p, 63u << 24 | hop->id);
	if (type & 0x400000)
		p = put_word(p, 0x00010002);
	if (type & 0x200000)
		p = put_word(p, hop->seconds ? hop->seconds : (uint32_t)(time / 1000000000));
	if (type & 0x100000)
		p = put_word(p, hop->fraction ? hop->fraction : (uint32_t)(time % 1000000000));
	if (type & 0x080000)
		p = put_word(p, 777);
	if (type & 0x040000)
		p = put_word(p, hop->mbps);
	if (type & 0x020000)
		p = put_word(p, hop->queue);
	if (type & 0x010000)
		p = put_word(p, 0xFFFFFFFF);
	if (type & 0x008000)
		p = put_word(put_word(p, 63u << 24 | (uint32_t)(hop->id_wide >> 32)),
				(uint32_t)hop->id_wide);
	if (type & 0x004000)
		p = put_word(put_word(p, 1), 2);
	if (type & 0x002000)
		p = put_word(put_word(p, (uint32_t)(hop->tx >> 32)), (uint32_t)hop->tx);
	if (type & 0x001000)
		p = put_word(p, 555);
	if (type & TYPE_OPAQUE) {
		p = put_word(p, (uint32_t)hop->schema_words << 24 | 7);
		for (uint8_t i = 0; i < hop->schema_words; i++)
			p = put_word(p, 0xABABABAB);
	}
	return p;
}

/*
 * Make a trace from hops in the order of the path. The newest hop comes first in the trace (RFC
 * 9197 section 4.4.1).
 */
static inline const struct fcn_ioam_trace *
make_trace(struct trace *trace, uint32_t type, const struct hop *hops, unsigned int n,
		uint8_t free_words)
{
	uint8_t *p = trace->data;

	memset(p, 0xEE, 4u * free_words);
	p += 4 * free_words;
	for (unsigned int i = n; i-- > 0;)
		p = put_node(p, type, &hops[i]);
	trace->t = (struct fcn_ioam_trace){
			.node_len = fcn_ioam_node_len(type),
			.remaining_len = free_words,
			.words = (uint8_t)((p - trace->data) / 4),
			.type = type,
			.data = trace->data,
	};
	return &trace->t;
}

#endif /* TRACES_H */
