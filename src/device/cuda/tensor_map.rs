//! Descriptors of matrices, which the driver makes for bulk copies of their tiles.

use cudarc::driver::sys::{
    self, CUtensorMap, CUtensorMapDataType, CUtensorMapFloatOOBfill, CUtensorMapInterleave, CUtensorMapL2promotion,
    CUtensorMapSwizzle,
};
use gpu_simulator::tensor_map::{Swizzle, TENSOR_MAP_BYTES};

use super::failed;
use crate::device::DeviceError;
use crate::workload::Tiles;

/// The descriptor of a matrix whose buffer is at this address of device memory. [`Feature::TensorMaps`](super::symbols::Feature::TensorMaps) is
/// there.
///
/// # Errors
/// That the driver takes no such matrix or tile.
pub(super) fn descriptor(tiles: &Tiles, address: u64) -> Result<[u8; TENSOR_MAP_BYTES], DeviceError> {
    let map = tiles.at(address);
    let swizzle = match map.swizzle {
        Swizzle::None => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
        Swizzle::Bytes32 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        Swizzle::Bytes64 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        Swizzle::Bytes128 => CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
    };
    let extents = [map.columns, map.rows];
    let tile = [map.tile_columns, map.tile_rows];
    let mut made = CUtensorMap { opaque: [0; TENSOR_MAP_BYTES / 8] };
    // SAFETY: each array has as many numbers as the matrix has dimensions, the strides one fewer; the driver writes one descriptor and keeps no
    // pointer. It looks at the address alone, not at the memory there.
    let encoded = unsafe {
        sys::cuTensorMapEncodeTiled(
            &raw mut made,
            CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            2,
            map.address as *mut _,
            extents.as_ptr(),
            [map.pitch_bytes].as_ptr(),
            tile.as_ptr(),
            [1, 1].as_ptr(),
            CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            swizzle,
            CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    encoded.result().map_err(failed("describing the tiles of a matrix"))?;
    let mut bytes = [0; TENSOR_MAP_BYTES];
    for (place, number) in bytes.chunks_exact_mut(8).zip(made.opaque) {
        place.copy_from_slice(&number.to_ne_bytes());
    }
    Ok(bytes)
}
