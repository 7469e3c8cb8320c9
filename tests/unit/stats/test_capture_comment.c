/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The comments of a capture file: who made a packet, and why one was dropped. */

#include "fcn_arn_sender.h"
#include "fcn_capture_comment.h"
#include "fcn_drop.h"
#include "fcn_proxy_conf.h"
#include "fcn_test.h"

static char text[FCN_CAPTURE_COMMENT_MAX];

static const char *
port_name(void *arg, unsigned int port)
{
	static char name[8];

	assert_ptr_equal(arg, text);
	snprintf(name, sizeof(name), "p%u", port);
	return name;
}

static const char *
comment(const struct fcn_capture_record *r)
{
	const struct fcn_capture_names names = {.port = port_name, .arg = text};

	memset(text, '?', sizeof(text));
	return fcn_capture_comment(r, &names, text);
}

TEST(origins)
{
	struct fcn_capture_record r = {.point = FCN_CAPTURE_TX,
			.origin = FCN_CAPTURE_FORWARDED,
			.cause_class = FCN_CAPTURE_NO_CLASS,
			.class = FCN_CAPTURE_NO_CLASS};

	assert_null(comment(&r));
	r.origin = FCN_CAPTURE_PAUSE;
	assert_string_equal(comment(&r), "PFC pause");
	r.origin = FCN_CAPTURE_HOST;
	assert_string_equal(comment(&r), "made by the host functions");
	r.origin = FCN_CAPTURE_NOTICE;
	assert_string_equal(comment(&r), "Fast CNP");
	r.cause_port = 3;
	r.cause_class = 5;
	r.level = 2;
	r.occupancy = 123456;
	assert_string_equal(comment(&r),
			"Fast CNP for congestion of p3 class 5, level 2, 123456 bytes queued");
	r.origin = FCN_CAPTURE_ARN;
	r.reasons = FCN_ARN_REASON_CONGESTED;
	assert_string_equal(comment(&r), "adaptive routing notification: halt for p3 class 5 "
					 "(congested), level 2");
	r.reasons = FCN_ARN_REASON_PAUSED | FCN_ARN_REASON_HELD;
	assert_string_equal(comment(&r), "adaptive routing notification: halt for p3 class 5 "
					 "(paused, held), level 2");
	r.reasons = 0;
	assert_string_equal(comment(&r),
			"adaptive routing notification: end of the halt for p3 class 5");
	r.origin = FCN_CAPTURE_PROXY;
	r.kind = FCN_PROXY_CNP;
	r.level = 7;
	assert_string_equal(comment(&r), "made by the proxy: congestion level 7, translated into "
					 "CNPs in the name of the receiver");
	r.origin = FCN_CAPTURE_TRIMMED;
	r.kind = FCN_DROP_QUEUE_BYTES;
	r.occupancy = 4182;
	assert_string_equal(comment(&r), "trimmed, of 4182 bytes: queue_bytes (tail drop: the "
					 "queue is at its limit in bytes), port p3 class 5");
}

TEST(drops)
{
	struct fcn_capture_record r = {.point = FCN_CAPTURE_DROP,
			.origin = FCN_CAPTURE_FORWARDED,
			.reason = FCN_DROP_NO_ROUTE,
			.class = FCN_CAPTURE_NO_CLASS};
	char want[FCN_CAPTURE_COMMENT_MAX];

	snprintf(want, sizeof(want), "dropped: no_route (%s)", fcn_drop_text(FCN_DROP_NO_ROUTE));
	assert_string_equal(comment(&r), want);
	r.out_port = 7;
	r.class = 4;
	snprintf(want, sizeof(want), "dropped: no_route (%s), port p7 class 4",
			fcn_drop_text(FCN_DROP_NO_ROUTE));
	assert_string_equal(comment(&r), want);
	r.origin = FCN_CAPTURE_HOST;
	r.class = FCN_CAPTURE_NO_CLASS;
	snprintf(want, sizeof(want), "made by the host functions; dropped: no_route (%s)",
			fcn_drop_text(FCN_DROP_NO_ROUTE));
	assert_string_equal(comment(&r), want);
}

static const char *
long_name(void *arg, unsigned int port)
{
	(void)port;
	return arg;
}

/* Names of any length: the comment is cut off and has its terminator. */
TEST(cut_off)
{
	const struct fcn_capture_record r = {.point = FCN_CAPTURE_DROP,
			.origin = FCN_CAPTURE_NOTICE,
			.reason = FCN_DROP_NO_ROUTE};
	struct {
		char buf[FCN_CAPTURE_COMMENT_MAX];
		char behind[8];
	} out;
	char name[500];
	const struct fcn_capture_names names = {.port = long_name, .arg = name};

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(&out, '?', sizeof(out));
	assert_ptr_equal(fcn_capture_comment(&r, &names, out.buf), out.buf);
	assert_int_equal(strnlen(out.buf, sizeof(out.buf)), FCN_CAPTURE_COMMENT_MAX - 1);
	assert_memory_equal(out.behind, "????????", sizeof(out.behind));
}
