/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Helpers of the files of reactions. */

#ifndef REACTION_PRIVATE_H
#define REACTION_PRIVATE_H

#include <rte_common.h>

#include "fcn_reaction.h"

/*
 * Higher rates are replaced by this one, so that products with alpha and percentages fit into 64
 * bits.
 */
#define REACTION_MAX_BPS UINT64_C(1000000000000000)

#define REACTION_BITS_NS 8e9 /* bits of a byte times nanoseconds of a second */
#define REACTION_US UINT64_C(1000)
#define REACTION_MAX_NS UINT64_C(1000000000000)    /* longest time of a parameter */
#define REACTION_MAX_BYTES UINT64_C(1000000000000) /* largest size of a parameter */
#define REACTION_MOST_BPS UINT64_C(10000000000000) /* highest rate of a parameter */
#define REACTION_MAX_NUMBER 1000000u               /* largest number of a parameter */

/* What the file of each reaction defines. */
#define REACTION_DECLARE(sym, name) extern const struct fcn_reaction_type reaction_type_##name;
FCN_REACTIONS(REACTION_DECLARE)
#undef REACTION_DECLARE

/* Structures of parameters and state, which are in the room for them of the common structures. */
#define REACTION_PART __attribute__((__may_alias__))

/*
 * Define two functions: NAME_conf() has the parameters of a reaction, a struct NAME_conf, for
 * reading; NAME_own() those of a configuration, for writing.
 */
#define REACTION_CONF(sym, name)                                                                  \
	_Static_assert(sizeof(struct name##_conf) <= FCN_REACTION_CONF_WORDS * 8, "no room");     \
	static inline __rte_unused const struct name##_conf *name##_conf(                         \
			const struct fcn_reaction *r)                                             \
	{                                                                                         \
		return (const struct name##_conf *)r->conf->of[FCN_REACTION_##sym];               \
	}                                                                                         \
	static inline __rte_unused struct name##_conf *name##_own(struct fcn_reaction_conf *conf) \
	{                                                                                         \
		return (struct name##_conf *)conf->of[FCN_REACTION_##sym];                        \
	}

/* Define two functions, NAME_state() and NAME_seen(): the state of a reaction point, a struct NAME.
 */
#define REACTION_STATE(name)                                                                    \
	_Static_assert(sizeof(struct name) <= FCN_REACTION_STATE_WORDS * 8, "no room");         \
	static inline __rte_unused struct name *name##_state(struct fcn_reaction *r)            \
	{                                                                                       \
		return (struct name *)r->state;                                                 \
	}                                                                                       \
	static inline __rte_unused const struct name *name##_seen(const struct fcn_reaction *r) \
	{                                                                                       \
		return (const struct name *)r->state;                                           \
	}

/* A row of a table of parameters: a member of struct NAME_conf. */
#define REACTION_PARAMETER(name, word, unit, member, least, most, help)                         \
	{                                                                                       \
		word, FCN_REACTION_##unit, offsetof(struct name##_conf, member),                \
				sizeof(((struct name##_conf *)NULL)->member), least, most, help \
	}

/* The time ns after now; FCN_REACTION_NEVER when it overflows. */
static inline uint64_t
reaction_after(uint64_t now, uint64_t ns)
{
	return ns > FCN_REACTION_NEVER - now ? FCN_REACTION_NEVER : now + ns;
}

/*
 * The minimum rate that is applied: at least 1, as a pacer cannot divide by 0, and at most the line
 * rate.
 */
static inline uint64_t
reaction_min_rate(const struct fcn_reaction *r, uint64_t min_rate_bps)
{
	if (min_rate_bps > r->line_bps)
		return r->line_bps;
	return min_rate_bps == 0 ? 1 : min_rate_bps;
}

/*
 * Whether a cut is allowed now, one in a guard time; if so, start that. Otherwise the notices that
 * arrive before the first cut takes effect would reduce the rate to almost nothing.
 */
static inline bool
reaction_guard_pass(uint64_t *until, uint64_t guard_ns, uint64_t rtt_ns, uint64_t now)
{
	if (now < *until)
		return false;
	if (guard_ns == 0)
		guard_ns = RTE_MAX(rtt_ns, 4 * REACTION_US);
	*until = reaction_after(now, guard_ns);
	return true;
}

#endif /* REACTION_PRIVATE_H */
