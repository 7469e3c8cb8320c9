/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The fast path for any CPU: words of 64 bits are compared. */

#include "fast_path_bridge.h"

#define TARGET

/* What a frame is compared with, in words of 64 bits. */
struct head {
	uint64_t value[FCN_PLAIN_HEAD / sizeof(uint64_t)];
	uint64_t mask[FCN_PLAIN_HEAD / sizeof(uint64_t)];
};

static inline struct head
head_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac)
{
	struct head words;

	memcpy(words.value, head->value, sizeof(words.value));
	memcpy(words.mask, head->mask, sizeof(words.mask));
	memcpy(words.value, mac, sizeof(*mac));
	return words;
}

static __rte_always_inline uint64_t
differences(const struct head *words, const uint8_t *data, unsigned int n)
{
	uint64_t different = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t word;

		memcpy(&word, data + i * sizeof(word), sizeof(word));
		different |= (word ^ words->value[i]) & words->mask[i];
	}
	return different;
}

static __rte_always_inline bool
matches6(const void *head, const uint8_t *data)
{
	return differences(head, data, FCN_PLAIN_HEAD / sizeof(uint64_t)) == 0;
}

static __rte_always_inline bool
matches4(const void *head, const uint8_t *data)
{
	return differences(head, data, FCN_PLAIN_HEAD4 / sizeof(uint64_t)) == 0;
}

#include "fast_path_width.h"

const struct fcn_fast_functions fcn_fast_any = {.ip6 = take_ip6,
		.ip4 = take_ip4,
		.admit = admit,
		.classify6 = classify6,
		.classify4 = classify4,
		.count = count};
