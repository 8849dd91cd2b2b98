// Kernels, the time that they take, and how they are launched or recorded.

#include <stdlib.h>
#include <string.h>

#include "shim.h"

double now_ns = 1e6;
Graph *recording = NULL;

static const double NS_PER_LAUNCH = 2048;
static const double NS_PER_ELEMENT = 4;

static double no_work(void **arguments) {
    (void)arguments;
    return 0;
}

static double timer_step(void **arguments) {
    **(uint64_t **)arguments[0] = 32;
    return 0;
}

// A clock of 1 GHz.
static double clock_stamp(void **arguments) {
    uint64_t *stamps = *(uint64_t **)arguments[0];
    for (int slot = 0; slot < 2; ++slot) {
        stamps[2 * slot] = (uint64_t)now_ns;
        stamps[2 * slot + 1] = (uint64_t)now_ns;
    }
    return 0;
}

static double multiply_adds(const uint32_t *source, uint32_t *target, uint32_t elements, uint32_t operations) {
    for (uint32_t element = 0; element < elements; ++element) {
        uint32_t value = source[element];
        for (uint32_t operation = 0; operation < operations; ++operation) value = value * 1664525u + 1013904223u;
        target[element] = value;
    }
    return NS_PER_ELEMENT * elements;
}

static double relaunch(void **arguments) {
    return multiply_adds(*(uint32_t **)arguments[0], *(uint32_t **)arguments[1], *(uint32_t *)arguments[2],
                         *(uint32_t *)arguments[3]);
}

static double all_rounds(void **arguments) {
    return multiply_adds(*(uint32_t **)arguments[0], *(uint32_t **)arguments[1], *(uint32_t *)arguments[3],
                         *(uint32_t *)arguments[4]);
}

static const Kernel KERNELS[] = {
    {"timer_step", timer_step, 1, 1},
    {"clock_stamp", clock_stamp, 1, 1},
    {"global_sync_relaunch", relaunch, 2, 2},
    {"global_sync_cooperative", all_rounds, 3, 3},
    {NULL, no_work, 0, 0},
};

enum { LAUNCHES_MAX = 8192, ARGUMENTS_MAX = 8 };

typedef struct {
    const Kernel *kernel;
    uint64_t values[ARGUMENTS_MAX];
} Recorded;

struct Graph {
    int launches;
    Recorded recorded[LAUNCHES_MAX];
};

// How many kernels have run; the stand-in for CUPTI looks at it.
__attribute__((visibility("default"))) long stand_in_launches = 0;

static void run(const Kernel *kernel, void **arguments) {
    now_ns += NS_PER_LAUNCH + kernel->run(arguments);
    ++stand_in_launches;
}

int launch(const Kernel *kernel, void **arguments) {
    if (recording == NULL) {
        run(kernel, arguments);
        return SUCCESS;
    }
    if (recording->launches == LAUNCHES_MAX) return STREAM_CAPTURE_UNSUPPORTED;
    Recorded *recorded = &recording->recorded[recording->launches++];
    recorded->kernel = kernel;
    for (int i = 0; i < kernel->pointers + kernel->words; ++i) {
        memcpy(&recorded->values[i], arguments[i], i < kernel->pointers ? 8 : 4);
    }
    return SUCCESS;
}

const Kernel *kernel_of(const char *name) {
    const Kernel *kernel = KERNELS;
    while (kernel->name != NULL && strcmp(kernel->name, name) != 0) ++kernel;
    return kernel;
}

Graph *new_graph(void) { return calloc(1, sizeof(Graph)); }

void run_graph(Graph *graph) {
    for (int i = 0; i < graph->launches; ++i) {
        Recorded *recorded = &graph->recorded[i];
        void *arguments[ARGUMENTS_MAX];
        for (int j = 0; j < ARGUMENTS_MAX; ++j) arguments[j] = &recorded->values[j];
        run(recorded->kernel, arguments);
    }
}
