/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "qp_probe.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qp_probe_event.h"
#include "qp_probe_layout.h"
#include "qp_probe_object.h"

#define LINKS 8

struct qp_probe {
	struct bpf_object *object;
	struct bpf_link *link[LINKS];
	unsigned int n_links;
	struct ring_buffer *ring;
	const uint64_t *kernel_lost; /* in memory that is shared with the programs */
	uint64_t lost;
	uint32_t roce_v2; /* of enum ib_gid_type */
	void (*event)(void *arg, const struct qp_map_event *event);
	void *arg;
	unsigned int left; /* events that may be read in this call */
};

/* Where each program belongs. */
static const struct {
	const char *program, *function;
	bool is_end;
} places[] = {
		{"modify_begin", "ib_modify_qp_with_udata", false},
		{"modify_end", "ib_modify_qp_with_udata", true},
		{"modify_begin", "ib_modify_qp", false},
		{"modify_end", "ib_modify_qp", true},
		{"query_begin", "ib_query_qp", false},
		{"query_end", "ib_query_qp", true},
		{"destroy_begin", "ib_destroy_qp_user", false},
};

_Static_assert(sizeof(places) / sizeof(places[0]) <= LINKS, "each place has a link");

static int
be_silent(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int
take(void *arg, void *data, size_t size)
{
	static const uint8_t none[16];
	struct qp_probe *p = arg;
	struct qp_probe_event e;
	struct qp_map_event out;

	if (size < sizeof(e))
		return 0;
	memcpy(&e, data, sizeof(e));
	out = (struct qp_map_event){.device = e.device,
			.local_qp = e.local_qp,
			.remote_qp = e.remote_qp,
			.state = (uint8_t)e.state,
			.is_destroyed = (e.what & QP_PROBE_DESTROYED) != 0,
			.has_state = (e.what & QP_PROBE_STATE) != 0,
			.has_remote_qp = (e.what & QP_PROBE_REMOTE_QP) != 0,
			/* A driver that does not tell them leaves zeros. */
			.has_addresses = (e.what & QP_PROBE_ADDRESSES) != 0 &&
					 memcmp(e.remote, none, sizeof(none)) != 0 &&
					 memcmp(e.local, none, sizeof(none)) != 0,
			.is_roce_v2 = e.gid_type == p->roce_v2};
	memcpy(out.local, e.local, sizeof(out.local));
	memcpy(out.remote, e.remote, sizeof(out.remote));
	p->event(p->arg, &out);
	return --p->left == 0 ? -EAGAIN : 0;
}

/* The variables of the programs are in maps with the names of sections. */
static struct bpf_map *
section_of(struct bpf_object *object, const char *name)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, object)
	{
		if (strstr(bpf_map__name(map), name) != NULL)
			return map;
	}
	return NULL;
}

/* The constants, of which there is nothing but the layout. */
static int
set_layout(struct bpf_object *object, const struct qp_probe_layout *layout)
{
	struct bpf_map *map = section_of(object, ".rodata");

	return map == NULL ? -EINVAL : bpf_map__set_initial_value(map, layout, sizeof(*layout));
}

static int
find_lost(struct qp_probe *p)
{
	struct bpf_map *map = section_of(p->object, ".bss");
	size_t size = 0;

	p->kernel_lost = map == NULL ? NULL : bpf_map__initial_value(map, &size);
	return p->kernel_lost == NULL || size < sizeof(*p->kernel_lost) ? -EINVAL : 0;
}

static int
attach(struct qp_probe *p, char *err, size_t size)
{
	static const char needs[] = " (CAP_PERFMON is needed; CAP_SYS_ADMIN, too, where "
				    "kernel.perf_event_paranoid is above 2)";

	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(
				p->object, places[i].program);
		struct bpf_link *link = bpf_program__attach_kprobe(
				program, places[i].is_end, places[i].function);

		if (link == NULL) {
			const int error = errno;

			snprintf(err, size, "no probe at the kernel's %s: %s%s", places[i].function,
					strerror(error),
					error == EACCES || error == EPERM ? needs
					: error == ENOENT ? " (the module ib_core is not loaded)"
							  : "");
			return -error;
		}
		p->link[p->n_links++] = link;
	}
	return 0;
}

static int
load(struct qp_probe *p, char *err, size_t size)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "fastcn_host");
	struct qp_probe_layout layout;
	int rc = qp_probe_layout_read(&layout, &p->roce_v2, err, size);

	if (rc != 0)
		return rc;
	p->object = bpf_object__open_mem(qp_probe_object, sizeof(qp_probe_object), &options);
	if (p->object == NULL || set_layout(p->object, &layout) != 0) {
		snprintf(err, size, "libbpf does not take the programs");
		return -EINVAL;
	}
	rc = bpf_object__load(p->object);
	if (rc != 0) {
		snprintf(err, size,
				rc == -EPERM || rc == -EACCES
						? "CAP_BPF and CAP_PERFMON are needed"
						: "the kernel does not take the programs: %s",
				strerror(-rc));
		return rc;
	}
	p->ring = ring_buffer__new(
			bpf_object__find_map_fd_by_name(p->object, "events"), take, p, NULL);
	if (p->ring == NULL || find_lost(p) != 0) {
		snprintf(err, size, "no memory is shared with the programs: %s", strerror(errno));
		return -ENOMEM;
	}
	return attach(p, err, size);
}

int
qp_probe_open(struct qp_probe **out, void (*event)(void *arg, const struct qp_map_event *event),
		void *arg, char *err, size_t size)
{
	struct qp_probe *p = calloc(1, sizeof(*p));
	int rc;

	*out = NULL;
	if (p == NULL) {
		snprintf(err, size, "out of memory");
		return -ENOMEM;
	}
	p->event = event;
	p->arg = arg;
	libbpf_set_print(be_silent);
	rc = load(p, err, size);
	if (rc != 0) {
		qp_probe_close(p);
		return rc;
	}
	*out = p;
	return 0;
}

int
qp_probe_fd(const struct qp_probe *p)
{
	return ring_buffer__epoll_fd(p->ring);
}

unsigned int
qp_probe_read(struct qp_probe *p, unsigned int most)
{
	p->left = most;
	ring_buffer__consume(p->ring);
	return most - p->left;
}

uint64_t
qp_probe_lost(struct qp_probe *p)
{
	const uint64_t n = __atomic_load_n(p->kernel_lost, __ATOMIC_RELAXED), more = n - p->lost;

	p->lost = n;
	return more;
}

void
qp_probe_close(struct qp_probe *p)
{
	if (p == NULL)
		return;
	for (unsigned int i = 0; i < p->n_links; i++)
		bpf_link__destroy(p->link[i]);
	ring_buffer__free(p->ring);
	bpf_object__close(p->object);
	free(p);
}
