/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <netinet/in.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "fcn_cnp_l4.h"
#include "fcn_crc_fold.h"
#include "fcn_fastcnp.h"
#include "fcn_trimmed_option.h"
#include "option.h"
#include "fcn_udp.h"

/* Offsets in the IPv6 header and in the headers behind it. */
#define IPV6_LEN 40
#define IPV6_PLEN_OFF 4
#define IPV6_NH_OFF 6
#define IPV6_SRC_OFF 8
#define IPV6_DST_OFF 24
#define OPT1_EXT_LEN 24
#define OPT1_ADDR_OFF 8 /* in the extension header */
#define TRIMMED_OFF FCN_TRIMMED_OPTION_OFF
#define TRIMMED_EXT_LEN FCN_TRIMMED_EXT_LEN
#define OPT2_TRACE_OFF 8
#define MAX_EXT_LEN 264

/*
 * The ICRC begins with eight octets of ones. After the first four of them the CRC register is zero,
 * and octets of zero do not change it. The image therefore begins with twelve octets of zero and
 * the last four octets of ones. Its length is then a multiple of 16, which avoids a slow partial
 * block in the CRC.
 */
#define IMAGE_ONES 4
#define IMAGE_IP_OFF 20
#define IMAGE_LEN FCN_FASTCNP_IMAGE_LEN
#define IMAGE_L4_OFF (IMAGE_IP_OFF + IPV6_LEN)
#define IMAGE_L4_LEN FCN_CNP_ICRC_OFF
#define IMAGE_COVER_LEN RTE_ALIGN_CEIL(IMAGE_LEN + MAX_EXT_LEN, 16)

/*
 * Without extension headers, only the bytes from the destination address on differ between notices.
 * The register after the bytes before it depends on the payload length alone and is computed in
 * advance. A CRC that starts from register R equals one that starts from zero over data whose first
 * four octets were XORed with R.
 */
#define SHORT_DST_OFF 12 /* four octets of ones, eight of zero */
#define SHORT_L4_OFF (SHORT_DST_OFF + 16)
#define SHORT_LEN FCN_FASTCNP_SHORT_LEN

#define CHUNK 32       /* requests whose images are in the cache at the same time */
#define CHUNK_COVER 16 /* the same with FCN_ICRC_COVER, whose images are longer */

_Static_assert(IMAGE_L4_OFF + IMAGE_L4_LEN == IMAGE_LEN && IMAGE_LEN % 16 == 0, "image layout");
_Static_assert(SHORT_L4_OFF + IMAGE_L4_LEN == SHORT_LEN && SHORT_LEN % 16 == 0,
		"short image layout");
_Static_assert(IPV6_LEN + OPT1_EXT_LEN + FCN_CNP_UDP_LEN == FCN_FASTCNP_OPT1_LEN,
		"option 1 layout");
_Static_assert(IPV6_LEN + TRIMMED_EXT_LEN + FCN_CNP_UDP_LEN == FCN_FASTCNP_TRIMMED_LEN &&
				TRIMMED_EXT_LEN % 8 == 0,
		"layout with a Trimmed Packet option");
_Static_assert(IPV6_LEN + MAX_EXT_LEN + FCN_CNP_UDP_LEN == FCN_FASTCNP_MAX_LEN, "option 2 layout");

static inline void
put16(uint8_t *p, uint16_t value)
{
	rte_be16_t be = fcn_cnp_be16(value);

	memcpy(p, &be, sizeof(be));
}

/* Write the variable fields of UDP and BTH into an image. */
static inline void
patch_image_l4(uint8_t *udp, const struct fcn_fastcnp_request *req)
{
	fcn_cnp_l4_patch(udp, req->src_port, req->p_key, req->dest_qp);
	udp[FCN_CNP_ECN_OFF] = 0xFF;
}

