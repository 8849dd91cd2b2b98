// What a driver may lack.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#ifdef WITH_GRAPHS
EXPORT cuStreamBeginCapture_v2(void *stream, int mode) {
    (void)stream, (void)mode;
    recording = new_graph();
    return recording == NULL ? OUT_OF_MEMORY : SUCCESS;
}

EXPORT cuStreamEndCapture(void *stream, Graph **graph) {
    (void)stream;
    *graph = recording;
    recording = NULL;
    return SUCCESS;
}

EXPORT cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, unsigned long long flags) {
    (void)flags;
    *executable = graph;
    return SUCCESS;
}

EXPORT cuGraphUpload(Graph *executable, void *stream) {
    (void)executable, (void)stream;
    return SUCCESS;
}

EXPORT cuGraphLaunch(Graph *executable, void *stream) {
    (void)stream;
    run_graph(executable);
    return SUCCESS;
}

EXPORT cuGraphExecDestroy(Graph *executable) {
    (void)executable;
    return SUCCESS;
}

EXPORT cuGraphDestroy(Graph *graph) {
    free(graph);
    return SUCCESS;
}
#endif

#ifdef WITH_COOPERATIVE
EXPORT cuLaunchCooperativeKernel(const Kernel *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 void *stream, void **arguments) {
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z, (void)shared_bytes;
    (void)stream;
    return launch(function, arguments);
}
#endif

#ifdef WITH_DEPENDENT
EXPORT cuLaunchKernelEx(const void *config, const Kernel *function, void **arguments, void **extra) {
    (void)config, (void)extra;
    return launch(function, arguments);
}

EXPORT cuOccupancyMaxActiveClusters(int *clusters, const Kernel *function, const void *config) {
    (void)function, (void)config;
    *clusters = 1;
    return SUCCESS;
}
#endif

#ifdef WITH_CONDITIONAL
EXPORT cuGraphCreate(Graph **graph, unsigned flags) {
    (void)flags;
    *graph = new_graph();
    return *graph == NULL ? OUT_OF_MEMORY : SUCCESS;
}

EXPORT cuGraphConditionalHandleCreate(uint64_t *handle, Graph *graph, void *context, unsigned begins, unsigned flags) {
    (void)graph, (void)context, (void)begins, (void)flags;
    *handle = 1;
    return SUCCESS;
}

// Its kernels never set a condition, so a loop would not end.
EXPORT cuGraphAddNode_v2(void **node, Graph *graph, const void *dependencies, const void *edges, size_t count,
                         void *parameters) {
    (void)node, (void)graph, (void)dependencies, (void)edges, (void)count, (void)parameters;
    return NOT_SUPPORTED;
}

EXPORT cuGraphAddKernelNode_v2(void **node, Graph *graph, const void *dependencies, size_t count,
                               const void *parameters) {
    (void)node, (void)graph, (void)dependencies, (void)count, (void)parameters;
    return NOT_SUPPORTED;
}
#endif

#ifdef WITH_TENSOR_MAPS
EXPORT cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                              const uint64_t *strides, const unsigned *tile, const unsigned *steps, int interleave,
                              int swizzle, int promotion, int outside) {
    (void)type, (void)rank, (void)address, (void)extents, (void)strides, (void)tile, (void)steps;
    (void)interleave, (void)swizzle, (void)promotion, (void)outside;
    memset(map, 0, 128);
    return SUCCESS;
}
#endif

#ifdef WITH_POOLS
EXPORT cuDeviceGetDefaultMemPool(void **pool, int device) {
    (void)device;
    *pool = (void *)&TOTAL_BYTES;
    return SUCCESS;
}

EXPORT cuMemPoolGetAttribute(void *pool, int attribute, uint64_t *value) {
    (void)pool, (void)attribute;
    *value = 0;
    return SUCCESS;
}

EXPORT cuMemPoolSetAttribute(void *pool, int attribute, uint64_t *value) {
    (void)pool, (void)attribute, (void)value;
    return SUCCESS;
}

EXPORT cuMemAllocAsync(void **address, size_t bytes, void *stream) {
    (void)stream;
    return allocate(address, bytes);
}

EXPORT cuMemFreeAsync(void *address, void *stream) {
    (void)stream;
    return release(address);
}
#endif

#ifdef WITH_OTHERS
// How often it is called is told by the size of a file, if there is to be one.
EXPORT cuCtxResetPersistingL2Cache(void) {
    const char *path = getenv("SHIM_RESETS");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file != NULL) {
        fputc('r', file);
        fclose(file);
    }
    return SUCCESS;
}

EXPORT cuCtxGetLimit(size_t *value, int limit) {
    (void)limit;
    *value = 0;
    return SUCCESS;
}

EXPORT cuCtxSetLimit(int limit, size_t value) {
    (void)limit, (void)value;
    return SUCCESS;
}

EXPORT cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const Kernel *function, int threads,
                                                            size_t shared_bytes, unsigned flags) {
    (void)function, (void)shared_bytes, (void)flags;
    *blocks = 1024 / threads < 16 ? 1024 / threads : 16;
    return SUCCESS;
}

EXPORT cuDeviceGetUuid(unsigned char *uuid, int device) {
    (void)device;
    memset(uuid, 0x11, 16);
    return SUCCESS;
}

EXPORT cuDeviceGetPCIBusId(char *address, int length, int device) {
    (void)device;
    strncpy(address, "0000:00:00.0", (size_t)length);
    return SUCCESS;
}
#endif
