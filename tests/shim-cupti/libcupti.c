// A stand-in for CUPTI, for tests of counting beside the stand-in for the driver's library: every metric has as many as kernels were
// launched within the range, of one pass. Environment variables say what else it does:
//   STAND_IN_CUPTI_PASSES: the passes that the metrics take, 1 unless given
//   STAND_IN_CUPTI_REFUSES: FUNCTION=RESULT, a function that gives this result
//   STAND_IN_CUPTI_WITHOUT: a metric that the GPU does not have; a host object that was asked for it refuses everything afterwards
// Like CUPTI it opens libnvperf_host.so by that name, and cannot do without it.
// Compiled with -DWITHOUT_RANGES, it is as old as that of CUDA 12.6 before its second update.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default"))) int

enum { SUCCESS = 0, INVALID_PARAMETER = 1, NOT_INITIALIZED = 15, UNKNOWN = 999, IMAGE_BYTES = 64 };

// Every structure of parameters begins so. What follows has the size of a pointer each, but for what `stopped` is of.
typedef struct {
    size_t size;
    void *private;
    size_t rest[10];
} Parameters;

// Where `isAllPassSubmitted` stands in the parameters of cuptiRangeProfilerStop: behind three others and two numbers of passes and levels.
enum { IS_LAST_OFFSET = 40 };

static int is_spoilt;
static long launches_within;

static int passes(void) {
    const char *text = getenv("STAND_IN_CUPTI_PASSES");
    return text == NULL ? 1 : atoi(text);
}

static int result_of(const char *function) {
    const char *text = getenv("STAND_IN_CUPTI_REFUSES");
    size_t length = strlen(function);
    if (text == NULL || strncmp(text, function, length) != 0 || text[length] != '=') return SUCCESS;
    return atoi(text + length + 1);
}

#define FUNCTION(name)                                                                                                 \
    static int do_##name(Parameters *own);                                                                             \
    PUBLIC name(Parameters *own) {                                                                                     \
        int result = result_of(#name);                                                                                 \
        return result != SUCCESS ? result : do_##name(own);                                                            \
    }                                                                                                                  \
    static int do_##name(Parameters *own)

#define NOTHING(name)                                                                                                  \
    FUNCTION(name) {                                                                                                   \
        (void)own;                                                                                                     \
        return SUCCESS;                                                                                                \
    }

PUBLIC cuptiGetVersion(uint32_t *version) {
    *version = 130001;
    return SUCCESS;
}

PUBLIC cuptiGetResultString(int result, const char **name) {
    switch (result) {
    case INVALID_PARAMETER: *name = "CUPTI_ERROR_INVALID_PARAMETER"; return SUCCESS;
    case NOT_INITIALIZED: *name = "CUPTI_ERROR_NOT_INITIALIZED"; return SUCCESS;
    case 35: *name = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"; return SUCCESS;
    default: return INVALID_PARAMETER;
    }
}

NOTHING(cuptiProfilerInitialize)

FUNCTION(cuptiDeviceGetChipName) {
    own->rest[1] = (size_t)"GH100";
    return SUCCESS;
}

FUNCTION(cuptiProfilerGetCounterAvailability) {
    if (own->rest[2] == 0) own->rest[1] = IMAGE_BYTES;
    return own->rest[1] == IMAGE_BYTES ? SUCCESS : INVALID_PARAMETER;
}

FUNCTION(cuptiProfilerHostInitialize) {
    is_spoilt = 0;
    own->rest[3] = 1;
    return dlopen("libnvperf_host.so", RTLD_NOW) == NULL ? NOT_INITIALIZED : SUCCESS;
}

NOTHING(cuptiProfilerHostDeinitialize)

FUNCTION(cuptiProfilerHostConfigAddMetrics) {
    const char *without = getenv("STAND_IN_CUPTI_WITHOUT");
    const char *const *names = (const char *const *)own->rest[1];
    if (is_spoilt) return UNKNOWN;
    is_spoilt = without != NULL && strcmp(names[0], without) == 0;
    return is_spoilt ? INVALID_PARAMETER : SUCCESS;
}

FUNCTION(cuptiProfilerHostGetConfigImageSize) {
    own->rest[1] = IMAGE_BYTES;
    return SUCCESS;
}

FUNCTION(cuptiProfilerHostGetConfigImage) { return own->rest[1] == IMAGE_BYTES ? SUCCESS : INVALID_PARAMETER; }

FUNCTION(cuptiProfilerHostEvaluateToGpuValues) {
    double *values = (double *)own->rest[6];
    for (size_t i = 0; i < own->rest[5]; ++i) values[i] = (double)launches_within / passes();
    return SUCCESS;
}

#ifndef WITHOUT_RANGES
static int pass;
static long launches_before;

// What the driver's stand-in has launched so far; it is loaded, but its names are not to be seen from here.
static long launches(void) {
    void *driver = dlopen("libcuda.so", RTLD_NOW | RTLD_NOLOAD);
    const long *count = driver == NULL ? NULL : dlsym(driver, "stand_in_launches");
    return count == NULL ? -1 : *count;
}

FUNCTION(cuptiRangeProfilerEnable) {
    (void)own;
    pass = 0;
    launches_within = 0;
    return SUCCESS;
}

NOTHING(cuptiRangeProfilerDisable)

FUNCTION(cuptiRangeProfilerGetCounterDataSize) {
    own->rest[5] = IMAGE_BYTES;
    return SUCCESS;
}

FUNCTION(cuptiRangeProfilerCounterDataImageInitialize) {
    return own->rest[1] == IMAGE_BYTES ? SUCCESS : INVALID_PARAMETER;
}

NOTHING(cuptiRangeProfilerSetConfig)
NOTHING(cuptiRangeProfilerStart)

FUNCTION(cuptiRangeProfilerPushRange) {
    (void)own;
    launches_before = launches();
    return SUCCESS;
}

FUNCTION(cuptiRangeProfilerPopRange) {
    (void)own;
    launches_within += launches() - launches_before;
    return SUCCESS;
}

FUNCTION(cuptiRangeProfilerStop) {
    pass += 1;
    ((uint8_t *)own)[IS_LAST_OFFSET] = pass == passes();
    return SUCCESS;
}

NOTHING(cuptiRangeProfilerDecodeData)
#endif
