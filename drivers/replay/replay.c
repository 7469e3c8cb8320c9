/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include <rte_string_fns.h>

#include "replay_impl.h"

struct fcn_replay *
fcn_replay_create(double speed)
{
	struct fcn_replay *replay = calloc(1, sizeof(*replay));

	if (replay == NULL)
		return NULL;
	if (!replay_speed_set(&replay->speed, speed)) {
		free(replay);
		return NULL;
	}
	STAILQ_INIT(&replay->ports);
	STAILQ_INIT(&replay->mirrors);
	STAILQ_INIT(&replay->files);
	STAILQ_INIT(&replay->broken);
	return replay;
}

void
fcn_replay_free(struct fcn_replay *replay)
{
	struct fcn_replay_port *port;
	struct replay_input *in;

	if (replay == NULL)
		return;
	while ((port = STAILQ_FIRST(&replay->ports)) != NULL) {
		STAILQ_REMOVE_HEAD(&replay->ports, next);
		while ((in = STAILQ_FIRST(&port->inputs)) != NULL) {
			STAILQ_REMOVE_HEAD(&port->inputs, next);
			replay_input_close(in);
		}
		if (port->out != NULL)
			replay_output_close(port->out);
		free(port);
	}
	while ((in = STAILQ_FIRST(&replay->mirrors)) != NULL) {
		STAILQ_REMOVE_HEAD(&replay->mirrors, next);
		replay_input_close(in);
	}
	free(replay);
}

void
fcn_replay_pad(struct fcn_replay *replay)
{
	replay->pad = true;
}

void
fcn_replay_watch(struct fcn_replay *replay, const struct fcn_replay_watch *watch)
{
	replay->watch = *watch;
}

struct fcn_replay_port *
fcn_replay_port_add(struct fcn_replay *replay, const char *name, uint64_t link_bps,
		struct rte_mempool *pool)
{
	struct fcn_replay_port *port;

	if (link_bps == 0 ||
			(pool != NULL && rte_pktmbuf_data_room_size(pool) <= RTE_PKTMBUF_HEADROOM))
		return NULL;
	port = calloc(1, sizeof(*port));
	if (port == NULL)
		return NULL;
	port->replay = replay;
	strlcpy(port->name, name, sizeof(port->name));
	port->pool = pool;
	port->serializer.bps = link_bps;
	STAILQ_INIT(&port->inputs);
	STAILQ_INSERT_TAIL(&replay->ports, port, next);
	return port;
}

void
fcn_replay_port_link(struct fcn_replay_port *port, uint64_t link_bps)
{
	fcn_serializer_speed(&port->serializer, link_bps);
}

void
fcn_replay_begin(struct fcn_replay *replay)
{
	struct fcn_replay_port *port;
	struct replay_input *in;
	uint64_t base = UINT64_MAX;

	if (replay->begun)
		return;
	STAILQ_FOREACH (port, &replay->ports, next)
		STAILQ_FOREACH (in, &port->inputs, next)
			if (in->ready)
				base = RTE_MIN(base, in->stamp);
	STAILQ_FOREACH (in, &replay->mirrors, next)
		if (in->ready)
			base = RTE_MIN(base, in->stamp);
	replay->base = base != UINT64_MAX ? base : 0;
	replay->begun = true;
	STAILQ_FOREACH (in, &replay->mirrors, next)
		if (in->ready)
			replay_input_arrival(in);
	STAILQ_FOREACH (port, &replay->ports, next) {
		STAILQ_FOREACH (in, &port->inputs, next)
			if (in->ready)
				replay_input_arrival(in);
		replay_port_choose(port);
	}
}

uint64_t
fcn_replay_next_arrival(const struct fcn_replay *replay)
{
	const struct fcn_replay_port *port;
	uint64_t next = FCN_TIME_NEVER;

	STAILQ_FOREACH (port, &replay->ports, next)
		if (port->head != NULL)
			next = RTE_MIN(next, port->head->arrival);
	return next;
}

uint64_t
fcn_replay_base(const struct fcn_replay *replay)
{
	return replay->base;
}

int
fcn_replay_flush(struct fcn_replay *replay)
{
	struct fcn_replay_port *port;
	int rc = 0;

	STAILQ_FOREACH (port, &replay->ports, next)
		if (port->out != NULL && replay_output_flush(port) != 0)
			rc = -EIO;
	return rc;
}

void
fcn_replay_port_stats(const struct fcn_replay_port *port, struct fcn_replay_stats *stats)
{
	*stats = port->stats;
}

void
fcn_replay_mirror_stats(const struct fcn_replay *replay, struct fcn_replay_stats *stats)
{
	*stats = replay->mirror_stats;
}

const char *
fcn_replay_port_name(const struct fcn_replay_port *port)
{
	return port->name;
}

const char *
fcn_replay_error(const struct fcn_replay *replay, unsigned int i)
{
	const struct replay_file *file;

	STAILQ_FOREACH (file, &replay->broken, next_broken)
		if (i-- == 0)
			return file->error;
	return NULL;
}

uint64_t
fcn_replay_port_last_departure(const struct fcn_replay_port *port)
{
	return port->last_departure;
}