/* Write the bytes that the ICRC covers in the modes skip and norm, in the short form. */
static inline void
put_image(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req,
		uint32_t ext_len, uint8_t *image)
{
	uint32_t head;

	memcpy(image, tmpl->short_image, SHORT_LEN);
	memcpy(&head, req->sender, sizeof(head));
	memcpy(image + SHORT_DST_OFF, req->sender, 16);
	head ^= tmpl->prefix_crc[ext_len / 8];
	memcpy(image + SHORT_DST_OFF, &head, sizeof(head));
	patch_image_l4(image + SHORT_L4_OFF, req);
}

/* Prepare the image from the destination address on, and the register before it for each length. */
static void
init_short(struct fcn_fastcnp_template *tmpl)
{
	uint8_t prefix[IMAGE_IP_OFF + IPV6_DST_OFF];

	memset(tmpl->short_image, 0xFF, IMAGE_ONES);
	memcpy(tmpl->short_image + SHORT_L4_OFF, tmpl->masked + IMAGE_L4_OFF, IMAGE_L4_LEN);
	memcpy(prefix, tmpl->masked, sizeof(prefix));
	for (uint32_t i = 0; i < RTE_DIM(tmpl->prefix_crc); i++) {
		if (tmpl->conf.icrc_mode == FCN_ICRC_SKIP)
			put16(prefix + IMAGE_IP_OFF + IPV6_PLEN_OFF, i * 8 + FCN_CNP_UDP_LEN);
		/* the register is the CRC without its final inversion */
		tmpl->prefix_crc[i] = rte_cpu_to_le_32(
				~fcn_crc32(&tmpl->crc, prefix, sizeof(prefix)));
	}
}

/* Prepare what build_fold() needs. The factors depend on the octets behind the fields, up to the
 * end of what the ICRC covers. */
static void
init_fold(struct fcn_fastcnp_template *tmpl)
{
	static const uint8_t zero[16];
	const struct fcn_fastcnp_request none = {.sender = zero, .receiver = zero};

	tmpl->folds = fcn_crc_fold_bits();
	for (unsigned int i = 0; i < 2; i++) {
		tmpl->sender_factor[i] = fcn_crc_fold_factor(IMAGE_L4_LEN + 8 - 8 * i);
		tmpl->l4_factor[i] = fcn_crc_fold_factor(IMAGE_L4_LEN - 8 - 8 * i);
	}
	for (uint32_t i = 0; i < RTE_DIM(tmpl->zero_crc); i++) {
		uint8_t image[SHORT_LEN];

		put_image(tmpl, &none, i * 8, image);
		tmpl->zero_crc[i] = fcn_crc32(&tmpl->crc, image, SHORT_LEN);
	}
}

