// What scenarios cannot give, each with a word of why.
__global__ void refused(float** rows, cudaTextureObject_t texture, const float& scale, bool flag, void (*callback)(int),
                        float4* output, half* small)
{
    output[blockIdx.x] = make_float4(scale, 0, 0, 0);
}
