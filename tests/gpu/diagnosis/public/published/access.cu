// Accesses of global memory, written after the guides and papers that known.toml names.

// CUDA C++ Best Practices Guide, "Strided Accesses".
__global__ void strided_copy(float *output, const float *input, int stride) {
    int index = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    output[index] = input[index] + 1.0f;
}

// Ruetsch, Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009: the naive version.
__global__ void transpose_naive(float *output, const float *input, int width, int height) {
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8) {
        output[column * height + row + step] =
            input[(row + step) * width + column];
    }
}

// Grauer-Gray et al., "Auto-tuning a High-Level Language Targeted to GPU Codes", 2012 (GEMV of PolyBench/GPU): a thread for each row.
__global__ void matrix_times_vector(const float *matrix, const float *vector, float *result, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int column = 0; column < width; column++) {
        float element = matrix[row * width + column];
        sum += element * vector[column];
    }
    result[row] = sum;
}

// Bell, Garland, "Efficient Sparse Matrix-Vector Multiplication on CUDA", 2008: CSR, a thread for each row.
__global__ void csr_scalar(int rows, const int *starts, const int *columns, const float *values, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float dot = 0.0f;
        int end = starts[row + 1];
        for (int at = starts[row]; at < end; at++) {
            dot += values[at] * x[columns[at]];
        }
        y[row] += dot;
    }
}

// Che et al., "Rodinia: A Benchmark Suite for Heterogeneous Computing", 2009: k-means before features are stored by dimension.
__global__ void nearest_centre(const float *features, const float *centres, int *membership, int dimensions, int clusters) {
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    int best = 0;
    float least = 3e38f;
    for (int cluster = 0; cluster < clusters; cluster++) {
        float distance = 0.0f;
        for (int dimension = 0; dimension < dimensions; dimension++) {
            float feature = features[point * dimensions + dimension];
            float difference = feature - centres[cluster * dimensions + dimension];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            best = cluster;
        }
    }
    membership[point] = best;
}

// Kirk, Hwu, "Programming Massively Parallel Processors": a product of matrices with rows and columns of threads exchanged.
__global__ void product_exchanged(const float *left, const float *right, float *result, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int inner = 0; inner < width; inner++) {
        float factor = left[row * width + inner];
        sum += factor * right[inner * width + column];
    }
    result[row * width + column] = sum;
}

// Strzodka, "Abstraction for AoS and SoA Layout in C++", 2011: particles as an array of structures.
struct Particle {
    float x, y, z, mass, u, v, w, charge;
};

__global__ void drift(Particle *particles, float time) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    float speed = particles[index].u;
    particles[index].x += speed * time;
}
