// Enumerations are whole numbers; unions and fields of bits are for the author of the scenario.
enum class Mode : unsigned char { FAST, EXACT };
enum Kind { FIRST, SECOND };
struct Options { int width; Mode mode; Kind kind; };
union Value { int whole; float real; };
struct Flags { unsigned fast : 1; unsigned exact : 1; };
struct Setting { Value value; int n; };
__global__ void apply(float* data, const Kind* kinds, Options options, Mode mode, Kind kind, Value value, Flags flags, Setting setting) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < options.width && kinds[i] == kind) data[i] += value.real;
}
