// Particles, points and prices.

// Forces of the first n bodies on every body.
#define TILE 256
extern "C" __global__ void nbody(const float4 *bodies, float4 *forces, int n, float softening)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float dx = tile[j].x - me.x;
            float dy = tile[j].y - me.y;
            float dz = tile[j].z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + softening;
            float inverse = rsqrtf(d2);
            float s = tile[j].w * inverse * inverse * inverse;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        __syncthreads();
    }
    forces[i] = make_float4(fx, fy, fz, 0.0f);
}

// Forces of Lennard and Jones between atoms and their neighbours, in a list; softened, since atoms may lie anywhere.
extern "C" __global__ void lennard_jones(const float4 *atoms, float4 *forces, const int *neighbours, int count, int n, float cutoff)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 me = atoms[i];
    float4 force = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int j = 0; j < count; j++) {
        float4 other = atoms[neighbours[j * n + i]];
        float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff && r2 > 0.0f) {
            float r2inv = 1.0f / (r2 + 0.01f);
            float r6inv = r2inv * r2inv * r2inv;
            float f = r2inv * r6inv * (1.5f * r6inv - 2.0f);
            force.x += dx * f;
            force.y += dy * f;
            force.z += dz * f;
        }
    }
    forces[i] = force;
}

__device__ float normal_cdf(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d)
        * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - c : c;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put,
                                         float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 5.0f + 25.0f * price[i], x = 1.0f + 99.0f * strike[i], t = 0.25f + 9.75f * years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float c1 = normal_cdf(d1), c2 = normal_cdf(d2);
    float later = x * expf(-rate * t);
    call[i] = s * c1 - later * c2;
    put[i] = later * (1.0f - c2) - s * (1.0f - c1);
}

// The nearest centre of each point; coordinates one behind the other.
extern "C" __global__ void kmeans_assign(const float *points, const float *centres, int *nearest, int n, int k, int dimensions)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = 0;
    float least = 3.402823466e38f;
    for (int c = 0; c < k; c++) {
        float d2 = 0.0f;
        for (int d = 0; d < dimensions; d++) {
            float difference = points[d * n + i] - centres[c * dimensions + d];
            d2 += difference * difference;
        }
        if (d2 < least) {
            least = d2;
            best = c;
        }
    }
    nearest[i] = best;
}

// Distances of places to one place.
extern "C" __global__ void nearest_neighbour(const float2 *places, float *distances, int n, float latitude, float longitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = places[i];
        distances[i] = sqrtf((latitude - p.x) * (latitude - p.x) + (longitude - p.y) * (longitude - p.y));
    }
}

// Pi by throwing darts.
extern "C" __global__ void lcg_pi(unsigned *inside, int darts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i * 2654435761u + 12345u;
    unsigned hits = 0;
    for (int d = 0; d < darts; d++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / 16777216.0f);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y < 1.0f)
            hits++;
    }
    inside[i] = hits;
}

// A fast Walsh-Hadamard transform of 1024 numbers a block.
extern "C" __global__ void walsh(const float *in, float *out)
{
    __shared__ float data[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        data[i] = in[blockIdx.x * 1024 + i];
    for (int stride = 512; stride >= 1; stride >>= 1) {
        __syncthreads();
        for (int p = threadIdx.x; p < 512; p += blockDim.x) {
            int low = p & (stride - 1);
            int i = 2 * p - low;
            float a = data[i], b = data[i + stride];
            data[i] = a + b;
            data[i + stride] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        out[blockIdx.x * 1024 + i] = data[i];
}

// Sums of sines and cosines, as of an MRI reconstruction.
extern "C" __global__ void mri_q(const float *x, const float *y, const float *z, const float4 *k, float *real, float *imaginary, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sx = x[i], sy = y[i], sz = z[i];
    float re = 0.0f, im = 0.0f;
    for (int j = 0; j < count; j++) {
        float4 q = k[j];
        float phase = 6.2831853f * (q.x * sx + q.y * sy + q.z * sz);
        re += q.w * __cosf(phase);
        im += q.w * __sinf(phase);
    }
    real[i] = re;
    imaginary[i] = im;
}
