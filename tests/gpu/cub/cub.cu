// What the comparison with CUB takes beside the exported kernels: CUB's sum, exclusive scan and histogram, copies, inputs, a sweep of the L2 cache, a
// gate that holds the stream until everything is queued, and events.
//
//   nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC -o cub.so cub.cu
//
// Every function but the first two returns a cudaError_t. Counts of elements are int, with which CUB is fastest.

#include <cstddef>
#include <cstdint>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda_runtime.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

struct ToDouble {
    __host__ __device__ double operator()(float value) const { return value; }
};

// Mixes the bits of a place and a seed (the finaliser of MurmurHash3).
__device__ uint32_t mixed(uint64_t place, uint32_t seed) {
    uint64_t bits = place * 0x9E3779B97F4A7C15ull + seed;
    bits = (bits ^ bits >> 33) * 0xFF51AFD7ED558CCDull;
    bits = (bits ^ bits >> 33) * 0xC4CEB9FE1A85EC53ull;
    return static_cast<uint32_t>(bits >> 32);
}

__global__ void fill_words_kernel(uint32_t* words, size_t count, uint32_t seed, uint32_t mask) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t place = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; place < count; place += step) {
        words[place] = mixed(place, seed) & mask;
    }
}

// Floats from 0 to below 1, in steps of 2^-24.
__global__ void fill_floats_kernel(float* floats, size_t count, uint32_t seed) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t place = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; place < count; place += step) {
        floats[place] = static_cast<float>(mixed(place, seed) >> 8) * 0x1p-24f;
    }
}

__global__ void differing_kernel(const uint32_t* one, const uint32_t* other, size_t count, unsigned long long* differing) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    unsigned long long own = 0;
    for (size_t place = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; place < count; place += step) {
        own += one[place] != other[place];
    }
    if (own > 0) {
        atomicAdd(differing, own);
    }
}

__global__ void differing_from_transposed_kernel(const uint32_t* one, const uint32_t* other, size_t width, unsigned long long* differing) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    unsigned long long own = 0;
    for (size_t place = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; place < width * width; place += step) {
        own += one[place] != other[place % width * width + place / width];
    }
    if (own > 0) {
        atomicAdd(differing, own);
    }
}

// Reads all of a memory. The sink is written only if its words are what they never are, so that the loads stay.
__global__ void sweep_kernel(const uint4* memory, size_t count, uint32_t* sink) {
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    uint32_t all = 0;
    for (size_t place = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; place < count; place += step) {
        const uint4 words = memory[place];
        all |= words.x | words.y | words.z | words.w;
    }
    if (all != 0) {
        *sink = all;
    }
}

// Waits for the host, for two seconds at most.
__global__ void gate_kernel(const volatile uint32_t* opened, uint32_t ticket) {
    uint64_t began, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (*opened != ticket && now - began < 2000000000ull);
}

constexpr int BLOCKS = 132 * 8;
constexpr int THREADS = 256;

cudaStream_t stream;
cudaEvent_t first, last;
uint4* swept;
size_t swept_bytes;
uint32_t* sink;
volatile uint32_t* opened;
uint32_t* opened_on_device;
uint32_t ticket = 0;

}  // namespace

#define TRY(call)                          \
    do {                                   \
        const cudaError_t status = (call); \
        if (status != cudaSuccess) {       \
            return status;                 \
        }                                  \
    } while (false)

namespace {

// What `launch` adds to a counter on the device.
template <typename Launch>
int counted(unsigned long long* found, Launch launch) {
    unsigned long long* counter;
    TRY(cudaMalloc(&counter, sizeof(*counter)));
    TRY(cudaMemsetAsync(counter, 0, sizeof(*counter), stream));
    launch(counter);
    TRY(cudaGetLastError());
    TRY(cudaMemcpyAsync(found, counter, sizeof(*found), cudaMemcpyDeviceToHost, stream));
    TRY(cudaStreamSynchronize(stream));
    return cudaFree(counter);
}

}  // namespace

extern "C" {

const char* error_text(int status) {
    return cudaGetErrorString(static_cast<cudaError_t>(status));
}

// The versions of the compiler and of CUB, as MAJOR.MINOR.PATCH each.
void versions(int* compiler, int* cub) {
    compiler[0] = __CUDACC_VER_MAJOR__, compiler[1] = __CUDACC_VER_MINOR__, compiler[2] = __CUDACC_VER_BUILD__;
    cub[0] = CUB_MAJOR_VERSION, cub[1] = CUB_MINOR_VERSION, cub[2] = CUB_SUBMINOR_VERSION;
}

// The stream that everything runs on, the memory that is swept (three times the L2 cache), the gate and the events.
int begin(void** stream_out, char* name, int name_bytes) {
    cudaDeviceProp properties;
    TRY(cudaGetDeviceProperties(&properties, 0));
    int place = 0;
    for (; place + 1 < name_bytes && properties.name[place] != 0; ++place) {
        name[place] = properties.name[place];
    }
    name[place] = 0;
    TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&first));
    TRY(cudaEventCreate(&last));
    swept_bytes = 3 * static_cast<size_t>(properties.l2CacheSize) / sizeof(uint4) * sizeof(uint4);
    TRY(cudaMalloc(&swept, swept_bytes));
    TRY(cudaMemset(swept, 0, swept_bytes));
    TRY(cudaMalloc(&sink, sizeof(uint32_t)));
    void* shared;
    TRY(cudaHostAlloc(&shared, sizeof(uint32_t), cudaHostAllocMapped));
    opened = static_cast<volatile uint32_t*>(shared);
    *opened = 0;
    TRY(cudaHostGetDevicePointer(reinterpret_cast<void**>(&opened_on_device), shared, 0));
    *stream_out = stream;
    return cudaDeviceSynchronize();
}

