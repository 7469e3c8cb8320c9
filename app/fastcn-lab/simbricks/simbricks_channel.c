/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "simbricks_channel.h"
#include "simbricks_trap.h"

/* Number of entries of a queue that this end makes. */
#define ENTRIES 1024

/* A wait is nothing at first, then gives the processor away, then sleeps: longer each time. */
#define SPINS 1000
#define YIELDS 200
#define SLEEP_NS 16000
#define LONGER 6 /* times that a sleep is doubled: up to 1 ms */
#define DOZE_MS 1

/* Time for an introduction, once the ends are connected. */
#define INTRODUCTION_MS 10000

enum state {
	LISTENING,
	CONNECTING,
	INTRODUCING, /* this end has introduced itself */
	OPEN
};

struct simbricks_channel {
	struct simbricks_conf conf;
	struct sockaddr_un address;
	enum state state;
	int listener, socket, memory; /* descriptors, -1: none */
	uint8_t *base;                /* the shared memory, MAP_FAILED: none */
	size_t size;
	struct simbricks_trap *trap;
	struct simbricks_queue in, out;
	uint8_t intro[256]; /* of the other end, so far */
	size_t n_intro;
	uint64_t since_ms; /* when the present wait began */
	unsigned int waits;
	char why[256];
};

static int __attribute__((format(printf, 3, 4)))
wrong(struct simbricks_channel *ch, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ch->why, sizeof(ch->why), fmt, ap);
	va_end(ap);
	return rc;
}

const char *
simbricks_channel_error(const struct simbricks_channel *ch)
{
	return ch->why;
}

static uint64_t
clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- the socket ---- */

static int
new_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Bind the name, also if a program that has ended left it. @return 0, or an errno */
static int
bind_name(struct simbricks_channel *ch)
{
	const struct sockaddr *address = (const struct sockaddr *)&ch->address;
	int probe, rc = bind(ch->listener, address, sizeof(ch->address)) == 0 ? 0 : errno;
	struct stat about;

	if (rc != EADDRINUSE || lstat(ch->conf.path, &about) != 0 || !S_ISSOCK(about.st_mode))
		return rc;
	probe = new_socket();
	if (probe >= 0 && connect(probe, address, sizeof(ch->address)) != 0 &&
			errno == ECONNREFUSED && unlink(ch->conf.path) == 0)
		rc = bind(ch->listener, address, sizeof(ch->address)) == 0 ? 0 : errno;
	close_fd(&probe);
	return rc;
}

static int
begin(struct simbricks_channel *ch)
{
	int rc;

	if (strlen(ch->conf.path) >= sizeof(ch->address.sun_path))
		return wrong(ch, -ENAMETOOLONG, "the name of a socket has at most %zu characters",
				sizeof(ch->address.sun_path) - 1);
	ch->address.sun_family = AF_UNIX;
	strcpy(ch->address.sun_path, ch->conf.path);
	ch->since_ms = clock_ms();
	if (!ch->conf.listen) {
		ch->state = CONNECTING;
		return 0;
	}
	ch->listener = new_socket();
	if (ch->listener < 0)
		return wrong(ch, -errno, "%s", strerror(errno));
	rc = bind_name(ch);
	if (rc != 0) {
		close_fd(&ch->listener); /* the name is another program's: it stays */
		return wrong(ch, -rc, "%s", strerror(rc));
	}
	if (listen(ch->listener, 1) != 0)
		return wrong(ch, -errno, "%s", strerror(errno));
	return 0;
}

static void
stop_listening(struct simbricks_channel *ch)
{
	if (ch->listener >= 0)
		unlink(ch->conf.path);
	close_fd(&ch->listener);
}

