/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What another simulator says to the lab. The first octet tells whether the rest is an introduction
 * with queues of 1024 octets, or messages: for each an octet of the type, one of the time since the
 * last one, in units of 100 ns, and one of the length.
 */

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "network.h"
#include "run.h"
#include "simbricks_queue.h"
#include "fuzz.h"

#define SWITCHES 0
#define QUEUES_MB 64
#define MEMORY 4096
#define PS_OF_STEP 100000

static char dir[] = "/tmp/fuzz_simbricks_XXXXXX";
static char path[64];
static struct lab_scenario *sc; /* of all inputs, as a scenario takes longer to read than to run */

static void
clean(void)
{
	lab_scenario_free(sc);
	unlink(path);
	rmdir(dir);
}

/* Whatever is said of queues: what is taken lies in the memory, as do their messages. */
static void
fuzz_introduction(const uint8_t *data, size_t size)
{
	struct simbricks_listener said;
	struct simbricks_message m;
	const char *why;
	uint8_t *memory;

	if (size < sizeof(said) + MEMORY)
		return;
	memcpy(&said, data, sizeof(said));
	if (simbricks_queues_error(&said, MEMORY) != NULL)
		return;
	memory = fuzz_room(MEMORY);
	memcpy(memory, data + sizeof(said), MEMORY);
	for (unsigned int end = 0; end < 2; end++) {
		struct simbricks_queue q = {
				.base = memory + (end == 0 ? said.l2c_offset : said.c2l_offset),
				.size = end == 0 ? said.l2c_size : said.c2l_size,
				.count = end == 0 ? said.l2c_count : said.c2l_count};
		volatile uint8_t last;

		for (uint64_t i = 0; i < q.count && simbricks_queue_peek(&q, &m, &why) == 1; i++) {
			if (m.length != 0)
				last = m.data[m.length - 1];
			simbricks_queue_next(&q);
		}
		m = (struct simbricks_message){.type = SIMBRICKS_IS_SYNC, .time = 1};
		for (uint64_t i = 0; i < q.count && simbricks_queue_put(&q, &m); i++)
			;
		RTE_SET_USED(last);
	}
	free(memory);
}

/* Connect to the lab, and introduce this end. @return the socket */
static int
introduce(void)
{
	const struct simbricks_connecter intro = {.version = SIMBRICKS_VERSION,
			.flags = SIMBRICKS_SYNC,
			.protocol = SIMBRICKS_NETWORK,
			.rest = sizeof(intro)};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	require(fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	require(send(fd, &intro, sizeof(intro), MSG_NOSIGNAL) == sizeof(intro));
	return fd;
}

/* Get the queue to the lab from its introduction. @return its memory, of *size octets */
static uint8_t *
queue_to_lab(int fd, struct simbricks_queue *q, size_t *size)
{
	struct simbricks_listener said;
	struct iovec part = {&said, sizeof(said)};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};
	uint8_t *base;
	int memory;

	require(recvmsg(fd, &message, 0) == sizeof(said) && CMSG_FIRSTHDR(&message) != NULL);
	memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(memory));
	*size = said.c2l_offset + said.c2l_size * said.c2l_count;
	base = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	require(base != MAP_FAILED);
	close(memory);
	*q = (struct simbricks_queue){.base = base + said.c2l_offset,
			.size = said.c2l_size,
			.count = said.c2l_count};
	return base;
}

static void
write_messages(struct simbricks_queue *q, const uint8_t *data, size_t size)
{
	static const uint8_t types[] = {SIMBRICKS_IS_SYNC, SIMBRICKS_IS_FRAME, SIMBRICKS_IS_FRAME,
			SIMBRICKS_IS_FRAME, SIMBRICKS_IS_END};
	uint64_t time = 0;

	for (; size >= 3; data += 3, size -= 3) {
		struct simbricks_message m = {.data = data + 3};
		uint8_t *entry = q->base + q->at * q->size;

		time += (uint64_t)data[1] * PS_OF_STEP;
		m.time = time;
		m.type = data[0] < 250 ? types[data[0] % sizeof(types)] : data[0] & SIMBRICKS_TYPE;
		m.length = RTE_MIN((size_t)data[2], size - 3);
		if (!simbricks_queue_put(q, &m))
			return;
		if (data[0] == 249) /* a length that it has not */
			memset(entry, data[2], 2);
	}
}

static void
fuzz_messages(const uint8_t *data, size_t size)
{
	struct lab_measure *measure;
	struct lab_network *net;
	struct simbricks_queue q;
	FILE *nowhere = fopen("/dev/null", "we");
	char err[256] = "";
	uint8_t *base;
	size_t mapped;
	int fd;

	require(nowhere != NULL);
	measure = lab_measure_create(sc, NULL, err, sizeof(err));
	require(measure != NULL);
	net = lab_network_create(sc, measure, nowhere);
	require(net != NULL);
	fd = introduce();
	lab_simbricks_meet(net);
	require(!net->failed);
	base = queue_to_lab(fd, &q, &mapped);
	write_messages(&q, data, size);
	close(fd);
	while (lab_simbricks_turn(net) && fcn_sim_step(net->sim, sc->duration_ns))
		;
	lab_check_end(net);
	require(json_array_size(net->violations) == 0);
	require(lab_network_free(net) == 0);
	munmap(base, mapped);
	lab_measure_free(measure);
	fclose(nowhere);
}

static void
start(void)
{
	static const char text[] = "duration 10us\nbuffers 1024\ncheck on\nhost add h\n"
				   "simbricks add a listen %s wait 1ms\nlink add a h rate 10G\n";
	char whole[512];

	require(mkdtemp(dir) != NULL && atexit(clean) == 0);
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(whole, sizeof(whole), text, path);
	sc = lab_scenario_load("fuzz", whole, NULL, 0, stderr);
	require(sc != NULL && lab_eal_init(SWITCHES, QUEUES_MB) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	if (!ready)
		start();
	ready = true;
	if (size < 1)
		return 0;
	if (data[0] == 0)
		fuzz_introduction(data + 1, size - 1);
	else
		fuzz_messages(data + 1, size - 1);
	return 0;
}
