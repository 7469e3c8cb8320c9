/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

#define PERMILLE 1000

struct file {
	FILE *out; /* NULL: the scenario does not ask for it */
	char *name;
};

struct lab_records {
	const struct lab_scenario *sc;
	struct file messages, fct;
};

static int
open_file(struct file *f, const char *dir, const char *name, char *err, size_t err_size)
{
	if (asprintf(&f->name, "%s/%s", dir, name) < 0) {
		f->name = NULL;
		snprintf(err, err_size, "out of memory");
		return -1;
	}
	f->out = fopen(f->name, "we");
	if (f->out == NULL)
		snprintf(err, err_size, "%s: %s", f->name, strerror(errno));
	return f->out == NULL ? -1 : 0;
}

struct lab_records *
lab_records_create(const struct lab_scenario *sc, const char *dir, char *err, size_t err_size)
{
	struct lab_records *r = calloc(1, sizeof(*r));

	if (r == NULL) {
		snprintf(err, err_size, "out of memory");
		return NULL;
	}
	r->sc = sc;
	if ((sc->record_messages &&
			    open_file(&r->messages, dir, "messages.csv", err, err_size) != 0) ||
			(sc->record_fct &&
					open_file(&r->fct, dir, "fct.txt", err, err_size) != 0)) {
		lab_records_close(r);
		return NULL;
	}
	if (r->messages.out != NULL)
		fputs("flow,from,to,bytes,start_ns,end_ns,fct_ns,ideal_ns,slowdown\n",
				r->messages.out);
	return r;
}

/* The IPv4 address that the simulations give a host. */
static uint32_t
ns3_address(unsigned int host)
{
	return 0x0b000001 + (host / 256) * 0x10000 + (host % 256) * 0x100;
}

void
lab_records_put(struct lab_records *r, const struct lab_message_record *m)
{
	const struct lab_flow *flow = &r->sc->flow[m->flow];
	const uint64_t fct = m->end_ns - m->start_ns;

	if (r->messages.out != NULL) {
		fprintf(r->messages.out,
				"%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
				m->label, r->sc->host[flow->from].name, r->sc->host[flow->to].name,
				m->bytes, m->start_ns, m->end_ns, fct);
		if (m->ideal_ns != 0) {
			uint64_t slowdown = (uint64_t)(((unsigned __int128)fct * PERMILLE +
								       m->ideal_ns / 2) /
						       m->ideal_ns);

			fprintf(r->messages.out, "%" PRIu64 ",%" PRIu64 ".%03" PRIu64, m->ideal_ns,
					slowdown / PERMILLE, slowdown % PERMILLE);
		} else {
			fputc(',', r->messages.out);
		}
		fputc('\n', r->messages.out);
	}
	if (r->fct.out != NULL)
		fprintf(r->fct.out,
				"%08x %08x %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				ns3_address(flow->from), ns3_address(flow->to), m->qp & UINT16_MAX,
				flow->fct_port != 0 ? flow->fct_port : LAB_FCT_PORT, m->bytes,
				m->start_ns, fct, m->ideal_ns);
}

static int
close_file(struct file *f)
{
	int failed = 0;

	if (f->out != NULL) {
		failed = ferror(f->out);
		failed |= fclose(f->out) != 0;
		if (failed)
			fprintf(stderr, "%s: could not be written\n", f->name);
	}
	free(f->name);
	return failed ? -EIO : 0;
}

int
lab_records_close(struct lab_records *r)
{
	int rc = 0;

	if (r == NULL)
		return 0;
	if (close_file(&r->messages) != 0)
		rc = -EIO;
	if (close_file(&r->fct) != 0)
		rc = -EIO;
	free(r);
	return rc;
}
