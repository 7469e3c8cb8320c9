/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "session.h"

#include <stddef.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
#define CONFIRM_SIZE 20 /* octets of a CONFIRM, for which there is always room */

void
session_init(struct session *s, uint64_t now_ns)
{
	memset(s, 0, offsetof(struct session, in));
	s->heard_ns = s->confirm_ns = s->now_ns = now_ns;
}

const char *
session_end_text(enum session_end end)
{
	switch (end) {
#define TEXT(sym, name, text) \
	case SESSION_##sym:   \
		return (text);
		SESSION_ENDS(TEXT)
#undef TEXT
	default:
		return "it goes on";
	}
}

/* ---- output ---- */

static void
write_confirm(struct session *s)
{
	const struct fcn_host_report_record record = {.type = FCN_HOST_REPORT_CONFIRM,
			.number = s->read_number,
			.in_force = s->force_number};

	if (!s->is_confirm_due || s->out_len + FCN_HOST_REPORT_SIZE > sizeof(s->out))
		return;
	s->out_len += fcn_host_report_write(&record, s->out + s->out_len);
	s->confirm_ns = s->now_ns;
	s->is_confirm_due = false;
}

static void
write_refused(struct session *s, uint8_t reason, const struct fcn_host_report_qp *qp)
{
	struct fcn_host_report_record record = {.type = FCN_HOST_REPORT_REFUSED, .reason = reason};

	if (qp != NULL)
		record.qp = *qp;
	if (s->now_ns - s->refusals_ns >= SECOND_NS) {
		s->refusals_ns = s->now_ns;
		s->refusals = 0;
	}
	if (s->refusals >= SESSION_REFUSALS ||
			s->out_len + FCN_HOST_REPORT_SIZE + CONFIRM_SIZE > sizeof(s->out))
		return;
	s->refusals++;
	s->out_len += fcn_host_report_write(&record, s->out + s->out_len);
}

void
session_sent(struct session *s, size_t len)
{
	s->out_len -= len;
	memmove(s->out, s->out + len, s->out_len);
	write_confirm(s);
}

/* ---- what is in force ---- */

void
session_moved(void *arg)
{
	struct session *s = arg;
	unsigned int n = 0;

	while (n < s->n_marks && hosts_is_in_force(s->host, s->mark[n].mark))
		n++;
	if (n == 0)
		return;
	s->force_number = s->mark[n - 1].number;
	s->n_marks -= n;
	memmove(s->mark, s->mark + n, s->n_marks * sizeof(s->mark[0]));
	s->is_confirm_due = true;
	write_confirm(s);
}

/* @return whether the number rises, as it must */
static bool
take_sync(struct session *s, uint64_t number)
{
	if (number <= s->read_number)
		return false;
	s->read_number = number;
	s->is_confirm_due = true;
	/* The last one includes those before it. */
	if (s->n_marks == SESSION_MARKS)
		s->n_marks--;
	s->mark[s->n_marks++] = (struct session_mark){number, hosts_mark(s->host)};
	session_moved(s);
	write_confirm(s);
	return true;
}

/* ---- refusals ---- */

void
session_refused(void *arg, const struct fcn_host_report_qp *qp, const char *text)
{
	struct session *s = arg;

	s->counters->by_switch++;
	s->log(s->log_arg, &s->counters->by_switch, "the switch refuses a queue pair", text);
	write_refused(s, FCN_HOST_REPORT_REASON_SWITCH, qp);
}

static void
refuse(struct session *s, uint8_t reason, const struct fcn_host_report_qp *qp)
{
	const struct fcn_addr local = fcn_addr_unmap(qp->local);
	uint64_t *counter = &s->counters->invalid;
	char text[FCN_ADDR_STRLEN];

	if (reason == FCN_HOST_REPORT_REASON_ADDRESS)
		counter = &s->counters->address;
	else if (reason == FCN_HOST_REPORT_REASON_ENTRIES)
		counter = &s->counters->entries;
	else if (reason == FCN_HOST_REPORT_REASON_TOTAL)
		counter = &s->counters->total;
	(*counter)++;
	s->log(s->log_arg, counter, fcn_host_report_reason_text(reason),
			fcn_addr_format(&local, text, sizeof(text)));
	write_refused(s, reason, qp);
}

/* ---- input ---- */

static enum session_end
take_hello(struct session *s, const struct fcn_host_report_record *record)
{
	if (record->type != FCN_HOST_REPORT_HELLO)
		return SESSION_ORDER;
	if (record->version != FCN_HOST_REPORT_VERSION) {
		write_refused(s, FCN_HOST_REPORT_REASON_VERSION, NULL);
		return SESSION_VERSION;
	}
	s->state = SESSION_BEGIN;
	return SESSION_GOES_ON;
}