int
fcn_fastcnp_template_init(struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_conf *conf)
{
	uint8_t tclass = (uint8_t)(conf->dscp << 2);
	uint8_t *ip = tmpl->packet, *ext = ip + IPV6_LEN, *udp = ext + OPT1_EXT_LEN;
	uint8_t *masked = tmpl->masked + IMAGE_IP_OFF;

	memset(tmpl, 0, sizeof(*tmpl));
	if (!fcn_fastcnp_type_is_valid(conf->opt1_type) ||
			!fcn_fastcnp_type_is_valid(conf->opt2_type))
		return -EINVAL;
	tmpl->conf = *conf;

	ip[0] = 0x60 | tclass >> 4;
	ip[1] = (uint8_t)(tclass << 4);
	ip[IPV6_PLEN_OFF + 1] = OPT1_EXT_LEN + FCN_CNP_UDP_LEN;
	ip[IPV6_NH_OFF] = IPPROTO_DSTOPTS;
	ip[7] = conf->hop_limit;
	memcpy(ip + IPV6_SRC_OFF, conf->source, 16);
	ext[0] = IPPROTO_UDP;
	ext[1] = OPT1_EXT_LEN / 8 - 1;
	ext[2] = FCN_IPV6_OPT_PADN;
	ext[3] = 2;
	ext[6] = conf->opt1_type;
	ext[7] = FCN_FASTCNP_OPT1_DATA;
	fcn_cnp_l4_init(udp);

	/* The receiver's address is part of neither the pseudo-header nor the datagram. */
	tmpl->checksum_base = fcn_udp_sum(
			conf->source, ip + IPV6_DST_OFF, 16, udp, FCN_CNP_UDP_LEN);

	memset(tmpl->masked, 0xFF, IMAGE_ONES);
	memset(masked - IMAGE_ONES, 0xFF, IMAGE_ONES);
	memcpy(masked, ip, IPV6_LEN);
	masked[0] = 0x6F;
	memset(masked + 1, 0xFF, 3);
	if (conf->icrc_mode == FCN_ICRC_NORM) {
		masked[IPV6_PLEN_OFF + 1] = FCN_CNP_UDP_LEN;
		masked[IPV6_NH_OFF] = IPPROTO_UDP;
	}
	masked[7] = 0xFF;
	memcpy(masked + IPV6_LEN, udp, IMAGE_L4_LEN);
	masked[IPV6_LEN + FCN_UDP_CKSUM_OFF] = 0xFF;
	masked[IPV6_LEN + FCN_UDP_CKSUM_OFF + 1] = 0xFF;
	masked[IPV6_LEN + FCN_CNP_ECN_OFF] = 0xFF;

	if (fcn_crc32_init(&tmpl->crc) != 0)
		return -ENOMEM;
	init_short(tmpl);
	init_fold(tmpl);
	return 0;
}

void
fcn_fastcnp_template_fini(struct fcn_fastcnp_template *tmpl)
{
	fcn_crc32_fini(&tmpl->crc);
}

/*
 * Check whether the Fast CNP gets option 2. If the trace is malformed or does not fit, it gets
 * option 1.
 */
static inline bool
has_trace(const struct fcn_fastcnp_request *req)
{
	return req->trace != NULL && fcn_fastcnp_trace_fits(req->trace_len);
}

/* Write the extension header with option 2. Returns its length, which depends on the trace. */
static uint32_t
put_ext2(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req,
		uint8_t *ext)
{
	uint32_t used = FCN_FASTCNP_OPT2_FIXED_LEN - FCN_IOAM_TRACE_HDR_LEN + req->trace_len;
	uint32_t len = RTE_ALIGN_CEIL(used, 8);

	ext[0] = IPPROTO_UDP;
	ext[1] = (uint8_t)(len / 8 - 1);
	ext[2] = FCN_IPV6_OPT_PADN;
	ext[3] = 0;
	ext[4] = tmpl->conf.opt2_type;
	ext[5] = (uint8_t)(2 + req->trace_len + 16);
	ext[6] = 0;
	ext[7] = req->trace_type;
	memcpy(ext + OPT2_TRACE_OFF, req->trace, req->trace_len);
	memcpy(ext + used - 16, req->receiver, 16);
	if (len != used) {
		ext[used] = FCN_IPV6_OPT_PADN;
		ext[used + 1] = 2;
		ext[used + 2] = 0;
		ext[used + 3] = 0;
	}
	return len;
}

static inline uint32_t
put_ext1(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req,
		uint8_t *ext)
{
	memcpy(ext, tmpl->packet + IPV6_LEN, OPT1_ADDR_OFF);
	memcpy(ext + OPT1_ADDR_OFF, req->receiver, 16);
	return OPT1_EXT_LEN;
}

/* Write the extension header with option 1 and a Trimmed Packet option. */
static uint32_t
put_ext_trimmed(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req,
		uint8_t *ext)
{
	put_ext1(tmpl, req, ext);
	ext[1] = TRIMMED_EXT_LEN / 8 - 1;
	fcn_option_pad(ext + OPT1_EXT_LEN, TRIMMED_OFF - OPT1_EXT_LEN);
	memcpy(ext + TRIMMED_OFF, req->trimmed, 2 + FCN_TRIMMED_OPTION_DATA);
	return TRIMMED_EXT_LEN;
}

