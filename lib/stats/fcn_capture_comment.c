/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdarg.h>
#include <stdio.h>

#include "fcn_arn_sender.h"
#include "fcn_capture_comment.h"
#include "fcn_proxy_conf.h"

struct text {
	char *buf;
	size_t len;
};

static void __rte_format_printf(2, 3) say(struct text *t, const char *fmt, ...)
{
	const size_t room = FCN_CAPTURE_COMMENT_MAX - t->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->len, room, fmt, args);
	va_end(args);
	if (n > 0)
		t->len += RTE_MIN((size_t)n, room - 1);
}

/* The reasons have the same words as in `show arn sent`. */
static void
put_arn(struct text *t, const struct fcn_capture_record *r, const struct fcn_capture_names *names)
{
	const char *before = " (";

	say(t, "adaptive routing notification: %s for %s class %u",
			r->reasons != 0 ? "halt" : "end of the halt",
			names->port(names->arg, r->cause_port), r->cause_class);
	if (r->reasons == 0)
		return;
#define PUT(sym, bit, name)                \
	if (r->reasons & (bit)) {          \
		say(t, "%s" name, before); \
		before = ", ";             \
	}
	FCN_ARN_REASONS(PUT)
#undef PUT
	say(t, "), level %d", r->level);
}

static void
put_origin(struct text *t, const struct fcn_capture_record *r,
		const struct fcn_capture_names *names)
{
	switch ((enum fcn_capture_origin)r->origin) {
	case FCN_CAPTURE_FORWARDED:
		break;
	case FCN_CAPTURE_NOTICE:
		say(t, "%s", fcn_notice_kind_of(r->kind)->title);
		if (r->cause_class != FCN_CAPTURE_NO_CLASS)
			say(t, " for congestion of %s class %u, level %d, %u bytes queued",
					names->port(names->arg, r->cause_port), r->cause_class,
					r->level, r->occupancy);
		break;
	case FCN_CAPTURE_PAUSE:
		say(t, "PFC pause");
		break;
	case FCN_CAPTURE_HOST:
		say(t, "made by the host functions");
		break;
	case FCN_CAPTURE_ARN:
		put_arn(t, r, names);
		break;
	case FCN_CAPTURE_PROXY:
		say(t, "made by the proxy: congestion level %d, translated into %s", r->level,
				fcn_proxy_translation_text(r->kind));
		break;
	case FCN_CAPTURE_TRIMMED:
		say(t, "trimmed, of %u bytes: %s (%s), port %s class %u", r->occupancy,
				fcn_drop_name(r->kind), fcn_drop_text(r->kind),
				names->port(names->arg, r->cause_port), r->cause_class);
		break;
	}
}

static void
put_drop(struct text *t, const struct fcn_capture_record *r, const struct fcn_capture_names *names)
{
	say(t, "%sdropped: %s (%s)", t->len != 0 ? "; " : "", fcn_drop_name(r->reason),
			fcn_drop_text(r->reason));
	if (r->class != FCN_CAPTURE_NO_CLASS)
		say(t, ", port %s class %u", names->port(names->arg, r->out_port), r->class);
}

const char *
fcn_capture_comment(const struct fcn_capture_record *r, const struct fcn_capture_names *names,
		char buf[FCN_CAPTURE_COMMENT_MAX])
{
	struct text t = {.buf = buf};

	put_origin(&t, r, names);
	if (r->point == FCN_CAPTURE_DROP)
		put_drop(&t, r, names);
	return t.len != 0 ? buf : NULL;
}
