/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Files of a run, and what is said when they cannot be written. */

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "fcn_fastcnp.h"
#include "measured.h"
#include "report.h"

#define PATH_ROOM 300

static char dir[] = "/tmp/test_lab_XXXXXX";

static void
path_of(char *path, const char *run, const char *file)
{
	snprintf(path, PATH_ROOM, "%s/%s/%s", dir, run, file);
}

/* @return bytes read, to be freed */
static uint8_t *
read_file(const char *run, const char *file, size_t *len)
{
	char path[PATH_ROOM];
	struct stat st;
	uint8_t *data;
	FILE *in;

	path_of(path, run, file);
	assert_int_equal(stat(path, &st), 0);
	data = calloc(1, (size_t)st.st_size + 1);
	in = fopen(path, "r");
	assert_non_null(in);
	*len = fread(data, 1, (size_t)st.st_size, in);
	fclose(in);
	return data;
}

static bool
exists(const char *run, const char *file)
{
	char path[PATH_ROOM];
	struct stat st;

	path_of(path, run, file);
	return stat(path, &st) == 0 && st.st_size > 0;
}

static int
setup(void **state)
{
	if (fcn_test_eal_init(state) != 0 || mkdtemp(dir) == NULL)
		return -1;
	return 0;
}

static int
remove_tree(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char name[2 * PATH_ROOM];

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (unlink(name) != 0)
			remove_tree(name);
	}
	if (d != NULL)
		closedir(d);
	return rmdir(path);
}

static int
teardown(void **state)
{
	remove_tree(dir);
	return fcn_test_eal_cleanup(state);
}

TEST_FIXTURE(.begin = setup, .end = teardown);

/* A frame without a pool. */
static void
frame_init(struct rte_mbuf *m, uint8_t *data, uint16_t len)
{
	memset(m, 0, sizeof(*m));
	m->buf_addr = data;
	m->data_len = len;
	m->pkt_len = len;
	m->nb_segs = 1;
}

static uint32_t
le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* pcap's file format: 24 bytes, magic of nanoseconds; per frame seconds, nanoseconds, lengths. */
TEST(frames)
{
	uint8_t data[60], *file;
	struct measured t;
	struct rte_mbuf m;
	char path[PATH_ROOM];
	size_t len;

	measured_init(&t);
	t.link[1].pcap = true;
	path_of(path, "pcap", "");
	measured_begin(&t, path);
	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	frame_init(&m, data, sizeof(data));
	lab_measure_frame(t.m, 1, 0, &m, FCN_LINK_SENT, 5000000123);
	lab_measure_frame(t.m, 1, 0, &m, FCN_LINK_DOWN, 5000000124);
	lab_measure_frame(t.m, 1, 0, &m, FCN_LINK_LOST, 5000000125);
	lab_measure_frame(t.m, 0, 0, &m, FCN_LINK_SENT, 5000000126);
	json_decref(measured_end(&t, 6000000000));
	file = read_file("pcap", "h2-s1.pcap", &len);
	assert_int_equal(len, 24 + 2 * (16 + 60));
	assert_int_equal(le32(file), 0xa1b23c4d);
	assert_int_equal(le32(file + 20), 1);
	assert_int_equal(le32(file + 24), 5);
	assert_int_equal(le32(file + 28), 123);
	assert_int_equal(le32(file + 32), 60);
	assert_int_equal(le32(file + 36), 60);
	assert_memory_equal(file + 40, data, 60);
	assert_int_equal(le32(file + 104), 125);
	free(file);
	assert_true(exists("pcap", "s1-h2.pcap"));
	assert_false(exists("pcap", "h1-s1.pcap"));
}

static uint16_t
fast_cnp(uint8_t *frame, const struct lab_flow *flow, uint32_t dest_qp)
{
	struct fcn_fastcnp_template tmpl;
	struct fcn_fastcnp_conf conf = {.opt1_type = 0x9e, .opt2_type = 0x9f, .hop_limit = 64};
	uint8_t sender[16] = {0x20, [15] = (uint8_t)(flow->from + 1)};
	uint8_t receiver[16] = {0x20, [15] = 3};
	struct fcn_fastcnp_request req = {.sender = sender,
			.receiver = receiver,
			.buf = frame + RTE_ETHER_HDR_LEN,
			.dest_qp = dest_qp,
			.src_port = 50000};

	memset(frame, 0, RTE_ETHER_HDR_LEN);
	frame[12] = 0x86;
	frame[13] = 0xdd;
	conf.source[0] = 0x20;
	assert_int_equal(fcn_fastcnp_template_init(&tmpl, &conf), 0);
	fcn_fastcnp_build_burst(&tmpl, &req, 1);
	fcn_fastcnp_template_fini(&tmpl);
	return RTE_ETHER_HDR_LEN + req.len;
}

/* Three notices for a flow, decided at 10, 14, 18; the second is lost as it leaves at 15. Those
 * that come in at 12 and 21 are the first and the third: after 2 and 3 us. */
