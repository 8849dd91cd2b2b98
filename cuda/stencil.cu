// Time steps of a stencil: every cell of a square sheet becomes a weighted sum of itself and its four neighbours. The
// sheet is closed: beyond an edge comes the opposite one.
//
// A block cannot go on to the next step before its neighbours have done this one. Either a launch does one step and
// writes the sheet to global memory, or a block takes in more cells than it is to give out and computes several steps
// in shared memory, where the cells that can still be computed become fewer by one at each side with every step
// (the ghost zones of HotSpot).

__device__ __forceinline__ unsigned next_state(unsigned centre, unsigned left, unsigned right, unsigned above,
                                               unsigned below) {
    return 11 * centre + 3 * left + 5 * right + 7 * above + 13 * below;
}

// The place on the closed sheet, which is hardly ever more than one width away.
__device__ __forceinline__ unsigned wrapped(unsigned place, unsigned width) {
    while (place >= width) place -= width;
    return place;
}

// One step, one thread for each cell.
extern "C" __global__ void stencil_exchange(const unsigned *source, unsigned *target, unsigned width) {
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= width) return;
    const unsigned left = column == 0 ? width - 1 : column - 1;
    const unsigned right = column + 1 == width ? 0 : column + 1;
    const unsigned *above = source + static_cast<size_t>(row == 0 ? width - 1 : row - 1) * width;
    const unsigned *below = source + static_cast<size_t>(row + 1 == width ? 0 : row + 1) * width;
    const size_t start = static_cast<size_t>(row) * width;
    target[start + column] = next_state(source[start + column], source[start + left], source[start + right],
                                        above[column], below[column]);
}

// `steps` steps. A block takes in a square of `tile` by `tile` cells and gives out the `tile - 2 * steps` by
// `tile - 2 * steps` in its middle. Shared memory: twice tile * tile words.
extern "C" __global__ void stencil_redundant_halo(const unsigned *source, unsigned *target, unsigned width, unsigned tile,
                                                  unsigned steps) {
    extern __shared__ unsigned cells[];
    unsigned *current = cells;
    unsigned *next = cells + tile * tile;
    const unsigned own = tile - 2 * steps;
    const unsigned first_column = blockIdx.x * own;
    const unsigned first_row = blockIdx.y * own;
    const unsigned halo = width - steps % width;
    for (unsigned row = threadIdx.y; row < tile; row += blockDim.y) {
        const unsigned *line = source + static_cast<size_t>(wrapped(first_row + halo + row, width)) * width;
        for (unsigned column = threadIdx.x; column < tile; column += blockDim.x) {
            current[row * tile + column] = line[wrapped(first_column + halo + column, width)];
        }
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned step = 1; step <= steps; ++step) {
        for (unsigned row = threadIdx.y + step; row < tile - step; row += blockDim.y) {
            for (unsigned column = threadIdx.x; column < tile - step; column += blockDim.x) {
                if (column < step) continue;
                const unsigned cell = row * tile + column;
                next[cell] = next_state(current[cell], current[cell - 1], current[cell + 1], current[cell - tile],
                                        current[cell + tile]);
            }
        }
        __syncthreads();
        unsigned *const swapped = current;
        current = next;
        next = swapped;
    }
    for (unsigned row = threadIdx.y + steps; row < tile - steps; row += blockDim.y) {
        const unsigned target_row = first_row + row - steps;
        if (target_row >= width) break;
        for (unsigned column = threadIdx.x; column < tile - steps; column += blockDim.x) {
            const unsigned target_column = first_column + column - steps;
            if (column < steps || target_column >= width) continue;
            target[static_cast<size_t>(target_row) * width + target_column] = current[row * tile + column];
        }
    }
}
