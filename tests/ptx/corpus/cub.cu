// Instantiates one of CUB's or Thrust's algorithms, named by ALGORITHM, for one TYPE. Nothing here is run.

#include <cub/cub.cuh>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

using Type = TYPE;

struct Odd {
    __host__ __device__ bool operator()(const Type &value) const { return (static_cast<long long>(value) & 1) != 0; }
};

struct Larger {
    template <class T>
    __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};

struct Less {
    template <class T>
    __host__ __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

struct Twice {
    __host__ __device__ Type operator()(const Type &value) const { return value + value; }
};

enum {
    reduce, reduce_max, arg_min, transform_reduce, segmented_reduce, reduce_by_key, inclusive_sum, exclusive_scan, scan_by_key, radix_keys,
    radix_pairs, segmented_radix, segmented_sort, merge_keys, merge_pairs, select_flagged, select_if, unique, partition_if,
    run_length, run_length_non_trivial, histogram, adjacent, copy_batch, for_each, transform, merge_two,
    thrust_sort, thrust_reduce_by_key, thrust_set, thrust_search, thrust_unique_by_key, thrust_stable_partition,
    thrust_inner_product, thrust_minmax, thrust_gather, thrust_count, thrust_remove, thrust_adjacent, thrust_merge_by_key, thrust_scan_by_key,
};

void call(void *temporary, size_t &bytes, Type *in, Type *out, Type *values, Type *values_out, int *numbers, unsigned char *flags,
          int *offsets, int segments, long long n, int m)
{
    auto policy = thrust::device;
    if constexpr (ALGORITHM == reduce) cub::DeviceReduce::Sum(temporary, bytes, in, out, n);
    if constexpr (ALGORITHM == reduce_max) cub::DeviceReduce::Reduce(temporary, bytes, in, out, m, Larger(), Type());
    if constexpr (ALGORITHM == arg_min) cub::DeviceReduce::Min(temporary, bytes, in, out, m);
    if constexpr (ALGORITHM == transform_reduce) cub::DeviceReduce::TransformReduce(temporary, bytes, in, out, m, Larger(), Twice(), Type());
    if constexpr (ALGORITHM == segmented_reduce) cub::DeviceSegmentedReduce::Sum(temporary, bytes, in, out, segments, offsets, offsets + 1);
    if constexpr (ALGORITHM == reduce_by_key) cub::DeviceReduce::ReduceByKey(temporary, bytes, in, out, values, values_out, numbers, Larger(), m);
    if constexpr (ALGORITHM == inclusive_sum) cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n);
    if constexpr (ALGORITHM == exclusive_scan) cub::DeviceScan::ExclusiveScan(temporary, bytes, in, out, Larger(), Type(), m);
    if constexpr (ALGORITHM == scan_by_key) cub::DeviceScan::InclusiveSumByKey(temporary, bytes, numbers, in, out, m);
    if constexpr (ALGORITHM == radix_keys) cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, n);
    if constexpr (ALGORITHM == radix_pairs) cub::DeviceRadixSort::SortPairsDescending(temporary, bytes, in, out, numbers, numbers, m);
    if constexpr (ALGORITHM == segmented_radix) cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, in, out, m, segments, offsets, offsets + 1);
    if constexpr (ALGORITHM == segmented_sort) cub::DeviceSegmentedSort::SortKeys(temporary, bytes, in, out, m, segments, offsets, offsets + 1);
    if constexpr (ALGORITHM == merge_keys) cub::DeviceMergeSort::SortKeys(temporary, bytes, in, m, Less());
    if constexpr (ALGORITHM == merge_pairs) cub::DeviceMergeSort::StableSortPairs(temporary, bytes, in, values, n, Less());
    if constexpr (ALGORITHM == select_flagged) cub::DeviceSelect::Flagged(temporary, bytes, in, flags, out, numbers, m);
    if constexpr (ALGORITHM == select_if) cub::DeviceSelect::If(temporary, bytes, in, out, numbers, n, Odd());
    if constexpr (ALGORITHM == unique) cub::DeviceSelect::Unique(temporary, bytes, in, out, numbers, m);
    if constexpr (ALGORITHM == partition_if) cub::DevicePartition::If(temporary, bytes, in, out, numbers, m, Odd());
    if constexpr (ALGORITHM == run_length) cub::DeviceRunLengthEncode::Encode(temporary, bytes, in, out, numbers, offsets, m);
    if constexpr (ALGORITHM == run_length_non_trivial) cub::DeviceRunLengthEncode::NonTrivialRuns(temporary, bytes, in, offsets, numbers, numbers, m);
    if constexpr (ALGORITHM == histogram) cub::DeviceHistogram::HistogramEven(temporary, bytes, in, numbers, segments, Type(0), Type(100), m);
    if constexpr (ALGORITHM == adjacent) cub::DeviceAdjacentDifference::SubtractLeftCopy(temporary, bytes, in, out, m);
    if constexpr (ALGORITHM == copy_batch) cub::DeviceMemcpy::Batched(temporary, bytes, reinterpret_cast<void **>(in), reinterpret_cast<void **>(out), numbers, segments);
    if constexpr (ALGORITHM == for_each) cub::DeviceFor::ForEachN(temporary, bytes, in, m, [] __device__(Type &value) { value = value + value; });
    if constexpr (ALGORITHM == transform) cub::DeviceTransform::Transform(in, out, m, Twice());
    if constexpr (ALGORITHM == merge_two) cub::DeviceMerge::MergeKeys(temporary, bytes, in, m, values, m, out, Less());
    if constexpr (ALGORITHM == thrust_sort) thrust::sort_by_key(policy, in, in + n, values, thrust::greater<Type>());
    if constexpr (ALGORITHM == thrust_reduce_by_key) thrust::reduce_by_key(policy, in, in + n, values, out, values_out);
    if constexpr (ALGORITHM == thrust_set) thrust::set_intersection(policy, in, in + n, values, values + n, out);
    if constexpr (ALGORITHM == thrust_search) thrust::lower_bound(policy, in, in + n, values, values + n, numbers);
    if constexpr (ALGORITHM == thrust_unique_by_key) thrust::unique_by_key(policy, in, in + n, values);
    if constexpr (ALGORITHM == thrust_stable_partition) thrust::stable_partition(policy, in, in + n, Odd());
    if constexpr (ALGORITHM == thrust_inner_product) thrust::inner_product(policy, in, in + n, values, Type());
    if constexpr (ALGORITHM == thrust_minmax) thrust::minmax_element(policy, in, in + n);
    if constexpr (ALGORITHM == thrust_gather) thrust::gather(policy, numbers, numbers + n, in, out);
    if constexpr (ALGORITHM == thrust_count) thrust::count_if(policy, in, in + n, Odd());
    if constexpr (ALGORITHM == thrust_remove) thrust::remove_if(policy, in, in + n, Odd());
    if constexpr (ALGORITHM == thrust_adjacent) thrust::adjacent_difference(policy, in, in + n, out);
    if constexpr (ALGORITHM == thrust_merge_by_key) thrust::merge_by_key(policy, in, in + n, values, values + n, in, values, out, values_out);
    if constexpr (ALGORITHM == thrust_scan_by_key) thrust::exclusive_scan_by_key(policy, numbers, numbers + n, in, out);
}