struct simbricks_channel *
simbricks_channel_create(const struct simbricks_conf *conf, char *why, size_t size)
{
	struct simbricks_channel *ch = calloc(1, sizeof(*ch));

	if (ch == NULL) {
		snprintf(why, size, "out of memory");
		return NULL;
	}
	ch->conf = *conf;
	ch->listener = ch->socket = ch->memory = -1;
	ch->base = MAP_FAILED;
	if (begin(ch) == 0)
		return ch;
	snprintf(why, size, "%s", ch->why);
	simbricks_channel_free(ch);
	return NULL;
}

void
simbricks_channel_free(struct simbricks_channel *ch)
{
	if (ch == NULL)
		return;
	stop_listening(ch);
	close_fd(&ch->socket);
	close_fd(&ch->memory);
	simbricks_trap_free(ch->trap);
	if (ch->base != MAP_FAILED)
		munmap(ch->base, ch->size);
	free(ch);
}

/* ---- the shared memory ---- */

static int
map(struct simbricks_channel *ch, const struct simbricks_listener *said)
{
	struct simbricks_queue l2c = {.size = said->l2c_size, .count = said->l2c_count};
	struct simbricks_queue c2l = {.size = said->c2l_size, .count = said->c2l_count};

	ch->base = mmap(NULL, ch->size, PROT_READ | PROT_WRITE, MAP_SHARED, ch->memory, 0);
	if (ch->base == MAP_FAILED)
		return wrong(ch, -errno, "the shared memory cannot be mapped: %s", strerror(errno));
	l2c.base = ch->base + said->l2c_offset;
	c2l.base = ch->base + said->c2l_offset;
	ch->in = ch->conf.listen ? c2l : l2c;
	ch->out = ch->conf.listen ? l2c : c2l;
	return 0;
}

