/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <bsd/string.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "telemetry.h"

/* Time for which a client of telemetry waits. Telemetry serves no other client meanwhile. */
#define TIMEOUT_MS 1000

/* DPDK passes no argument to callbacks, so this exists once in a process. */
static struct {
	pthread_mutex_t lock;
	struct fcn_control_rpc *rpc; /* NULL: the switch is not running */
	const struct fcn_show_source *source;
} telemetry = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct question {
	char show[32];
	char params[128];
};

/* Runs on the control thread. */
static void *
answer(void *source, const void *question)
{
	const struct question *q = question;

	return fcn_show_by_name(source, q->show, q->params);
}

static void
free_answer(void *value)
{
	json_decref(value);
}

/* Runs on telemetry's thread. */
static json_t *
ask(const char *cmd, const char *params)
{
	struct question q = {0};
	const struct fcn_show_source *source;
	struct fcn_control_rpc *rpc;
	json_t *value;

	if (params != NULL && strlcpy(q.params, params, sizeof(q.params)) >= sizeof(q.params))
		return json_pack("{s:s}", "error", "parameters are too long");
	strlcpy(q.show, cmd + strlen(FCN_SHOW_TELEMETRY_PREFIX), sizeof(q.show));
	pthread_mutex_lock(&telemetry.lock);
	rpc = telemetry.rpc != NULL ? fcn_control_rpc_ref(telemetry.rpc) : NULL;
	source = telemetry.source;
	pthread_mutex_unlock(&telemetry.lock);
	if (rpc == NULL)
		return json_pack("{s:s}", "error", "the switch is not running");
	value = fcn_control_rpc_call(rpc, answer, (void *)(uintptr_t)source, &q, sizeof(q),
			free_answer, TIMEOUT_MS);
	fcn_control_rpc_unref(rpc);
	if (value == NULL)
		value = json_pack("{s:s}", "error", "the switch had no time to answer");
	return value;
}

static int
handle(const char *cmd, const char *params, struct rte_tel_data *data)
{
	json_t *value = ask(cmd, params);
	int rc = value == NULL ? -ENOMEM : fcn_telemetry_put(data, value);

	json_decref(value);
	return rc;
}

static int
register_commands(void)
{
	static bool done;
	char cmd[64], help[128];

	for (const struct fcn_show *s = fcn_shows; s->name != NULL && !done; s++) {
		int rc;

		if (!s->bounded)
			continue;
		fcn_show_telemetry_command(s, cmd, sizeof(cmd));
		snprintf(help, sizeof(help), "%s.%s%s", s->help,
				s->parameters != NULL ? " Optional parameters: " : "",
				s->parameters != NULL ? s->parameters : "");
		rc = rte_telemetry_register_cmd(cmd, handle, help);
		if (rc != 0)
			return rc;
	}
	done = true;
	return 0;
}

int
fcn_telemetry_open(struct fcn_control_rpc *rpc, const struct fcn_show_source *source)
{
	fcn_telemetry_close();
	pthread_mutex_lock(&telemetry.lock);
	telemetry.rpc = fcn_control_rpc_ref(rpc);
	telemetry.source = source;
	pthread_mutex_unlock(&telemetry.lock);
	return register_commands();
}

void
fcn_telemetry_close(void)
{
	pthread_mutex_lock(&telemetry.lock);
	fcn_control_rpc_unref(telemetry.rpc);
	telemetry.rpc = NULL;
	pthread_mutex_unlock(&telemetry.lock);
}
