// Memory, which is the host's, and copies.

#include <stdlib.h>
#include <string.h>

#include "shim.h"

static size_t allocated_bytes = 0;

int allocate(void **address, size_t bytes) {
    // The size is kept in front, and what follows is aligned as the driver's is.
    char *memory = aligned_alloc(256, (bytes + 511) / 256 * 256);
    if (memory == NULL) return OUT_OF_MEMORY;
    memcpy(memory, &bytes, sizeof bytes);
    allocated_bytes += bytes;
    *address = memory + 256;
    return SUCCESS;
}

int release(void *address) {
    size_t bytes;
    memcpy(&bytes, (char *)address - 256, sizeof bytes);
    allocated_bytes -= bytes;
    free((char *)address - 256);
    return SUCCESS;
}

EXPORT cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
    *free_bytes = TOTAL_BYTES - allocated_bytes;
    *total_bytes = TOTAL_BYTES;
    return SUCCESS;
}

EXPORT cuMemAlloc_v2(void **address, size_t bytes) { return allocate(address, bytes); }
EXPORT cuMemFree_v2(void *address) { return release(address); }

EXPORT cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    (void)flags;
    return allocate(address, bytes);
}

EXPORT cuMemFreeHost(void *address) { return release(address); }

EXPORT cuMemHostGetDevicePointer_v2(void **address, void *host, unsigned flags) {
    (void)flags;
    *address = host;
    return SUCCESS;
}

EXPORT cuMemsetD8Async(void *address, unsigned char value, size_t count, void *stream) {
    (void)stream;
    memset(address, value, count);
    return SUCCESS;
}

EXPORT cuMemsetD32Async(uint32_t *address, unsigned value, size_t count, void *stream) {
    (void)stream;
    for (size_t i = 0; i < count; ++i) address[i] = value;
    return SUCCESS;
}

static int copy(void *target, const void *source, size_t bytes) {
    if (recording != NULL) return STREAM_CAPTURE_UNSUPPORTED;
    memcpy(target, source, bytes);
    now_ns += (double)bytes;
    return SUCCESS;
}

EXPORT cuMemcpyHtoDAsync_v2(void *target, const void *source, size_t bytes, void *stream) {
    (void)stream;
    return copy(target, source, bytes);
}

EXPORT cuMemcpyDtoHAsync_v2(void *target, const void *source, size_t bytes, void *stream) {
    (void)stream;
    return copy(target, source, bytes);
}

EXPORT cuMemcpyDtoDAsync_v2(void *target, const void *source, size_t bytes, void *stream) {
    (void)stream;
    return copy(target, source, bytes);
}
