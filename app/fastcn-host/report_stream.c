/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "report_stream.h"

#include <errno.h>
#include <string.h>

static void
put(struct report_stream *s, const struct fcn_host_report_record *record)
{
	s->out_len += fcn_host_report_write(record, s->out + s->out_len);
}

static bool
has_room(const struct report_stream *s)
{
	return s->out_len + FCN_HOST_REPORT_SIZE <= sizeof(s->out);
}

static void
begin_full(struct report_stream *s)
{
	report_table_begin(s->table);
	put(s, &(struct fcn_host_report_record){.type = FCN_HOST_REPORT_BEGIN});
	s->is_changed = true;
	s->again_ms = 0;
}

void
report_stream_begin(struct report_stream *s, uint64_t now_ms)
{
	s->heard_ms = s->sync_ms = now_ms;
	s->said = s->in_force = 0;
	s->is_heard = false;
	s->in_len = s->out_len = 0;
	report_table_begin(s->table);
	put(s, &(struct fcn_host_report_record){
			       .type = FCN_HOST_REPORT_HELLO, .version = FCN_HOST_REPORT_VERSION});
	put(s, &(struct fcn_host_report_record){.type = FCN_HOST_REPORT_BEGIN});
	s->is_changed = true;
}

/* When the next SYNC is to be written: soon after all changes were. */
static uint64_t
sync_due(const struct report_stream *s)
{
	const bool is_soon = s->is_changed && !report_table_has_more(s->table);

	if (s->said == 0 && is_soon)
		return 0;
	return s->sync_ms + (is_soon ? STREAM_SYNC_LEAST_MS : STREAM_SYNC_MS);
}

void
report_stream_write(struct report_stream *s, uint64_t now_ms)
{
	struct fcn_host_report_record record;

	if (s->again_ms != 0 && s->again_ms <= now_ms && has_room(s))
		begin_full(s);
	while (has_room(s) && report_table_next(s->table, &record)) {
		put(s, &record);
		s->is_changed = true;
	}
	if (!has_room(s) || sync_due(s) > now_ms)
		return;
	put(s, &(struct fcn_host_report_record){.type = FCN_HOST_REPORT_SYNC, .number = ++s->said});
	s->sync_ms = now_ms;
	s->is_changed = report_table_has_more(s->table);
}

void
report_stream_sent(struct report_stream *s, size_t len)
{
	s->out_len -= len;
	memmove(s->out, s->out + len, s->out_len);
}

/* @return 0, -EBADMSG */
static int
take(struct report_stream *s, const struct fcn_host_report_record *record)
{
	switch (record->type) {
	case FCN_HOST_REPORT_CONFIRM:
		if (record->number > s->said || record->in_force < s->in_force)
			return -EBADMSG;
		s->in_force = record->in_force;
		return 0;
	case FCN_HOST_REPORT_REFUSED:
		s->refused++;
		s->reason = record->reason;
		/* The switch itself is asked again by fastcn-qpd. */
		if (s->again_ms == 0 &&
				(record->reason == FCN_HOST_REPORT_REASON_ENTRIES ||
						record->reason == FCN_HOST_REPORT_REASON_TOTAL))
			s->again_ms = s->heard_ms + STREAM_AGAIN_MS;
		return 0;
	default:
		return -EBADMSG;
	}
}

int
report_stream_input(struct report_stream *s, size_t len, uint64_t now_ms)
{
	struct fcn_host_report_record record;
	size_t at = 0;
	int n, rc = 0;

	s->heard_ms = now_ms;
	s->is_heard = true;
	s->in_len += len;
	while (rc == 0 && (n = fcn_host_report_read(s->in + at, s->in_len - at, &record)) != 0) {
		rc = n < 0 ? n : take(s, &record);
		at += n > 0 ? (size_t)n : 0;
	}
	s->in_len -= at;
	memmove(s->in, s->in + at, s->in_len);
	return rc;
}

bool
report_stream_is_silent(const struct report_stream *s, uint64_t now_ms)
{
	return now_ms - s->heard_ms >= STREAM_SILENCE_MS;
}

bool
report_stream_is_in_force(const struct report_stream *s)
{
	return s->said > 0 && s->in_force == s->said && !s->is_changed &&
	       !report_table_has_more(s->table);
}

uint64_t
report_stream_due(const struct report_stream *s)
{
	const uint64_t silent = s->heard_ms + STREAM_SILENCE_MS;
	uint64_t due = sync_due(s);

	if (!has_room(s)) /* the switch has to read first */
		return silent;
	if (report_table_has_more(s->table))
		return 0;
	if (s->again_ms != 0 && s->again_ms < due)
		due = s->again_ms;
	return due < silent ? due : silent;
}
