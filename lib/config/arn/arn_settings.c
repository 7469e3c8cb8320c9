/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of precise flow control by Adaptive Routing Notifications. */

#include <string.h>

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

/* Show a token bucket as text; v is its rate. */
static json_t *
bucket(const struct fcn_setting_value *v, const void *object)
{
	struct fcn_config_bucket b;

	memcpy(&b, (const char *)object + v->offset - offsetof(struct fcn_config_bucket, rate),
			sizeof(b));
	if (b.rate == 0)
		return json_string("off");
	return json_sprintf("%llu/s, burst %u", (unsigned long long)b.rate, b.burst);
}

/* A token bucket: messages per second, and a burst. */
#define BUCKET(which, shown, rate_, burst_)                                                    \
	COUNT("rate", arn.which.rate, 1, 1000000000, "a rate of messages a second",            \
			.initial = rate_, .special = {OR("off", 0, "There is no such limit")}, \
			SHOW(shown), .form = bucket),                                          \
			COUNT("burst", arn.which.burst, 1, 1000000, "a burst of messages",     \
					.word = "burst", .initial = burst_,                    \
					NOT_SHOWN("it is shown together with its rate"))

static const struct fcn_setting settings[] = {
		{"port",
				"UDP port of adaptive routing notifications (ARN). IANA has not "
				"assigned a value yet. Without it, none are sent or accepted",
				{NUMBER("number", arn.port, 1, UINT16_MAX, "a UDP port",
						SHOW("port"), NULL_IF(0),
						.special = {OR("off", 0,
								"No adaptive routing notifications "
								"are sent or accepted")})}},
		{"send",
				"Send adaptive routing notifications to the upstream neighbours "
				"while class queues with arn are congested. This needs a loopback "
				"address and a port",
				{SWITCH(arn.send, SHOW("send"))}},
		{"bucket queue",
				"Maximum number of messages per second for congestion of one "
				"queue, and maximum number at once",
				{BUCKET(queue_bucket, "queue_bucket", 1000000, 512)}},
		{"bucket global",
				"Maximum number of messages per second, and maximum number at "
				"once",
				{BUCKET(global_bucket, "global_bucket", 10000000, 2048)}},
		{"bucket neighbour",
				"Maximum number of messages per second to one neighbour, and "
				"maximum number at once",
				{BUCKET(neighbour_bucket, "neighbour_bucket", 1000000, 512)}},
};

const struct fcn_setting_scope fcn_arn_scope = {
		.title = "Precise flow control",
		.syntax = "set arn",
		.show = "arn",
		FCN_SETTING_TABLE(settings),
};