TEST(lost_notice)
{
	uint8_t data[256];
	struct measured t;
	struct rte_mbuf m;
	json_t *r;

	measured_init(&t);
	for (unsigned int i = 0; i < 3; i++) {
		t.host[i].conf.opt1_type = 0x9e;
		t.host[i].conf.opt2_type = 0x9f;
	}
	measured_begin(&t, NULL);
	measured_notice(&t, FLOW_B2, true, 10 * US);
	measured_host(&t, FLOW_B2, FCN_ENDPOINT_FASTCNP, 0, 0, 12 * US);
	measured_notice(&t, FLOW_B2, true, 14 * US);
	measured_notice(&t, FLOW_B2, true, 18 * US);
	frame_init(&m, data, fast_cnp(data, &t.flow[FLOW_B2], 100 + FLOW_B2));
	lab_measure_frame(t.m, 1, 1, &m, FCN_LINK_SENT, 11 * US);
	lab_measure_frame(t.m, 1, 1, &m, FCN_LINK_NOTICE_LOST, 15 * US);
	measured_host(&t, FLOW_B2, FCN_ENDPOINT_FASTCNP, 0, 0, 21 * US);
	/* of a flow that is not known, and something else that is lost */
	frame_init(&m, data, fast_cnp(data, &t.flow[FLOW_B2], 99));
	lab_measure_frame(t.m, 1, 1, &m, FCN_LINK_LOST, 22 * US);
	data[14 + 6] = 17;
	lab_measure_frame(t.m, 1, 1, &m, FCN_LINK_LOST, 23 * US);
	r = measured_end(&t, 100 * US);
	assert_int_equal((int)metric(r, "notices.lost"), 2);
	assert_int_equal((int)metric(r, "flow.b.notices_lost"), 1);
	assert_int_equal((int)metric(r, "notices.duplicate"), 0);
	assert_int_equal((int)metric(r, "notices.latency_ns.min"), 2 * US);
	assert_int_equal((int)metric(r, "notices.latency_ns.max"), 3 * US);
	json_decref(r);
}

/* A short run with files; saved with what goes to err. */
static json_t *
run_saved(const char *name, const char *value, uint32_t peak, char **err)
{
	struct lab_totals totals = {.now = 1000 * US, .frames = 5};
	struct measured t;
	char path[PATH_ROOM];
	size_t size;
	FILE *out = open_memstream(err, &size);
	json_t *r;

	measured_init(&t);
	t.param[0].value = strdup(value);
	path_of(path, name, "");
	measured_begin(&t, path);
	measured_queue(&t, peak / 2, 10 * US);
	measured_state(&t, FCN_EVENT_CONGESTED, 10 * US);
	measured_notice(&t, FLOW_A, true, 11 * US);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_FASTCNP, 0, 0, 12 * US);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_RATE, 5000000000, 0, 12 * US);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_CNP, 0, 0, 14 * US);
	measured_queue(&t, peak, 20 * US);
	measured_queue(&t, 0, 60 * US);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 1024, 0, 30 * US);
	measured_host(&t, FLOW_A, FCN_ENDPOINT_COMPLETE, 15000, 0, 90 * US);
	totals.hosts = json_array();
	totals.switches = json_array();
	totals.links = json_array();
	totals.violations = json_array();
	r = lab_measure_result(t.m, &totals);
	assert_int_equal(lab_save(t.m, r, out), 0);
	fclose(out);
	lab_measure_free(t.m);
	free(t.param[0].value);
	return r;
}

TEST(saved)
{
	char *err;
	uint8_t *file;
	json_t *r, *again;
	size_t len;

	r = run_saved("one", "4us", 50000, &err);
	file = read_file("one", "result.json", &len);
	again = json_loads((char *)file, 0, NULL);
	assert_true(json_equal(again, r));
	free(file);
	json_decref(again);
	json_decref(r);
	file = read_file("one", "report.txt", &len);
	assert_memory_equal(file, "two senders\n", 12);
	assert_non_null(strstr((char *)file, "s1.h3.3"));
	free(file);
	file = read_file("one", "series.csv", &len);
	assert_non_null(strstr((char *)file, "\n20000,queue,s1.h3.3,50000\n"));
	assert_non_null(strstr((char *)file, "\n11000,notice,s1.h3.3,2\n"));
	assert_non_null(strstr((char *)file, "\n12000,accepted,a,1\n"));
	assert_non_null(strstr((char *)file, "\n12000,rate,a,5000000000\n"));
	assert_non_null(strstr((char *)file, "\n14000,cnp,a,1\n"));
	free(file);
	assert_string_equal(err, "");
	free(err);
}

TEST(no_directory)
{
	struct measured t;
	char err[256] = "";

	measured_init(&t);
	assert_null(lab_measure_create(&t.sc, "/proc/none/dir", err, sizeof(err)));
	assert_string_equal(err, "/proc/none: No such file or directory");
	assert_null(lab_measure_create(&t.sc, "/dev/null", err, sizeof(err)));
	assert_string_equal(err, "/dev/null: File exists");
}