static void
take_add(struct session *s, const struct fcn_host_report_qp *qp)
{
	const uint8_t reason = hosts_add(s->host, qp);

	if (reason == 0)
		s->counters->added++;
	else
		refuse(s, reason, qp);
}

static enum session_end
take_record(struct session *s, const struct fcn_host_report_record *record)
{
	if (s->state == SESSION_HELLO)
		return take_hello(s, record);
	switch (record->type) {
	case FCN_HOST_REPORT_BEGIN:
		hosts_begin_full(s->host);
		s->state = SESSION_FULL;
		return SESSION_GOES_ON;
	case FCN_HOST_REPORT_END:
		if (s->state != SESSION_FULL)
			return SESSION_ORDER;
		hosts_end_full(s->host, s->now_ns);
		s->state = SESSION_LIVE;
		return SESSION_GOES_ON;
	case FCN_HOST_REPORT_ADD:
	case FCN_HOST_REPORT_REMOVE:
		if (s->state == SESSION_BEGIN)
			return SESSION_ORDER;
		if (record->type == FCN_HOST_REPORT_ADD)
			take_add(s, &record->qp);
		else if (hosts_remove(s->host, &record->qp))
			s->counters->removed++;
		else
			s->counters->not_there++;
		return SESSION_GOES_ON;
	case FCN_HOST_REPORT_SYNC:
		return take_sync(s, record->number) ? SESSION_GOES_ON : SESSION_ORDER;
	case FCN_HOST_REPORT_HELLO:
	case FCN_HOST_REPORT_CONFIRM:
	case FCN_HOST_REPORT_REFUSED:
		break;
	}
	return SESSION_ORDER;
}

/* Tell whether the host may have a record processed now. */
static bool
may_go_on(struct session *s, const struct fcn_host_report_record *record)
{
	const uint32_t cost = record->type == FCN_HOST_REPORT_END ? hosts_cost(s->host) : 1;
	const uint64_t until = hosts_take(s->host, cost, s->now_ns);

	if (until == 0)
		return true;
	if (s->wait_ns == 0) {
		s->counters->changes++;
		s->log(s->log_arg, &s->counters->changes,
				"it sends more than --changes permits, and has to wait", NULL);
	}
	s->wait_ns = until;
	return false;
}

static enum session_end
process(struct session *s)
{
	enum session_end end = SESSION_GOES_ON;
	size_t at = 0;

	while (end == SESSION_GOES_ON) {
		struct fcn_host_report_record record;
		const int n = fcn_host_report_read(s->in + at, s->in_len - at, &record);

		if (n < 0)
			return SESSION_FORMAT;
		if (n == 0) {
			s->wait_ns = 0;
			break;
		}
		if (!may_go_on(s, &record))
			break;
		end = take_record(s, &record);
		at += (size_t)n;
	}
	s->in_len -= at;
	memmove(s->in, s->in + at, s->in_len);
	return end;
}

size_t
session_room(struct session *s, uint8_t **place)
{
	*place = s->in + s->in_len;
	return s->wait_ns != 0 ? 0 : sizeof(s->in) - s->in_len;
}

enum session_end
session_input(struct session *s, size_t len, uint64_t now_ns)
{
	s->now_ns = s->heard_ns = now_ns;
	s->in_len += len;
	return process(s);
}

enum session_end
session_run(struct session *s, uint64_t silence_ns, uint64_t now_ns)
{
	s->now_ns = now_ns;
	if (s->wait_ns != 0 && s->wait_ns <= now_ns) {
		s->heard_ns = now_ns; /* it was not listened to */
		return process(s);
	}
	if (s->wait_ns == 0 && now_ns - s->heard_ns >= silence_ns)
		return SESSION_SILENT;
	if (now_ns - s->confirm_ns >= SESSION_CONFIRM_NS) {
		s->is_confirm_due = true;
		write_confirm(s);
	}
	return SESSION_GOES_ON;
}

uint64_t
session_due(const struct session *s, uint64_t silence_ns)
{
	const uint64_t silent_ns = s->heard_ns + silence_ns;
	uint64_t due = s->confirm_ns + SESSION_CONFIRM_NS;

	if (s->is_confirm_due) /* there is no room for one until the host reads */
		due = UINT64_MAX;
	if (s->wait_ns != 0)
		return s->wait_ns < due ? s->wait_ns : due;
	return silent_ns < due ? silent_ns : due;
}
