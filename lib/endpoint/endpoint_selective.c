/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Selective repeat, after IRN (SIGCOMM 2018): a receiver stores packets that arrive out of order,
 * and each of its NAKs carries the number of such a packet in place of the message number. The
 * sender then retransmits, once, the packets before it that have not been reported. If a
 * retransmission is lost, the timeout repairs it. Of a packet that a switch has trimmed the
 * receiver has the header, and asks for exactly this packet, as often as it is trimmed.
 */

#include <string.h>

#include <rte_common.h>

#include "endpoint_state.h"

static unsigned int
word(uint64_t packet)
{
	return packet % ENDPOINT_SELECTIVE / 64;
}

static uint64_t
bit(uint64_t packet)
{
	return UINT64_C(1) << packet % 64;
}

/* Skip packets that have arrived, and those that were sent again because they were trimmed. */
static void
skip_arrived(struct endpoint_selective *s)
{
	while (s->again < s->again_end &&
			((s->arrived[word(s->again)] | s->repeated[word(s->again)]) &
					bit(s->again)) != 0)
		s->again++;
}

bool
endpoint_selective_lost(const struct endpoint_qp *qp)
{
	return qp->selective->n_asked > 0 || qp->selective->again < qp->selective->again_end;
}

/* Take the first packet that was asked for; there is one. */
static uint64_t
take_asked(const struct endpoint_qp *qp)
{
	struct endpoint_selective *s = qp->selective;
	uint64_t packet = qp->snd_una, bits;

	while ((bits = s->asked[word(packet)] >> packet % 64) == 0)
		packet = (packet | 63) + 1;
	packet += (unsigned int)__builtin_ctzll(bits);
	s->asked[word(packet)] &= ~bit(packet);
	s->n_asked--;
	return packet;
}

uint64_t
endpoint_selective_take_lost(struct endpoint_qp *qp)
{
	struct endpoint_selective *s = qp->selective;
	uint64_t packet;

	if (s->n_asked > 0)
		return take_asked(qp);
	packet = s->again++;
	skip_arrived(s);
	return packet;
}

void
endpoint_selective_ask(struct endpoint_qp *qp, uint64_t packet)
{
	struct endpoint_selective *s = qp->selective;

	if (((s->asked[word(packet)] | s->arrived[word(packet)]) & bit(packet)) != 0)
		return;
	s->asked[word(packet)] |= bit(packet);
	s->repeated[word(packet)] |= bit(packet);
	s->n_asked++;
	skip_arrived(s);
}

void
endpoint_selective_note_returned(struct endpoint_qp *qp, uint64_t packet)
{
	uint8_t *times = &qp->selective->returned[packet % ENDPOINT_SELECTIVE];

	if (*times < UINT8_MAX)
		++*times;
}

bool
endpoint_selective_was_returned(struct endpoint_qp *qp, uint64_t packet)
{
	uint8_t *times = &qp->selective->returned[packet % ENDPOINT_SELECTIVE];

	if (*times == 0)
		return false;
	--*times;
	return true;
}

void
endpoint_selective_arrived(struct endpoint_qp *qp, uint32_t psn)
{
	struct endpoint_selective *s = qp->selective;
	uint64_t packet = qp->snd_una + ((psn - (uint32_t)qp->snd_una) & ENDPOINT_PSN_MASK);

	if (packet >= qp->snd_nxt)
		return;
	s->arrived[word(packet)] |= bit(packet);
	if ((s->asked[word(packet)] & bit(packet)) != 0) {
		s->asked[word(packet)] &= ~bit(packet);
		s->n_asked--;
	}
	s->again_end = RTE_MAX(s->again_end, packet);
	skip_arrived(s);
}

static void
forget_asked(struct endpoint_selective *s)
{
	memset(s->asked, 0, sizeof(s->asked));
	memset(s->repeated, 0, sizeof(s->repeated));
	memset(s->returned, 0, sizeof(s->returned));
	s->n_asked = 0;
}

void
endpoint_selective_all_lost(struct endpoint_qp *qp)
{
	struct endpoint_selective *s = qp->selective;

	forget_asked(s);
	s->again = qp->snd_una;
	s->again_end = qp->snd_nxt;
	skip_arrived(s);
}

void
endpoint_selective_acknowledged(struct endpoint_qp *qp, uint64_t before)
{
	struct endpoint_selective *s = qp->selective;

	for (uint64_t packet = before; packet < qp->snd_una; packet++) {
		s->n_asked -= (s->asked[word(packet)] & bit(packet)) != 0;
		s->asked[word(packet)] &= ~bit(packet);
		s->arrived[word(packet)] &= ~bit(packet);
		s->repeated[word(packet)] &= ~bit(packet);
		s->returned[packet % ENDPOINT_SELECTIVE] = 0;
	}
	s->again = RTE_MAX(s->again, qp->snd_una);
	s->again_end = RTE_MAX(s->again_end, s->again);
	skip_arrived(s);
}

void
endpoint_selective_back(struct endpoint_qp *qp)
{
	struct endpoint_selective *s = qp->selective;

	memset(s->arrived, 0, sizeof(s->arrived));
	forget_asked(s);
	s->again = s->again_end = qp->snd_una;
}

bool
endpoint_selective_keep(struct endpoint_qp *qp, uint32_t ahead, uint8_t opcode, uint32_t payload)
{
	struct endpoint_selective *s = qp->selective;
	struct endpoint_kept *kept = &s->kept[(qp->rcv_nxt + ahead) % ENDPOINT_SELECTIVE];

	if (kept->payload != 0)
		return false;
	*kept = (struct endpoint_kept){.payload = (uint16_t)payload, .opcode = opcode};
	s->n_kept++;
	return true;
}

bool
endpoint_selective_has(const struct endpoint_qp *qp, uint32_t ahead)
{
	return qp->selective->kept[(qp->rcv_nxt + ahead) % ENDPOINT_SELECTIVE].payload != 0;
}

bool
endpoint_selective_next(struct endpoint_qp *qp, uint8_t *opcode, uint32_t *payload)
{
	struct endpoint_selective *s = qp->selective;
	struct endpoint_kept *kept = &s->kept[qp->rcv_nxt % ENDPOINT_SELECTIVE];

	if (kept->payload == 0)
		return false;
	*opcode = kept->opcode;
	*payload = kept->payload;
	kept->payload = 0;
	s->n_kept--;
	return true;
}
