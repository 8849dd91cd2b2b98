// What the parts of the stand-in for the driver's library share.

#pragma once

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default"))) int

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_SUPPORTED = 801, STREAM_CAPTURE_UNSUPPORTED = 900 };

static const size_t TOTAL_BYTES = (size_t)8 << 30;

typedef struct {
    const char *name;
    // Takes pointers to the arguments, and returns the nanoseconds that it takes beside those of every launch.
    double (*run)(void **arguments);
    // Its first arguments, of 8 bytes each, and the others, of 4.
    int pointers;
    int words;
} Kernel;

// Launches that are recorded while a stream is captured.
typedef struct Graph Graph;

extern double now_ns;
extern Graph *recording;

const Kernel *kernel_of(const char *name);
int launch(const Kernel *kernel, void **arguments);
Graph *new_graph(void);
void run_graph(Graph *graph);

int allocate(void **address, size_t bytes);
int release(void *address);