/* Write the extension header, whatever is in it. Returns its length. */
static uint32_t
put_ext(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req,
		uint8_t *ext)
{
	if (req->trimmed != NULL)
		return put_ext_trimmed(tmpl, req, ext);
	return has_trace(req) ? put_ext2(tmpl, req, ext) : put_ext1(tmpl, req, ext);
}

/* Write the packet without ICRC and checksum. Returns the length of its extension header. */
static inline uint32_t
put_packet(const struct fcn_fastcnp_template *tmpl, struct fcn_fastcnp_request *req)
{
	uint8_t *p = req->buf, *udp;
	uint32_t ext_len = OPT1_EXT_LEN;

	if (likely(!has_trace(req) && req->trimmed == NULL)) {
		memcpy(p, tmpl->packet, FCN_FASTCNP_OPT1_LEN);
		memcpy(p + IPV6_LEN + OPT1_ADDR_OFF, req->receiver, 16);
		udp = p + IPV6_LEN + OPT1_EXT_LEN;
	} else {
		memcpy(p, tmpl->packet, IPV6_LEN);
		ext_len = put_ext(tmpl, req, p + IPV6_LEN);
		put16(p + IPV6_PLEN_OFF, (uint16_t)(ext_len + FCN_CNP_UDP_LEN));
		udp = p + IPV6_LEN + ext_len;
		memcpy(udp, tmpl->packet + IPV6_LEN + OPT1_EXT_LEN, FCN_CNP_UDP_LEN);
	}
	memcpy(p + IPV6_DST_OFF, req->sender, 16);
	fcn_cnp_l4_patch(udp, req->src_port, req->p_key, req->dest_qp);
	req->len = (uint16_t)(IPV6_LEN + ext_len + FCN_CNP_UDP_LEN);
	return ext_len;
}

/*
 * Write the bytes that the ICRC covers in the mode cover, which include the extension header.
 * Returns its length.
 */
static uint32_t
put_image_cover(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req,
		uint8_t *image)
{
	uint8_t *ext = image + IMAGE_L4_OFF;
	uint32_t ext_len;

	memcpy(image, tmpl->masked, IMAGE_L4_OFF);
	memcpy(image + IMAGE_IP_OFF + IPV6_DST_OFF, req->sender, 16);
	/*
	 * The header is built a second time, because loading the bytes of the packet would stall on
	 * the stores just made.
	 */
	ext_len = put_ext(tmpl, req, ext);
	put16(image + IMAGE_IP_OFF + IPV6_PLEN_OFF, (uint16_t)(ext_len + FCN_CNP_UDP_LEN));
	memcpy(ext + ext_len, tmpl->masked + IMAGE_L4_OFF, IMAGE_L4_LEN);
	patch_image_l4(ext + ext_len, req);
	return IMAGE_LEN + ext_len;
}

/*
 * Write the ICRC, then the UDP checksum, which covers it. The checksum is computed from the few
 * words that vary. A sum in one's complement may have any width: what exceeds 64 bits is added at
 * the other end.
 */
static inline void
finish(const struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_request *req, uint32_t crc)
{
	uint8_t *udp = req->buf + req->len - FCN_CNP_UDP_LEN;
	rte_le32_t icrc = rte_cpu_to_le_32(crc);
	uint64_t dst[2], sum;
	uint16_t checksum;

	memcpy(dst, req->sender, sizeof(dst));
	sum = (uint64_t)tmpl->checksum_base + icrc + rte_cpu_to_be_32(req->dest_qp & 0xFFFFFF) +
	      fcn_cnp_be16(req->src_port) + fcn_cnp_be16(req->p_key);
	for (unsigned int i = 0; i < RTE_DIM(dst); i++) {
		bool carry = __builtin_add_overflow(sum, dst[i], &sum);

		sum += carry;
	}
	checksum = fcn_cnp_checksum(sum);
	memcpy(udp + FCN_CNP_ICRC_OFF, &icrc, sizeof(icrc));
	memcpy(udp + FCN_UDP_CKSUM_OFF, &checksum, sizeof(checksum));
}