int allocate(void** memory, size_t bytes) {
    return cudaMalloc(memory, bytes);
}

int release(void* memory) {
    return cudaFree(memory);
}

// Random bits where the mask has them.
int fill_words(void* words, size_t count, uint32_t seed, uint32_t mask) {
    fill_words_kernel<<<BLOCKS, THREADS, 0, stream>>>(static_cast<uint32_t*>(words), count, seed, mask);
    TRY(cudaGetLastError());
    return cudaStreamSynchronize(stream);
}

int fill_floats(void* floats, size_t count, uint32_t seed) {
    fill_floats_kernel<<<BLOCKS, THREADS, 0, stream>>>(static_cast<float*>(floats), count, seed);
    TRY(cudaGetLastError());
    return cudaStreamSynchronize(stream);
}

// How many words of two memories differ.
int differing(const void* one, const void* other, size_t count, unsigned long long* found) {
    const auto *left = static_cast<const uint32_t*>(one), *right = static_cast<const uint32_t*>(other);
    return counted(found, [=](auto* counter) { differing_kernel<<<BLOCKS, THREADS, 0, stream>>>(left, right, count, counter); });
}

// How many words of a square matrix are not those of another one's transposition.
int differing_from_transposed(const void* one, const void* other, size_t width, unsigned long long* found) {
    const auto *left = static_cast<const uint32_t*>(one), *right = static_cast<const uint32_t*>(other);
    return counted(found, [=](auto* counter) {
        differing_from_transposed_kernel<<<BLOCKS, THREADS, 0, stream>>>(left, right, width, counter);
    });
}

// The sum of floats in double precision, for both to be held against.
int sum_in_double(const void* floats, int count, double* found) {
    const auto doubles = thrust::make_transform_iterator(static_cast<const float*>(floats), ToDouble{});
    double* result;
    TRY(cudaMalloc(&result, sizeof(*result)));
    void* temporary = nullptr;
    size_t bytes = 0;
    TRY(cub::DeviceReduce::Sum(temporary, bytes, doubles, result, count, stream));
    TRY(cudaMalloc(&temporary, bytes));
    TRY(cub::DeviceReduce::Sum(temporary, bytes, doubles, result, count, stream));
    TRY(cudaMemcpyAsync(found, result, sizeof(*found), cudaMemcpyDeviceToHost, stream));
    TRY(cudaStreamSynchronize(stream));
    TRY(cudaFree(temporary));
    return cudaFree(result);
}

int read_float(const void* memory, float* found) {
    TRY(cudaMemcpyAsync(found, memory, sizeof(*found), cudaMemcpyDeviceToHost, stream));
    return cudaStreamSynchronize(stream);
}

// CUB's functions; without temporary memory they tell how many bytes of it they need.
int cub_sum(void* temporary, size_t* bytes, const void* input, void* output, int count) {
    return cub::DeviceReduce::Sum(
        temporary, *bytes, static_cast<const float*>(input), static_cast<float*>(output), count, stream);
}

int cub_exclusive_sum(void* temporary, size_t* bytes, const void* input, void* output, int count) {
    return cub::DeviceScan::ExclusiveSum(
        temporary, *bytes, static_cast<const int32_t*>(input), static_cast<int32_t*>(output), count, stream);
}

// 256 bins of equal width, of words below 2^16.
int cub_histogram(void* temporary, size_t* bytes, const void* input, void* output, int count) {
    return cub::DeviceHistogram::HistogramEven(
        temporary, *bytes, static_cast<const int32_t*>(input), static_cast<int32_t*>(output), 257, 0, 1 << 16, count, stream);
}

// As CUB's functions, of words; it needs no temporary memory.
int copy(void* temporary, size_t* bytes, const void* input, void* output, int count) {
    *bytes = 0;
    return temporary == nullptr ? cudaSuccess
                                : cudaMemcpyAsync(output, input, sizeof(uint32_t) * static_cast<size_t>(count), cudaMemcpyDeviceToDevice, stream);
}

// Evicts what is in the L2 cache, closes the gate and records the first event behind it. Lines with the policy `evict_last` are made ordinary ones
// before, since reading other memory does not push them out.
int before_sample() {
    TRY(cudaCtxResetPersistingL2Cache());
    sweep_kernel<<<BLOCKS, THREADS, 0, stream>>>(swept, swept_bytes / sizeof(uint4), sink);
    gate_kernel<<<1, 1, 0, stream>>>(opened_on_device, ++ticket);
    TRY(cudaGetLastError());
    return cudaEventRecord(first, stream);
}

// Records the last event, opens the gate, and tells the time between both events, in microseconds.
int after_sample(double* time_us) {
    TRY(cudaEventRecord(last, stream));
    *opened = ticket;
    TRY(cudaEventSynchronize(last));
    float time_ms;
    TRY(cudaEventElapsedTime(&time_ms, first, last));
    *time_us = 1e3 * time_ms;
    return cudaSuccess;
}

}  // extern "C"
