/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The log's file: order, loss, rotation; nobody waits for it. */

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "event_log.h"
#include "fcn_test.h"

/* Mutexes and condition variables that were made and not destroyed, by the linker's --wrap. */
static int n_locks;
static bool no_threads; /* there are too many threads */

int __real_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attr);
int __real_pthread_mutex_destroy(pthread_mutex_t *lock);
int __real_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int __real_pthread_cond_destroy(pthread_cond_t *cond);
int __real_pthread_create(
		pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *lock);
int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int __wrap_pthread_cond_destroy(pthread_cond_t *cond);
int __wrap_pthread_create(
		pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

int
__wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attr)
{
	n_locks++;
	return __real_pthread_mutex_init(lock, attr);
}

int
__wrap_pthread_mutex_destroy(pthread_mutex_t *lock)
{
	n_locks--;
	return __real_pthread_mutex_destroy(lock);
}

int
__wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	n_locks++;
	return __real_pthread_cond_init(cond, attr);
}

int
__wrap_pthread_cond_destroy(pthread_cond_t *cond)
{
	n_locks--;
	return __real_pthread_cond_destroy(cond);
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	return no_threads ? EAGAIN : __real_pthread_create(thread, attr, fn, arg);
}

static char dir[64];
static char err[256];

static int
setup(void **state)
{
	RTE_SET_USED(state);
	snprintf(dir, sizeof(dir), "/tmp/fcn-log-XXXXXX");
	return mkdtemp(dir) == NULL || chdir(dir) != 0 ? -1 : 0;
}

static int
teardown(void **state)
{
	char cmd[96];

	RTE_SET_USED(state);
	snprintf(cmd, sizeof(cmd), "rm -r '%s'", dir);
	return system(cmd);
}

TEST_FIXTURE(.begin = setup, .end = teardown);

static struct fcn_event_log *
create(const char *file, size_t room)
{
	struct fcn_event_log *log = fcn_event_log_create(file, room, err, sizeof(err));

	if (log == NULL)
		fail_msg("%s", err);
	return log;
}

static void
put(struct fcn_event_log *log, unsigned int n)
{
	char line[64];

	fcn_event_log_put(log, line, snprintf(line, sizeof(line), "{\"n\":%u}\n", n));
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
sleep_ms(unsigned int ms)
{
	poll(NULL, 0, ms);
}

/* Lines of a text: members n one more each time, lines told lost are jumped over. Returns the next
 * n. */
static json_int_t
check_lines(char *text, json_int_t next, json_int_t *told)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line != NULL;
			line = strtok_r(NULL, "\n", &save)) {
		json_t *o = json_loads(line, 0, NULL);

		if (o == NULL)
			fail_msg("not JSON: %s", line);
		if (json_object_get(o, "n") != NULL) {
			assert_int_equal(json_integer_value(json_object_get(o, "n")), next);
			next++;
		} else {
			json_int_t lost = json_integer_value(json_object_get(o, "lines"));

			assert_string_equal(json_string_value(json_object_get(o, "event")),
					"lines_lost");
			assert_true(lost > 0);
			next += lost;
			*told += lost;
		}
		json_decref(o);
	}
	return next;
}

static char *
read_file(const char *file)
{
	static char text[1 << 20];
	FILE *in = fopen(file, "r");
	size_t n;

	assert_non_null(in);
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	fclose(in);
	return text;
}

TEST(order)
{
	struct fcn_event_log *log = create("log", 0);
	struct fcn_event_log_stats stats;
	json_int_t told = 0;

	assert_string_equal(fcn_event_log_file(log), "log");
	for (unsigned int n = 0; n < 20000; n++)
		put(log, n);
	fcn_event_log_stats(log, &stats);
	assert_int_equal(stats.lines, 20000);
	assert_int_equal(stats.lost, 0);
	fcn_event_log_free(log); /* writes the rest */
	assert_int_equal(check_lines(read_file("log"), 0, &told), 20000);
	/* what is there already stays */
	log = create("log", 0);
	put(log, 20000);
	fcn_event_log_free(log);
	assert_int_equal(check_lines(read_file("log"), 0, &told), 20001);
	assert_int_equal(told, 0);
}

/* A pipe that nobody reads from for a while: lines are lost, counted and told of where they are
 * missing; whoever puts them never waits. */
