/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Every `show` of the list answers on the console, to programs and by DPDK's telemetry, with the
 * same value, and stands in the documentation.
 */

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_telemetry.h>

#include "app_util.h"
#include "fcn_exports.h"
#include "fcn_metrics.h"
#include "fcn_show_list.h"
#include "fcn_test.h"

int __wrap_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help);
int __wrap_fcn_telemetry_put(struct rte_tel_data *data, const json_t *value);

static struct fcn_exports *exports;
static struct fcn_show_source source;

/* What was registered with telemetry. */
static struct {
	char cmd[64];
	telemetry_cb fn;
} commands[64];
static unsigned int n_commands;

/* What telemetry's last command answered. */
static json_t *answer;

int
__wrap_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help)
{
	assert_true(n_commands < RTE_DIM(commands));
	assert_true(strlen(cmd) < sizeof(commands[0].cmd));
	/* telemetry cuts longer ones, and so does the buffer that this comes from */
	assert_true(strlen(help) < 127);
	strcpy(commands[n_commands].cmd, cmd);
	commands[n_commands++].fn = fn;
	return 0;
}

int
__wrap_fcn_telemetry_put(struct rte_tel_data *data, const json_t *value)
{
	RTE_SET_USED(data);
	answer = json_deep_copy(value);
	return 0;
}

static struct fcn_exports *
get_exports(void *arg)
{
	RTE_SET_USED(arg);
	return exports;
}

static const struct fcn_session_hooks hooks = {.exports = get_exports};

static int
setup(void **state)
{
	char err[256];

	if (app_setup(state) != 0)
		return -1;
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	source = (struct fcn_show_source){.ctl = platform.ctl, .exports = exports};
	session.hooks = &hooks;
	app_ok("port add p1");
	app_ok("bridge add br0");
	return exports == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	fcn_exports_free(exports);
	exports = NULL;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static json_t *
ask_console(const struct fcn_show *show)
{
	char line[128];
	json_t *v;

	snprintf(line, sizeof(line), "show %s", show->name);
	app_ok(line);
	snprintf(line, sizeof(line), "show %s json", show->name);
	app_ok(line);
	v = json_loads(app_output(), 0, NULL);
	assert_non_null(v);
	return v;
}

TEST(names)
{
	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		assert_ptr_equal(fcn_show_find(s->name), s); /* also: no name twice */
		assert_true(strlen(s->help) <= 90);
		assert_null(strchr(s->name, '_'));
	}
	assert_null(fcn_show_find("por"));
	assert_null(fcn_show_find("ports"));
	assert_null(fcn_show_find("route counts"));
	assert_string_equal(fcn_show_find("route_count")->name, "route count");
}

/* Programs get what the console says; of what has no bound, they get nothing. */
TEST(programs)
{
	unsigned int bounded = 0, unbounded = 0;

	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		json_t *program = fcn_show_by_name(&source, s->name, NULL);
		json_t *console = ask_console(s);

		assert_non_null(program);
		if (s->bounded) {
			assert_true(json_equal(program, console));
			bounded++;
		} else {
			assert_non_null(json_object_get(program, "error"));
			unbounded++;
		}
		json_decref(program);
		json_decref(console);
	}
	assert_true(bounded >= 25);
	assert_true(unbounded >= 5);
}

/* Telemetry's thread. */
struct call {
	unsigned int command;
	int rc;
	int done;
};

static void *
call_main(void *arg)
{
	struct call *call = arg;

	call->rc = commands[call->command].fn(commands[call->command].cmd, NULL, NULL);
	__atomic_store_n(&call->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void
call_command(unsigned int command)
{
	struct call call = {.command = command};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, call_main, &call), 0);
	while (__atomic_load_n(&call.done, __ATOMIC_ACQUIRE) == 0) {
		fcn_exports_run(exports);
		sched_yield();
	}
	pthread_join(thread, NULL);
	assert_int_equal(call.rc, 0);
}

TEST(telemetry)
{
	unsigned int n = 0;

	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		char cmd[64];
		json_t *console;

		if (!s->bounded)
			continue;
		fcn_show_telemetry_command(s, cmd, sizeof(cmd));
		/* the only characters that DPDK 22.11 and later take */
		assert_int_equal(strspn(cmd, "abcdefghijklmnopqrstuvwxyz_/"), strlen(cmd));
		assert_true(n < n_commands);
		assert_string_equal(commands[n].cmd, cmd);
		call_command(n++);
		console = ask_console(s);
		assert_non_null(answer);
		if (strcmp(s->name, "rates") != 0) /* which the turns of fcn_exports_run() change */
			assert_true(json_equal(answer, console));
		json_decref(answer);
		json_decref(console);
		answer = NULL;
	}
	assert_int_equal(n, n_commands);
}

static json_t *
get_for_metrics(void *arg, const char *show)
{
	unsigned int *n = arg;

	(*n)++;
	assert_non_null(fcn_show_find(show));
	return fcn_exports_get(exports, show);
}

/* What metrics are taken from is in the list. */
TEST(metrics)
{
	FILE *out = fopen("/dev/null", "w");
	unsigned int n = 0;

	assert_non_null(out);
	assert_int_equal(fcn_metrics_write(out, FCN_METRICS_OPENMETRICS, get_for_metrics, &n), 0);
	fclose(out);
	assert_true(n >= 5);
	assert_null(fcn_exports_get(exports, "nope"));
}

/* A page of the documentation, to be freed. */
static char *
read_page(const char *name)
{
	char path[512], *text = malloc(1 << 20);
	size_t len;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", fcn_test_args[0], name);
	in = fopen(path, "r");
	assert_non_null(in);
	assert_non_null(text);
	len = fread(text, 1, (1 << 20) - 1, in);
	fclose(in);
	text[len] = '\0';
	return text;
}

TEST(documentation)
{
	char *console = read_page("console.md"), *metrics = read_page("metrics.md");

	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		char want[256], cmd[64];

		snprintf(want, sizeof(want), "\n### `%s`\n", s->syntax);
		if (strstr(console, want) == NULL)
			fail_msg("console.md has no %s", s->syntax);
		fcn_show_telemetry_command(s, cmd, sizeof(cmd));
		snprintf(want, sizeof(want), "\n| `%s` |", cmd);
		if ((strstr(metrics, want) != NULL) != s->bounded)
			fail_msg("metrics.md and the list differ about %s", cmd);
	}
	free(console);
	free(metrics);
}
