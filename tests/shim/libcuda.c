// A stand-in for the driver's library, for tests of what happens on drivers that lack functions. Its one device computes on the host
// when something is launched. It knows the kernels of the table below; all others do nothing. Its clock advances by what is launched,
// so its times are the same everywhere.
//
// Compiled as it is, it has what every driver of CUDA 11.2 has. Further parts are compiled in:
//   WITH_GRAPHS, WITH_COOPERATIVE, WITH_DEPENDENT, WITH_POOLS, WITH_OTHERS: the optional functions
//   PROMISES_POOLS: the device is said to have memory pools, whether their functions are there or not
//   WITHOUT_EVENTS: a function is missing that nothing works without
//   VERSION: what cuDriverGetVersion tells

#include <stdlib.h>
#include <string.h>

#include "shim.h"

#ifndef VERSION
#define VERSION 11020
#endif
#if defined WITH_POOLS || defined PROMISES_POOLS
#define HAS_POOLS 1
#else
#define HAS_POOLS 0
#endif

static void *current_context = NULL;
static int context;

// ---- The driver and its device

EXPORT cuInit(unsigned flags) { return flags == 0 ? SUCCESS : INVALID_VALUE; }

EXPORT cuDriverGetVersion(int *version) {
    *version = VERSION;
    return SUCCESS;
}

EXPORT cuGetErrorName(int error, const char **name) {
    *name = error == STREAM_CAPTURE_UNSUPPORTED ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" : "CUDA_ERROR_INVALID_VALUE";
    return SUCCESS;
}

EXPORT cuGetErrorString(int error, const char **words) {
    (void)error;
    *words = "refused";
    return SUCCESS;
}

EXPORT cuDeviceGetCount(int *count) {
    *count = 1;
    return SUCCESS;
}

EXPORT cuDeviceGet(int *device, int ordinal) {
    *device = 0;
    return ordinal == 0 ? SUCCESS : INVALID_VALUE;
}

EXPORT cuDeviceGetName(char *name, int length, int device) {
    (void)device;
    strncpy(name, "Stand-in", (size_t)length);
    return SUCCESS;
}

EXPORT cuDeviceTotalMem_v2(size_t *bytes, int device) {
    (void)device;
    *bytes = TOTAL_BYTES;
    return SUCCESS;
}

// The numbers are those of CUdevice_attribute.
EXPORT cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 1: *value = 1024; break;       // threads per block
    case 8: *value = 49152; break;      // shared bytes per block
    case 13: *value = 1000000; break;   // clock in kHz
    case 16: *value = 2; break;         // multiprocessors
    case 36: *value = 1000000; break;   // memory clock in kHz
    case 37: *value = 256; break;       // bits of the memory's bus
    case 38: *value = 1 << 20; break;   // bytes of L2
    case 39: *value = 1024; break;      // threads per multiprocessor
    case 75: *value = 7; break;         // compute capability
    case 76: *value = 5; break;
    case 81: *value = 65536; break;     // shared bytes per multiprocessor
    case 82: *value = 65536; break;     // registers per multiprocessor
    case 97: *value = 65536; break;     // shared bytes per block, at most
    case 106: *value = 16; break;       // blocks per multiprocessor
    case 108: *value = 1 << 18; break;  // bytes of L2 that can be set aside
    case 115: *value = HAS_POOLS; break;
    default: *value = 0; break;
    }
    return SUCCESS;
}

EXPORT cuDevicePrimaryCtxRetain(void **retained, int device) {
    (void)device;
    *retained = &context;
    return SUCCESS;
}

EXPORT cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    return SUCCESS;
}

EXPORT cuCtxGetCurrent(void **current) {
    *current = current_context;
    return SUCCESS;
}

EXPORT cuCtxSetCurrent(void *current) {
    current_context = current;
    return SUCCESS;
}

EXPORT cuCtxSynchronize(void) { return SUCCESS; }

// ---- Streams and events

EXPORT cuStreamCreate(void **stream, unsigned flags) {
    (void)flags;
    *stream = calloc(1, 64);
    return SUCCESS;
}

EXPORT cuStreamDestroy_v2(void *stream) {
    free(stream);
    return SUCCESS;
}

EXPORT cuStreamSynchronize(void *stream) {
    (void)stream;
    return SUCCESS;
}

EXPORT cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return SUCCESS;
}

#ifndef WITHOUT_EVENTS
EXPORT cuEventElapsedTime(float *milliseconds, double *start, double *stop) {
    *milliseconds = (float)((*stop - *start) / 1e6);
    return SUCCESS;
}
#endif

EXPORT cuEventCreate(double **event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof(double));
    return SUCCESS;
}

EXPORT cuEventDestroy_v2(double *event) {
    free(event);
    return SUCCESS;
}

EXPORT cuEventRecord(double *event, void *stream) {
    (void)stream;
    *event = now_ns;
    return SUCCESS;
}

EXPORT cuEventQuery(double *event) {
    (void)event;
    return SUCCESS;
}

EXPORT cuEventSynchronize(double *event) {
    (void)event;
    return SUCCESS;
}

// ---- Modules and launches

EXPORT cuModuleLoadData(void **module, const void *image) {
    *module = (void *)image;
    return SUCCESS;
}

EXPORT cuModuleUnload(void *module) {
    (void)module;
    return SUCCESS;
}

EXPORT cuModuleGetFunction(const Kernel **function, void *module, const char *name) {
    (void)module;
    *function = kernel_of(name);
    return SUCCESS;
}

EXPORT cuFuncGetAttribute(int *value, int attribute, const Kernel *function) {
    (void)function;
    *value = attribute == 4 ? 16 : 0;  // registers
    return SUCCESS;
}

EXPORT cuFuncSetAttribute(const Kernel *function, int attribute, int value) {
    (void)function, (void)attribute, (void)value;
    return SUCCESS;
}

EXPORT cuLaunchKernel(const Kernel *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
                      void **extra) {
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z, (void)shared_bytes;
    (void)stream, (void)extra;
    return launch(function, arguments);
}
