/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Reaction points: the list of kinds, and calls of their functions. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "reaction_private.h"

static const struct {
	const char *name;
	const struct fcn_reaction_type *type;
} kinds[FCN_REACTION_COUNT] = {
#define KIND(sym, name) [FCN_REACTION_##sym] = {#name, &reaction_type_##name},
		FCN_REACTIONS(KIND)
#undef KIND
};

const struct fcn_reaction_type *
fcn_reaction_type(enum fcn_reaction_kind kind)
{
	return kinds[kind].type;
}

const char *
fcn_reaction_name(enum fcn_reaction_kind kind)
{
	return kinds[kind].name;
}

static const struct fcn_reaction_type *
type_of(const struct fcn_reaction *r)
{
	return kinds[r->conf->kind].type;
}

void
fcn_reaction_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	*conf = (struct fcn_reaction_conf){.kind = FCN_REACTION_NONE};
	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++)
		if (kinds[kind].type->defaults != NULL)
			kinds[kind].type->defaults(conf, line_bps);
}

static const struct fcn_reaction_parameter *
find(const struct fcn_reaction_parameter *list, unsigned int n, const char *word)
{
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(list[i].word, word) == 0)
			return &list[i];
	return NULL;
}

static uint64_t
load(const void *from, size_t size)
{
	uint64_t v64 = 0;
	uint32_t v32;

	if (size == sizeof(v32)) {
		memcpy(&v32, from, sizeof(v32));
		return v32;
	}
	if (size == sizeof(v64))
		memcpy(&v64, from, sizeof(v64));
	else
		v64 = *(const uint8_t *)from;
	return v64;
}

static void
store(void *to, size_t size, uint64_t value)
{
	uint32_t v32 = (uint32_t)value;

	if (size == sizeof(v32))
		memcpy(to, &v32, sizeof(v32));
	else if (size == sizeof(value))
		memcpy(to, &value, sizeof(value));
	else
		*(uint8_t *)to = (uint8_t)value;
}

const struct fcn_reaction_parameter *
fcn_reaction_parameter(const struct fcn_reaction_conf *conf, enum fcn_reaction_kind kind,
		const char *word, uint64_t *value)
{
	const struct fcn_reaction_type *type = kinds[kind].type;
	const struct fcn_reaction_parameter *p = find(type->arguments, type->n_arguments, word);

	if (p == NULL)
		p = find(type->settings, type->n_settings, word);
	if (p != NULL && value != NULL)
		*value = load((const char *)conf->of[kind] + p->offset, p->size);
	return p;
}

int
fcn_reaction_set(struct fcn_reaction_conf *conf, enum fcn_reaction_kind kind, const char *word,
		uint64_t value)
{
	const struct fcn_reaction_parameter *p = fcn_reaction_parameter(conf, kind, word, NULL);

	if (p == NULL)
		return -ENOENT;
	store((char *)conf->of[kind] + p->offset, p->size, value);
	return 0;
}

static uint64_t
possible(uint64_t line_bps)
{
	line_bps = RTE_MAX(line_bps, UINT64_C(1));
	return RTE_MIN(line_bps, REACTION_MAX_BPS);
}

void
fcn_reaction_line(struct fcn_reaction *r, uint64_t line_bps, uint64_t now)
{
	const uint64_t before = r->line_bps;

	fcn_reaction_timers(r, now);
	r->line_bps = possible(line_bps);
	if (r->rate_bps == before || r->rate_bps > r->line_bps)
		r->rate_bps = r->line_bps;
	if (type_of(r)->line != NULL)
		type_of(r)->line(r, before, now);
}

void
fcn_reaction_init(struct fcn_reaction *r, const struct fcn_reaction_conf *conf, uint64_t line_bps,
		uint32_t packet, uint64_t now)
{
	line_bps = possible(line_bps);
	*r = (struct fcn_reaction){
			.rate_bps = line_bps,
			.window = FCN_WINDOW_NONE,
			.line_bps = line_bps,
			.packet = packet,
			.conf = conf,
	};
	if (type_of(r)->init != NULL)
		type_of(r)->init(r, now);
}

void
fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	fcn_reaction_timers(r, now);
	if (type_of(r)->cnp != NULL)
		type_of(r)->cnp(r, level, now);
}

int
fcn_reaction_level(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace)
{
	return type_of(r)->level != NULL ? type_of(r)->level(r, trace) : -1;
}

void
fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now)
{
	if (type_of(r)->trace != NULL)
		type_of(r)->trace(r, trace, early, full, now);
}

void
fcn_reaction_ack(struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now)
{
	fcn_reaction_timers(r, now);
	if (type_of(r)->ack != NULL)
		type_of(r)->ack(r, ack, now);
}

void
fcn_reaction_loss(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now)
{
	fcn_reaction_timers(r, now);
	if (type_of(r)->loss != NULL)
		type_of(r)->loss(r, timeout, bytes, now);
}

bool
fcn_reaction_wants_acks(const struct fcn_reaction_conf *conf)
{
	return kinds[conf->kind].type->ack != NULL;
}

void
fcn_reaction_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now)
{
	fcn_reaction_timers(r, now);
	if (type_of(r)->sent != NULL)
		type_of(r)->sent(r, bytes, now);
}

uint64_t
fcn_reaction_next(const struct fcn_reaction *r)
{
	return type_of(r)->next != NULL ? type_of(r)->next(r) : FCN_REACTION_NEVER;
}

void
fcn_reaction_timers(struct fcn_reaction *r, uint64_t now)
{
	if (type_of(r)->timers != NULL)
		type_of(r)->timers(r, now);
}

uint32_t
fcn_reaction_alpha(const struct fcn_reaction *r)
{
	return type_of(r)->alpha != NULL ? type_of(r)->alpha(r) : 0;
}