/* Make the queues. The other end cannot make their memory shorter. */
static int
make_queues(struct simbricks_channel *ch, struct simbricks_listener *say)
{
	const uint64_t size = SIMBRICKS_HEADER + ch->conf.max_frame;

	*say = (struct simbricks_listener){.version = SIMBRICKS_VERSION,
			.flags = SIMBRICKS_SYNC | SIMBRICKS_SYNC_FORCED,
			.l2c_size = size,
			.l2c_count = ENTRIES,
			.c2l_offset = size * ENTRIES,
			.c2l_size = size,
			.c2l_count = ENTRIES,
			.protocol = SIMBRICKS_NETWORK,
			.rest = sizeof(*say)};
	ch->size = 2 * size * ENTRIES;
	ch->memory = memfd_create("fastcn-lab", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (ch->memory < 0 || ftruncate(ch->memory, (off_t)ch->size) != 0 ||
			fcntl(ch->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
					0)
		return wrong(ch, -errno, "no shared memory: %s", strerror(errno));
	return map(ch, say);
}

/* Use the queues that the other end has made. */
static int
use_queues(struct simbricks_channel *ch, const struct simbricks_listener *said)
{
	const char *why;
	struct stat about;
	int rc;

	if (ch->memory < 0)
		return wrong(ch, -EPROTO, "its introduction has no shared memory");
	if (fstat(ch->memory, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0)
		return wrong(ch, -EPROTO, "its shared memory is no file");
	why = simbricks_queues_error(said, (uint64_t)about.st_size);
	if (why != NULL)
		return wrong(ch, -EPROTO, "its introduction makes no sense: %s", why);
	ch->size = (size_t)about.st_size;
	rc = map(ch, said);
	if (rc != 0)
		return rc;
	ch->trap = simbricks_trap_create(ch->base, ch->size);
	return ch->trap != NULL ? 0 : wrong(ch, -ENOMEM, "out of memory");
}

/* ---- introductions ---- */

static int
went_early(struct simbricks_channel *ch)
{
	return wrong(ch, -ECONNRESET, "it went away before it had introduced itself");
}

static int
introduce(struct simbricks_channel *ch)
{
	struct simbricks_listener listener;
	struct simbricks_connecter connecter = {.version = SIMBRICKS_VERSION,
			.flags = SIMBRICKS_SYNC | SIMBRICKS_SYNC_FORCED,
			.protocol = SIMBRICKS_NETWORK,
			.rest = sizeof(connecter)};
	uint8_t network[SIMBRICKS_NETWORK_INTRO] = {0};
	struct iovec part[2] = {{&connecter, sizeof(connecter)}, {network, sizeof(network)}};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
	struct msghdr message = {.msg_iov = part, .msg_iovlen = 2};
	struct cmsghdr *attached;
	ssize_t sent;
	int rc;

	if (ch->conf.listen) {
		rc = make_queues(ch, &listener);
		if (rc != 0)
			return rc;
		part[0] = (struct iovec){&listener, sizeof(listener)};
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		attached = CMSG_FIRSTHDR(&message);
		attached->cmsg_level = SOL_SOCKET;
		attached->cmsg_type = SCM_RIGHTS;
		attached->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(attached), &ch->memory, sizeof(int));
	}
	sent = sendmsg(ch->socket, &message, MSG_NOSIGNAL);
	if (sent < 0)
		return went_early(ch);
	if ((size_t)sent != part[0].iov_len + part[1].iov_len)
		return wrong(ch, -EIO, "the introduction could not be sent");
	ch->state = INTRODUCING;
	ch->since_ms = clock_ms();
	return 0;
}

/* Check what both introductions have. */
static int
check_intro(struct simbricks_channel *ch, uint64_t version, uint64_t flags, uint64_t protocol)
{
	if (version != SIMBRICKS_VERSION)
		return wrong(ch, -EPROTO, "it has version %llu of SimBricks, not %u",
				(unsigned long long)version, SIMBRICKS_VERSION);
	if (protocol != SIMBRICKS_NETWORK)
		return wrong(ch, -EPROTO, "it has the protocol %llu of SimBricks, not network, %u",
				(unsigned long long)protocol, SIMBRICKS_NETWORK);
	if ((flags & (SIMBRICKS_SYNC | SIMBRICKS_SYNC_FORCED)) == 0)
		return wrong(ch, -EPROTO, "it does not synchronise time");
	return 0;
}

static int
read_intro(struct simbricks_channel *ch)
{
	struct simbricks_listener listener;
	struct simbricks_connecter connecter;
	int rc;

	if (ch->conf.listen) {
		memcpy(&connecter, ch->intro, sizeof(connecter));
		return check_intro(ch, connecter.version, connecter.flags, connecter.protocol);
	}
	memcpy(&listener, ch->intro, sizeof(listener));
	rc = check_intro(ch, listener.version, listener.flags, listener.protocol);
	return rc != 0 ? rc : use_queues(ch, &listener);
}

/* Take the descriptor that came with a message. */
static void
take_memory(struct simbricks_channel *ch, struct msghdr *message)
{
	struct cmsghdr *attached = CMSG_FIRSTHDR(message);

	if (attached == NULL || attached->cmsg_level != SOL_SOCKET ||
			attached->cmsg_type != SCM_RIGHTS ||
			attached->cmsg_len != CMSG_LEN(sizeof(int)))
		return;
	if (ch->conf.listen) { /* the queues are made here */
		int unwanted;

		memcpy(&unwanted, CMSG_DATA(attached), sizeof(int));
		close(unwanted);
		return;
	}
	close_fd(&ch->memory);
	memcpy(&ch->memory, CMSG_DATA(attached), sizeof(int));
}

/* @return 1 when the other end has introduced itself, 0 before, a negative errno after an error */
static int
hear_intro(struct simbricks_channel *ch)
{
	const size_t needed = ch->conf.listen ? sizeof(struct simbricks_connecter)
					      : sizeof(struct simbricks_listener);
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec part = {ch->intro + ch->n_intro, needed - ch->n_intro};
	struct msghdr message = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(ch->socket, &message, MSG_CMSG_CLOEXEC);
	int rc;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return went_early(ch);
	take_memory(ch, &message);
	ch->n_intro += (size_t)n;
	if (ch->n_intro < needed)
		return 0;
	rc = read_intro(ch);
	return rc == 0 ? 1 : rc;
}

/* @return 1 when the ends are connected, 0 before, a negative errno after an error */
static int
connect_ends(struct simbricks_channel *ch)
{
	int rc;

	if (ch->state == LISTENING) {
		ch->socket = accept4(ch->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (ch->socket < 0)
			return 0;
		stop_listening(ch);
		return 1;
	}
	ch->socket = new_socket();
	if (ch->socket < 0)
		return wrong(ch, -errno, "%s", strerror(errno));
	if (connect(ch->socket, (const struct sockaddr *)&ch->address, sizeof(ch->address)) == 0)
		return 1;
	rc = -errno;
	close_fd(&ch->socket);
	if (rc == -ENOENT || rc == -ECONNREFUSED || rc == -EAGAIN || rc == -EINTR)
		return 0; /* nobody listens yet */
	return wrong(ch, rc, "%s", strerror(-rc));
}

int
simbricks_channel_meet(struct simbricks_channel *ch)
{
	const uint64_t patience = ch->state == INTRODUCING && ch->conf.wait_ms > INTRODUCTION_MS
						  ? INTRODUCTION_MS
						  : ch->conf.wait_ms;
	int rc;

	if (ch->state == OPEN)
		return 1;
	if (ch->state == INTRODUCING) {
		rc = hear_intro(ch);
		if (rc == 1) {
			ch->state = OPEN;
			ch->waits = 0;
		}
	} else {
		rc = connect_ends(ch);
		if (rc == 1)
			return introduce(ch);
	}
	if (rc != 0 || clock_ms() - ch->since_ms < patience)
		return rc;
	if (ch->state == INTRODUCING)
		return wrong(ch, -ETIMEDOUT, "it did not introduce itself in %llu ms",
				(unsigned long long)patience);
	return wrong(ch, -ETIMEDOUT, "nobody %s in %llu ms",
			ch->conf.listen ? "connected" : "listened", (unsigned long long)patience);
}

void
simbricks_channel_doze(void)
{
	poll(NULL, 0, DOZE_MS);
}

/* ---- an open channel ---- */

struct simbricks_queue *
simbricks_channel_in(struct simbricks_channel *ch)
{
	return &ch->in;
}

struct simbricks_queue *
simbricks_channel_out(struct simbricks_channel *ch)
{
	return &ch->out;
}

void
simbricks_channel_heard(struct simbricks_channel *ch)
{
	ch->waits = 0;
}

/* Sleep until the other end goes, or for a moment. What it writes to the socket has no meaning. */
static int
sleep_beside(struct simbricks_channel *ch, unsigned int doubled)
{
	const struct timespec time = {.tv_nsec = (long)SLEEP_NS << doubled};
	struct pollfd about = {.fd = ch->socket, .events = POLLIN};
	char unused[256];

	if (ppoll(&about, 1, &time, NULL) > 0) {
		const ssize_t n = recv(ch->socket, unused, sizeof(unused), MSG_DONTWAIT);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return wrong(ch, -ECONNRESET, "it went away");
	}
	if (clock_ms() - ch->since_ms >= ch->conf.wait_ms)
		return wrong(ch, -ETIMEDOUT, "it said nothing for %llu ms",
				(unsigned long long)ch->conf.wait_ms);
	return 0;
}

int
simbricks_channel_wait(struct simbricks_channel *ch)
{
	const unsigned int waits = ch->waits;

	if (ch->trap != NULL && simbricks_trap_sprung(ch->trap))
		return wrong(ch, -EPROTO, "its shared memory was made shorter");
	if (waits < SPINS + YIELDS + LONGER)
		ch->waits++;
	if (waits < SPINS)
		return 0;
	if (waits == SPINS)
		ch->since_ms = clock_ms();
	if (waits < SPINS + YIELDS) {
		sched_yield();
		return 0;
	}
	return sleep_beside(ch, waits - SPINS - YIELDS);
}
