/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A set of ports of a switch, by their numbers. A set whose bytes are all 0 is empty. Each port
 * that is passed to these functions is below FCN_MAX_PORTS.
 */

#ifndef FCN_PORT_SET_H
#define FCN_PORT_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fcn_port_limit.h"

/** Number of words of a set. */
#define FCN_PORT_SET_WORDS ((FCN_MAX_PORTS + 63) / 64)

/** A set of ports. Only this file reads its words. */
struct fcn_port_set {
	uint64_t word[FCN_PORT_SET_WORDS];
};

_Static_assert(FCN_MAX_PORTS % 64 == 0, "each bit of a set has a port");

/** Add a port. */
static inline void
fcn_port_set_add(struct fcn_port_set *set, unsigned int port)
{
	set->word[port / 64] |= UINT64_C(1) << port % 64;
}

/** Remove a port, whether the set has it or not. */
static inline void
fcn_port_set_remove(struct fcn_port_set *set, unsigned int port)
{
	set->word[port / 64] &= ~(UINT64_C(1) << port % 64);
}

/** Add a port that the set does not have, or remove one that it has. */
static inline void
fcn_port_set_flip(struct fcn_port_set *set, unsigned int port)
{
	set->word[port / 64] ^= UINT64_C(1) << port % 64;
}

/** Tell whether a set has a port. */
static inline bool
fcn_port_set_has(const struct fcn_port_set *set, unsigned int port)
{
	return set->word[port / 64] >> port % 64 & 1;
}

/** Tell whether a set has no port. */
static inline bool
fcn_port_set_is_empty(const struct fcn_port_set *set)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		all |= set->word[i];
	return all == 0;
}

/** Get the set of one port. */
static inline struct fcn_port_set
fcn_port_set_of(unsigned int port)
{
	struct fcn_port_set set = {0};

	fcn_port_set_add(&set, port);
	return set;
}

/** Get the set of all port numbers. */
static inline struct fcn_port_set
fcn_port_set_all(void)
{
	struct fcn_port_set set;

	memset(&set, 0xFF, sizeof(set));
	return set;
}

/** Tell whether two sets have the same ports. */
static inline bool
fcn_port_set_is_same(const struct fcn_port_set *a, const struct fcn_port_set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/** Tell whether some port is in both sets. */
static inline bool
fcn_port_set_meets(const struct fcn_port_set *a, const struct fcn_port_set *b)
{
	uint64_t both = 0;

	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		both |= a->word[i] & b->word[i];
	return both != 0;
}

/** Add the ports of another set. */
static inline void
fcn_port_set_or(struct fcn_port_set *set, const struct fcn_port_set *other)
{
	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		set->word[i] |= other->word[i];
}

/** Remove the ports that are not in another set. */
static inline void
fcn_port_set_and(struct fcn_port_set *set, const struct fcn_port_set *other)
{
	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		set->word[i] &= other->word[i];
}

/** Remove the ports that are in another set. */
static inline void
fcn_port_set_and_not(struct fcn_port_set *set, const struct fcn_port_set *other)
{
	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		set->word[i] &= ~other->word[i];
}

/** Get the number of ports of a set. */
static inline unsigned int
fcn_port_set_count(const struct fcn_port_set *set)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		n += __builtin_popcountll(set->word[i]);
	return n;
}

/** Get the lowest port of a set from a number on, which may be FCN_MAX_PORTS, too. @return
 * FCN_MAX_PORTS: there is none */
static inline unsigned int
fcn_port_set_next(const struct fcn_port_set *set, unsigned int from)
{
	unsigned int i = from / 64;
	uint64_t left;

	if (i == FCN_PORT_SET_WORDS)
		return FCN_MAX_PORTS;
	left = set->word[i] >> from % 64 << from % 64;
	while (left == 0) {
		if (++i == FCN_PORT_SET_WORDS)
			return FCN_MAX_PORTS;
		left = set->word[i];
	}
	return 64 * i + __builtin_ctzll(left);
}

/** Get the highest port of a set. @return FCN_MAX_PORTS: it is empty */
static inline unsigned int
fcn_port_set_last(const struct fcn_port_set *set)
{
	for (unsigned int i = FCN_PORT_SET_WORDS; i-- > 0;) {
		if (set->word[i] != 0)
			return 64 * i + 63 - __builtin_clzll(set->word[i]);
	}
	return FCN_MAX_PORTS;
}

/** Run a statement for each port of a set, in ascending order, with its number in the new variable
 * `port`. The statement may remove ports, and may add some below the current one. */
#define FCN_PORT_SET_FOREACH(port, set)                                           \
	for (unsigned int port = fcn_port_set_next(set, 0); port < FCN_MAX_PORTS; \
			port = fcn_port_set_next(set, port + 1))

/** Add a port to a set that another thread empties, after what this thread has written before. */
static inline void
fcn_port_set_add_atomic(struct fcn_port_set *set, unsigned int port)
{
	__atomic_fetch_or(&set->word[port / 64], UINT64_C(1) << port % 64, __ATOMIC_RELEASE);
}

/** Tell whether a set to which another thread adds ports has none. */
static inline bool
fcn_port_set_is_empty_atomic(const struct fcn_port_set *set)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++)
		all |= __atomic_load_n(&set->word[i], __ATOMIC_RELAXED);
	return all == 0;
}

/** Empty a set to which another thread adds ports. @return the ports; what that thread had written
 * before it added them is visible */
static inline struct fcn_port_set
fcn_port_set_take_atomic(struct fcn_port_set *set)
{
	struct fcn_port_set taken = {0};

	for (unsigned int i = 0; i < FCN_PORT_SET_WORDS; i++) {
		if (__atomic_load_n(&set->word[i], __ATOMIC_RELAXED) != 0)
			taken.word[i] = __atomic_exchange_n(&set->word[i], 0, __ATOMIC_ACQUIRE);
	}
	return taken;
}

#endif /* FCN_PORT_SET_H */