TEST(stuck)
{
	struct fcn_event_log_stats stats;
	struct fcn_event_log *log;
	json_int_t told = 0, next;
	char text[65536];
	size_t len = 0;
	uint64_t begin;
	int in;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	in = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(in >= 0);
	assert_int_equal(fcntl(in, F_SETPIPE_SZ, 4096), 4096);
	log = create("fifo", 4096);
	begin = now_ms();
	for (unsigned int n = 0; n < 5000; n++)
		put(log, n);
	assert_in_range(now_ms() - begin, 0, 1000);
	fcn_event_log_stats(log, &stats);
	assert_int_equal(stats.lines + stats.lost, 5000);
	assert_true(stats.lost > 3000);
	/* read all there is, and then one more line follows what was lost */
	for (unsigned int quiet = 0; quiet < 5;) {
		ssize_t n = read(in, text + len, sizeof(text) - 1 - len);

		len += n > 0 ? (size_t)n : 0;
		quiet = n > 0 ? 0 : quiet + 1;
		sleep_ms(50);
	}
	put(log, 5000);
	sleep_ms(300);
	fcn_event_log_free(log);
	len += RTE_MAX(read(in, text + len, sizeof(text) - 1 - len), (ssize_t)0);
	text[len] = '\0';
	next = check_lines(text, 0, &told);
	assert_int_equal(next, 5001);
	assert_int_equal(told, stats.lost);
	close(in);
}

/* It ends within its second even then. */
TEST(stuck_end)
{
	struct fcn_event_log *log;
	uint64_t begin;
	int in;

	assert_int_equal(mkfifo("end", 0600), 0);
	in = open("end", O_RDONLY | O_NONBLOCK);
	assert_int_equal(fcntl(in, F_SETPIPE_SZ, 4096), 4096);
	log = create("end", 0);
	for (unsigned int n = 0; n < 5000; n++)
		put(log, n);
	begin = now_ms();
	fcn_event_log_free(log);
	assert_in_range(now_ms() - begin, 0, 2000);
	close(in);
}

/* The reader goes away: no signal, lines are lost, and the switch lives. */
TEST(reader_gone)
{
	struct fcn_event_log_stats stats = {0};
	struct fcn_event_log *log;
	int in;

	assert_int_equal(mkfifo("gone", 0600), 0);
	assert_null(fcn_event_log_create("gone", 0, err, sizeof(err))); /* nobody reads */
	assert_string_equal(err, "gone: No such device or address");
	in = open("gone", O_RDONLY | O_NONBLOCK);
	log = create("gone", 0);
	close(in);
	put(log, 1);
	for (unsigned int i = 0; i < 100 && stats.lost == 0; i++) {
		sleep_ms(20);
		fcn_event_log_stats(log, &stats);
	}
	assert_int_equal(stats.lost, 1);
	assert_int_equal(stats.lines, 0);
	fcn_event_log_free(log);
}

static void
wait_lost(struct fcn_event_log *log, uint64_t lost)
{
	struct fcn_event_log_stats stats = {0};

	for (unsigned int i = 0; i < 500 && stats.lost < lost; i++) {
		sleep_ms(20);
		fcn_event_log_stats(log, &stats);
	}
	assert_true(stats.lost >= lost);
}

/* A disk that is full. */
TEST(full)
{
	struct fcn_event_log_stats stats = {0};
	struct fcn_event_log *log = create("/dev/full", 0);

	for (unsigned int n = 0; n < 100; n++) {
		put(log, n);
		if (n == 50) /* the rest comes behind a line about these */
			wait_lost(log, 51);
	}
	wait_lost(log, 100);
	sleep_ms(50);
	fcn_event_log_stats(log, &stats);
	assert_int_equal(stats.lost, 100); /* without what told of them */
	assert_int_equal(stats.lines, 0);
	fcn_event_log_free(log);
}

TEST(reopen)
{
	struct fcn_event_log *log = create("now", 0);
	json_int_t told = 0, next;

	for (unsigned int n = 0; n < 500; n++)
		put(log, n);
	assert_int_equal(rename("now", "before"), 0);
	assert_int_equal(fcn_event_log_reopen(log), 0);
	assert_int_equal(access("now", F_OK), 0); /* at once */
	sleep_ms(200);
	for (unsigned int n = 500; n < 1000; n++)
		put(log, n);
	/* where it cannot be opened, the old file stays */
	sleep_ms(200);
	assert_int_equal(rename("now", "later"), 0);
	assert_int_equal(mkdir("now", 0700), 0);
	assert_int_equal(fcn_event_log_reopen(log), -EISDIR);
	put(log, 1000);
	fcn_event_log_free(log);
	next = check_lines(read_file("before"), 0, &told);
	assert_in_range(next, 0, 500);
	assert_int_equal(check_lines(read_file("later"), next, &told), 1001);
	assert_int_equal(told, 0);
}

TEST(refused)
{
	assert_null(fcn_event_log_create("no/such/dir", 0, err, sizeof(err)));
	assert_string_equal(err, "no/such/dir: No such file or directory");
	assert_null(fcn_event_log_create(".", 0, err, sizeof(err)));
	no_threads = true;
	assert_null(fcn_event_log_create("log", 0, err, sizeof(err)));
	no_threads = false;
	assert_string_equal(err, "log: Resource temporarily unavailable");
	assert_int_equal(n_locks, 0);
}