static void
build_chunk(const struct fcn_fastcnp_template *tmpl, struct fcn_fastcnp_request *req,
		unsigned int n)
{
	uint8_t image[CHUNK][SHORT_LEN] __rte_aligned(16);

	for (unsigned int i = 0; i < n; i++)
		put_image(tmpl, &req[i], put_packet(tmpl, &req[i]), image[i]);
	for (unsigned int i = 0; i < n; i++)
		finish(tmpl, &req[i], fcn_crc32(&tmpl->crc, image[i], SHORT_LEN));
}

#ifdef RTE_ARCH_X86

/*
 * Build notices by what their variable fields contribute to the ICRC. Nothing is loaded that was
 * just stored, so one pass is enough.
 */
FCN_CRC_FOLD_TARGET static void
build_fold(const struct fcn_fastcnp_template *tmpl, struct fcn_fastcnp_request *req, unsigned int n)
{
	const __m128i sender_factor = _mm_set_epi64x(
			tmpl->sender_factor[1], tmpl->sender_factor[0]);
	const __m128i l4_factor = _mm_set_epi64x(tmpl->l4_factor[1], tmpl->l4_factor[0]);

	for (unsigned int i = 0; i < n; i++, req++) {
		const uint32_t zero = tmpl->zero_crc[put_packet(tmpl, req) / 8];
		const __m128i sender = _mm_loadu_si128((const __m128i_u *)req->sender);
		const __m128i l4 = _mm_set_epi64x(
				(uint64_t)fcn_cnp_be16(req->p_key) << 16 |
						(uint64_t)rte_cpu_to_be_32(req->dest_qp & 0xFFFFFF)
								<< 32,
				fcn_cnp_be16(req->src_port));
		const __m128i sum = _mm_xor_si128(fcn_crc_fold_pair(sender, sender_factor),
				fcn_crc_fold_pair(l4, l4_factor));

		finish(tmpl, req, zero ^ fcn_crc_fold_reduce(sum));
	}
}

#else

static void
build_fold(const struct fcn_fastcnp_template *tmpl, struct fcn_fastcnp_request *req, unsigned int n)
{
	build_chunk(tmpl, req, n);
}

#endif

static void
build_chunk_cover(const struct fcn_fastcnp_template *tmpl, struct fcn_fastcnp_request *req,
		unsigned int n)
{
	uint8_t image[CHUNK_COVER][IMAGE_COVER_LEN] __rte_aligned(16);
	uint32_t len[CHUNK_COVER];

	for (unsigned int i = 0; i < n; i++) {
		put_packet(tmpl, &req[i]);
		len[i] = put_image_cover(tmpl, &req[i], image[i]);
	}
	for (unsigned int i = 0; i < n; i++)
		finish(tmpl, &req[i], fcn_crc32(&tmpl->crc, image[i], len[i]));
}

void
fcn_fastcnp_build_burst(const struct fcn_fastcnp_template *tmpl, struct fcn_fastcnp_request *req,
		unsigned int n)
{
	const bool cover = tmpl->conf.icrc_mode == FCN_ICRC_COVER;
	const unsigned int chunk = cover ? CHUNK_COVER : CHUNK;

	for (unsigned int i = 0; i < n; i += chunk) {
		unsigned int now = RTE_MIN(n - i, chunk);

		if (cover)
			build_chunk_cover(tmpl, &req[i], now);
		else if (likely(tmpl->folds != 0))
			build_fold(tmpl, &req[i], now);
		else
			build_chunk(tmpl, &req[i], now);
	}
}
