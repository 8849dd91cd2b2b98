// Structures by value and behind addresses, as people write them.
struct __align__(16) Particle {
    float x, y, z;
    int id;
};

struct Body {
    float position[3];
    float mass;
};

typedef struct {
    float2 origin;
    double step;
} Frame;

#define WEIGHTS 3

struct Config {
    Config() : width(1) {}
    __host__ __device__ int area() const { return width * height; }
    int width, height;
    const float* input;
    float weights[WEIGHTS] = {0};
    bool wrap;
    Frame frame;
    static const int unused = 4;
};

__global__ void move(Particle* particles, const Body* bodies, Config config, float* output) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= config.width) return;
    particles[i].x += bodies[i].mass * config.weights[0] * config.frame.step;
    output[i] = config.input[i] + particles[i].z;
}
