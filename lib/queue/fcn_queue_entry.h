/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * An entry of 16 octets that stands for a packet: in a class queue, and on its way there
 * (fcn_ready.h).
 */

#ifndef FCN_QUEUE_ENTRY_H
#define FCN_QUEUE_ENTRY_H

#include <stdint.h>

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

#include <rte_byteorder.h>
#include <rte_common.h>

struct rte_mbuf;
/* struct fcn_queue_entry.flags */
#define FCN_ENTRY_CLASS 0x0007  /**< mask: class of the queue */
#define FCN_ENTRY_NOTICE 0x0008 /**< the packet is a notice that fastcn made */
/* The queue's owner has to act on these when the packet leaves its queue. */
#define FCN_ENTRY_LOSSLESS 0x0010        /**< it is charged to struct fcn_ingress */
#define FCN_ENTRY_CHARGED 0x0020         /**< it is charged to the queue's account */
#define FCN_ENTRY_FLOW 0x0040            /**< it is in struct fcn_flow_occupancy */
#define FCN_ENTRY_IOAM 0x0080            /**< its IOAM transit delay is to be written */
#define FCN_ENTRY_DEQUEUE_ACTIONS 0x00F0 /**< mask: any of these */
/* Fields of struct fcn_queued in the mbuf that are valid. */
#define FCN_ENTRY_NOTED 0x0100  /**< in_port and vlan */
#define FCN_ENTRY_TRACED 0x0200 /**< trace */
/* Only with FCN_ENTRY_NOTICE: enum fcn_notice_kind_number. */
#define FCN_ENTRY_KIND_SHIFT 10 /**< position of the number */
#define FCN_ENTRY_KIND 0x1C00   /**< mask: the bits of the number */

/** An entry of a queue: a packet, and the facts that are needed when it leaves. */
struct fcn_queue_entry {
	struct rte_mbuf *mbuf;
	union {
		uint64_t meta; /**< the fields below, written at once: fcn_queue_meta() */
		struct {
			uint32_t enqueued_ns; /**< time of arrival modulo 2^32 ns */
			uint16_t len;         /**< bytes of the frame */
			uint16_t flags;       /**< FCN_ENTRY_* */
		};
	};
};

/** Get the kind (enum fcn_notice_kind_number) of a packet that is a notice. */
static inline unsigned int
fcn_entry_notice_kind(const struct fcn_queue_entry *e)
{
	return (e->flags & FCN_ENTRY_KIND) >> FCN_ENTRY_KIND_SHIFT;
}

/** Get the fields of an entry other than the packet as one word, so that they can be written at
 * once. */
static inline uint64_t
fcn_queue_meta(uint32_t now, uint16_t len, uint16_t flags)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return now | (uint64_t)len << 32 | (uint64_t)flags << 48;
#else
	return (uint64_t)now << 32 | (uint64_t)len << 16 | flags;
#endif
}

/** What several entries have in common. */
struct fcn_queue_sum {
	uint32_t bytes;   /**< sum of their lengths */
	uint16_t max_len; /**< the longest of them; 0 if there is none */
	uint16_t min_len; /**< the shortest of them; UINT16_MAX if there is none */
	uint16_t flags;   /**< FCN_ENTRY_* that any of them has; the class is one of those */
};

/* Add an entry to a sum. */
static inline void
fcn_queue_sum_add(struct fcn_queue_sum *sum, const struct fcn_queue_entry *e)
{
	sum->bytes += e->len;
	sum->max_len = RTE_MAX(sum->max_len, e->len);
	sum->min_len = RTE_MIN(sum->min_len, e->len);
	sum->flags |= e->flags;
}

/**
 * Copy the packets of entries, and compute what the entries have in common.
 *
 * @param mbufs result: the packet of each entry
 */
static inline struct fcn_queue_sum
fcn_queue_sum(const struct fcn_queue_entry *e, unsigned int n, struct rte_mbuf **mbufs)
{
	struct fcn_queue_sum sum = {.min_len = UINT16_MAX};
	size_t i = 0; /* as wide as a pointer, for cheaper addresses */

#ifdef __SSE4_1__
	/* Two entries at a time. The length is the third of the four 16-bit words of the meta data.
	 */
	const __m128i len = _mm_set1_epi64x(UINT64_C(0xFFFF) << 32);
	__m128i bytes = _mm_setzero_si128(), any = bytes, longest = bytes;
	__m128i shortest = _mm_set1_epi16(-1);

	for (; i + 2 <= n; i += 2) {
		__m128i first = _mm_loadu_si128((const void *)&e[i]);
		__m128i second = _mm_loadu_si128((const void *)&e[i + 1]);
		__m128i meta = _mm_unpackhi_epi64(first, second);

		_mm_storeu_si128((void *)&mbufs[i], _mm_unpacklo_epi64(first, second));
		any = _mm_or_si128(any, meta);
		shortest = _mm_min_epu16(shortest, meta);
		meta = _mm_and_si128(meta, len);
		bytes = _mm_add_epi64(bytes, meta);
		longest = _mm_max_epu16(longest, meta);
	}
	/* No instruction, but otherwise GCC 12 copies each sum in the loop for what follows. */
	__asm__("" : "+x"(bytes), "+x"(any), "+x"(longest), "+x"(shortest));
	bytes = _mm_add_epi64(bytes, _mm_unpackhi_epi64(bytes, bytes));
	any = _mm_or_si128(any, _mm_unpackhi_epi64(any, any));
	longest = _mm_max_epu16(longest, _mm_unpackhi_epi64(longest, longest));
	shortest = _mm_min_epu16(shortest, _mm_unpackhi_epi64(shortest, shortest));
	sum.bytes = (uint64_t)_mm_cvtsi128_si64(bytes) >> 32;
	sum.flags = _mm_extract_epi16(any, 3);
	sum.max_len = _mm_extract_epi16(longest, 2);
	sum.min_len = _mm_extract_epi16(shortest, 2);
#endif
	for (; i < n; i++) {
		mbufs[i] = e[i].mbuf;
		fcn_queue_sum_add(&sum, &e[i]);
	}
	return sum;
}

/** Copy entries. @return sum of their lengths */
static inline uint32_t
fcn_queue_copy(struct fcn_queue_entry *out, const struct fcn_queue_entry *e, unsigned int n)
{
	uint32_t sum = 0;
	size_t i = 0; /* as wide as a pointer, for cheaper addresses */

#ifdef __SSE4_1__
	const __m128i len = _mm_set1_epi64x(UINT64_C(0xFFFF) << 32);
	__m128i bytes = _mm_setzero_si128();

	for (; i + 2 <= n; i += 2) {
		__m128i first = _mm_loadu_si128((const void *)&e[i]);
		__m128i second = _mm_loadu_si128((const void *)&e[i + 1]);
		__m128i meta = _mm_unpackhi_epi64(first, second);

		_mm_storeu_si128((void *)&out[i], first);
		_mm_storeu_si128((void *)&out[i + 1], second);
		bytes = _mm_add_epi64(bytes, _mm_and_si128(meta, len));
	}
	__asm__("" : "+x"(bytes)); /* as in fcn_queue_sum() */
	bytes = _mm_add_epi64(bytes, _mm_unpackhi_epi64(bytes, bytes));
	sum = (uint64_t)_mm_cvtsi128_si64(bytes) >> 32;
#endif
	for (; i < n; i++) {
		out[i] = e[i];
		sum += e[i].len;
	}
	return sum;
}

#endif /* FCN_QUEUE_ENTRY_H */
