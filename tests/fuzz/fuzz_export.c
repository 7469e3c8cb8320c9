/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What other programs ask a live switch for. By the first byte: a request over HTTP to the server
 * of metrics, of which the second byte says which allocation fails on the way to the answer; the
 * name of a show and its parameters, as telemetry gets them; a value in JSON that telemetry is to
 * send.
 *
 * One thread takes the part of both client and control thread, so the control thread's RPC is
 * left out.
 */

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>
#include <sanitizer/lsan_interface.h>
#include <rte_telemetry.h>

#include "fcn_exports.h"
#include "fcn_session.h"
#include "fcn_show_list.h"
#include "telemetry.h"
#include "platform.h"
#include "fuzz.h"

#define ANSWER (1 << 20)
#define CONTAINERS 20000

static struct fcn_exports *exports;
static uint16_t port;

/* ---- allocations that fail, and time that passes ---- */

static unsigned int fail_after; /* so many are done before one fails; 0: none fails */
static bool failing;
static uint64_t later_ns;

static bool
fails(void)
{
	return failing && fail_after > 0 && --fail_after == 0;
}

static void *
json_malloc(size_t size)
{
	return fails() ? NULL : malloc(size);
}

#define WRAP(type, name, parameters, arguments)               \
	type __real_##name parameters;                        \
	type __wrap_##name parameters;                        \
	type __wrap_##name parameters                         \
	{                                                     \
		return fails() ? 0 : __real_##name arguments; \
	}

WRAP(struct MHD_Response *, MHD_create_response_from_buffer,
		(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode), (size, buffer, mode))
WRAP(enum MHD_Result, MHD_add_response_header,
		(struct MHD_Response * r, const char *header, const char *content),
		(r, header, content))
WRAP(enum MHD_Result, MHD_queue_response,
		(struct MHD_Connection * c, unsigned int status, struct MHD_Response *r),
		(c, status, r))
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size))

/* A text is kept for a second, unless that has passed. */
int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int
__wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	int rc = __real_clock_gettime(clock, ts);

	if (clock == CLOCK_MONOTONIC)
		ts->tv_sec += (time_t)__atomic_load_n(&later_ns, __ATOMIC_RELAXED) / 1000000000;
	return rc;
}

void *__wrap_fcn_control_rpc_call(struct fcn_control_rpc *rpc, fcn_control_rpc_handler answer,
		void *arg, const void *question, size_t len, void (*free_answer)(void *),
		unsigned int ms);

void *
__wrap_fcn_control_rpc_call(struct fcn_control_rpc *rpc, fcn_control_rpc_handler answer, void *arg,
		const void *question, size_t len, void (*free_answer)(void *), unsigned int ms)
{
	RTE_SET_USED(rpc);
	RTE_SET_USED(len);
	RTE_SET_USED(free_answer);
	RTE_SET_USED(ms);
	return fails() ? NULL : answer(arg, question);
}

/* ---- telemetry's own side ---- */

static telemetry_cb callback;

int __wrap_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help);

int
__wrap_rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help)
{
	require(strlen(cmd) < 56 && strlen(help) < 128);
	callback = fn;
	return 0;
}

/* Containers are telemetry's to free, once they are sent. */
static struct rte_tel_data *made[CONTAINERS];
static unsigned int n_made;

struct rte_tel_data *__real_rte_tel_data_alloc(void);
struct rte_tel_data *__wrap_rte_tel_data_alloc(void);

struct rte_tel_data *
__wrap_rte_tel_data_alloc(void)
{
	require(n_made < CONTAINERS);
	made[n_made] = __real_rte_tel_data_alloc();
	return made[n_made++];
}

static void
free_made(void)
{
	while (n_made > 0)
		rte_tel_data_free(made[--n_made]);
}

/* ---- the switch ---- */

static void
start(void)
{
	static const char *const lines[] = {"port add p1", "port add p2 queues 2", "bridge add br0",
			"bridge br0 port add p1", "address add p2 2001:db8::1/64",
			"set pfc p2 class 3 receive on", "set queue p2 class 3 notify on",
			"ioam namespace add 7", "port add p2.5 vlan 5 of p2"};
	char *argv[] = {"fuzz", "--no-pci", "--no-huge", "--no-shconf", "-m", "256",
			"--no-telemetry", "--log-level=error", "-l", "0", NULL};
	static struct fcn_session session;
	struct fcn_config_exports conf = {0};
	char err[256];

	require(rte_eal_init(RTE_DIM(argv) - 1, argv) >= 0 && platform_setup(false) == 0);
	session = (struct fcn_session){
			.ctl = platform.ctl, .table = fcn_session_commands(), .out = stderr};
	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		require(fcn_session_line(&session, lines[i], -1) == 0);
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	require(exports != NULL && callback != NULL);
	require(fcn_exports_option_metrics("127.0.0.1:0", &conf, err, sizeof(err)) == 0);
	require(fcn_exports_apply(exports, &conf, err, sizeof(err)) == 0);
	json_t *v = fcn_exports_show(exports);
	const char *name = json_string_value(
			json_object_get(json_object_get(v, "metrics"), "listen"));

	port = (uint16_t)atoi(strrchr(name, ':') + 1);
	json_decref(v);
}

