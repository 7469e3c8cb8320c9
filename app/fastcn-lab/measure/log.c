/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "log.h"

#define ROOM_MIN 65536

/* A call, behind which its data are. */
struct call {
	fcn_sim_order place; /* of the event that makes it */
	lab_log_fn fn;
	void *arg;
	size_t size; /* with the data, a multiple of the alignment */
};

struct lab_log {
	const struct fcn_sim *sim;
	uint8_t *data;
	size_t room, n, at; /* at: the next call of the replay */
	bool failed;
};

struct lab_log *
lab_log_create(const struct fcn_sim *sim)
{
	struct lab_log *log = calloc(1, sizeof(*log));

	if (log != NULL)
		log->sim = sim;
	return log;
}

void
lab_log_free(struct lab_log *log)
{
	if (log == NULL)
		return;
	free(log->data);
	free(log);
}

static bool
grow(struct lab_log *log, size_t size)
{
	const size_t room = RTE_MAX(2 * log->room, size + ROOM_MIN);
	uint8_t *data = realloc(log->data, room);

	if (data == NULL)
		return false;
	log->data = data;
	log->room = room;
	return true;
}

void
lab_log_call(struct lab_log *log, lab_log_fn fn, void *arg, const void *data, size_t size)
{
	const size_t whole = RTE_ALIGN_CEIL(sizeof(struct call) + size, sizeof(fcn_sim_order));
	struct call *call;

	if (log == NULL) {
		fn(arg, data);
		return;
	}
	if (log->n + whole > log->room && !grow(log, log->n + whole)) {
		log->failed = true;
		return;
	}
	call = (struct call *)(log->data + log->n);
	*call = (struct call){fcn_sim_place(log->sim), fn, arg, whole};
	memcpy(call + 1, data, size);
	log->n += whole;
}

static const struct call *
next_of(const struct lab_log *log)
{
	return log->at < log->n ? (const struct call *)(log->data + log->at) : NULL;
}

bool
lab_log_replay(struct lab_log *const *log, unsigned int n)
{
	bool complete = true;

	for (;;) {
		const struct call *first = NULL;
		unsigned int of = 0;

		for (unsigned int i = 0; i < n; i++) {
			const struct call *call = next_of(log[i]);

			if (call == NULL || (first != NULL && first->place <= call->place))
				continue;
			first = call;
			of = i;
		}
		if (first == NULL)
			break;
		log[of]->at += first->size;
		first->fn(first->arg, first + 1);
	}
	for (unsigned int i = 0; i < n; i++) {
		complete &= !log[i]->failed;
		log[i]->n = 0;
		log[i]->at = 0;
	}
	return complete;
}