/* Whether the server has to answer at once. It waits for the rest of any other request, ten
 * seconds. */
static bool
is_whole(const uint8_t *data, size_t size)
{
	return size > 4 && (memcmp(data, "GET ", 4) == 0 || memcmp(data, "HEAD", 4) == 0) &&
	       memmem(data, size, "\r\n\r\n", 4) != NULL;
}

static int
connect_to_it(bool whole)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons(port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct timeval long_enough = {.tv_sec = whole ? 15 : 0, .tv_usec = whole ? 0 : 20000};
	const struct linger reset = {.l_onoff = 1}; /* no port stays in TIME_WAIT */
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	require(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &long_enough, sizeof(long_enough));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	return fd;
}

/* Whole, or an error, or nothing. */
static void
check_answer(const char *text, size_t len)
{
	const char *body = strstr(text, "\r\n\r\n");

	if (len == 0)
		return;
	require(strncmp(text, "HTTP/1.", 7) == 0 && body != NULL);
	if (strncmp(text + 8, " 200 ", 5) != 0)
		return;
	require(strstr(text, "\r\nConnection: close\r\n") < body);
	require(strstr(text, "\r\nConnection: close\r\n") != NULL);
	require(strstr(text, "\r\nContent-Type: ") != NULL);
	if (strstr(text, "\r\nContent-Type: application/openmetrics-text") != NULL &&
			body[4] != '\0')
		require(strcmp(text + len - 6, "# EOF\n") == 0);
}

static void
fuzz_http(const uint8_t *data, size_t size)
{
	static char answer[ANSWER];
	size_t len = 0;
	ssize_t n;
	bool whole;
	int fd;

	if (size < 2)
		return;
	whole = is_whole(data + 2, size - 2);
	__atomic_fetch_add(&later_ns, UINT64_C(2000000000), __ATOMIC_RELAXED);
	fd = connect_to_it(whole);
	fail_after = (data[0] & 0x0F) == 0x0F ? data[1] * 8u : data[0] & 0x0F;
	failing = true;
	data += 2;
	size -= 2;
	if (send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size)
		shutdown(fd, SHUT_WR);
	/* libFuzzer's timer interrupts a call that has a time limit. */
	while ((n = recv(fd, answer + len, sizeof(answer) - 1 - len, 0)) > 0 ||
			(n < 0 && errno == EINTR))
		len += n > 0 ? (size_t)n : 0;
	require(n == 0 || errno == ECONNRESET || (errno == EAGAIN && !whole));
	failing = false;
	answer[len] = '\0';
	if (n == 0)
		check_answer(answer, len);
	close(fd);
	fcn_exports_run(exports);
}

/* What a show gives, if that is too much: an error, and never nothing. */
static void
put(const json_t *v)
{
	struct rte_tel_data *data = rte_tel_data_alloc();

	require(data != NULL && fcn_telemetry_put(data, v) == 0);
	free_made();
}

static void
fuzz_show(const uint8_t *data, size_t size)
{
	char text[300], cmd[64];
	unsigned int n = 0;
	struct rte_tel_data *out;
	const struct fcn_show_source source = {.ctl = platform.ctl, .exports = exports};
	json_t *v;

	if (size < 1)
		return;
	while (fcn_shows[n].name != NULL)
		n++;
	n = data[0] % n;
	size = RTE_MIN(size - 1, sizeof(text) - 1);
	memcpy(text, data + 1, size);
	text[size] = '\0';
	v = fcn_show_by_name(&source, fcn_shows[n].name, text);
	require(v != NULL);
	put(v);
	json_decref(v);
	fcn_show_telemetry_command(&fcn_shows[n], cmd, sizeof(cmd));
	out = rte_tel_data_alloc();
	require(out != NULL && callback(cmd, size == 0 ? NULL : text, out) == 0);
	free_made();
	v = fcn_show_by_name(&source, text, NULL);
	require(v != NULL);
	put(v);
	json_decref(v);
}

static void
fuzz_put(const uint8_t *data, size_t size)
{
	json_t *v = json_loadb((const char *)data, size, 0, NULL);

	if (v != NULL)
		put(v);
	json_decref(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (exports == NULL) {
		/* What is kept in DPDK's memory is no leak. */
		__lsan_disable();
		start();
		__lsan_enable();
		json_set_alloc_funcs(json_malloc, free);
	}
	if (size == 0)
		return 0;
	if (data[0] & 0x80)
		fuzz_put(data + 1, size - 1);
	else if (data[0] & 0x40)
		fuzz_show(data + 1, size - 1);
	else
		fuzz_http(data, size);
	return 0;
}
