//! Files of every kind, whole and broken.

use proptest::prelude::*;

use super::*;

/// A `.npy` file of version 1.0.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let padding = 64 - (10 + header.len() + 1) % 64;
    header += &" ".repeat(padding);
    header += "\n";
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

fn elements(file: &[u8], is_npy: bool, element: Element) -> Result<u64, String> {
    read(file, is_npy, true).and_then(|contents| contents.elements(element))
}

#[test]
fn arrays_and_raw_bytes_have_the_same_words() {
    let data: Vec<u8> = [1.5_f32, -2.0, 3.25].iter().flat_map(|number| number.to_le_bytes()).collect();
    let file = npy("<f4", "(3,)", &data);
    let array = read(&file[..], true, true).unwrap();
    assert_eq!(array.elements(Element::Float(32)), Ok(3));
    let raw = read(&data[..], false, true).unwrap();
    assert_eq!((raw.words.clone(), raw.elements(Element::Float(32))), (array.words, Ok(3)));
    assert_eq!(raw.words.to_vec(), [1.5_f32, -2.0, 3.25].map(f32::to_bits));
    assert_eq!(array.sha256, crate::kernel::sha256(&file));
    assert_eq!((array.bytes, array.data_bytes), (file.len() as u64, 12));
    let surveyed = read(&file[..], true, false).unwrap();
    assert_eq!((surveyed.sha256, surveyed.words.len()), (array.sha256, 0));
}

/// `numpy.save` of NumPy 2.4 for `numpy.arange(6, dtype="int16").reshape(2, 3)`, byte by byte.
#[test]
fn a_file_that_numpy_wrote_is_read() {
    let file = include_bytes!("tests/int16.npy");
    let contents = read(&file[..], true, true).unwrap();
    assert_eq!(contents.elements(Element::Signed(16)), Ok(6));
    assert_eq!(contents.words.to_vec(), [0x0001_0000, 0x0003_0002, 0x0005_0004]);
}

#[test]
fn files_longer_than_a_part_are_read_whole() {
    let data: Vec<u8> = (0..(2 * PART_BYTES + 6)).map(|index| index as u8).collect();
    let contents = read(&data[..], false, true).unwrap();
    assert_eq!(contents.elements(Element::Unsigned(16)), Ok(data.len() as u64 / 2));
    assert_eq!(contents.words.len(), data.len().div_ceil(4));
    assert_eq!(contents.words[PART_BYTES / 4], 0x0302_0100);
}

#[test]
fn what_is_wrong_with_a_file_is_told() {
    let data = [0; 12];
    let whole = npy("<f4", "(3,)", &data);
    let mut long = whole.clone();
    long.push(0);
    let mut large_header = whole.clone();
    large_header[6] = 2;
    large_header[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut new_version = whole.clone();
    new_version[6] = 4;
    let of = |file: &[u8]| elements(file, true, Element::Float(32)).unwrap_err();
    let all = [
        of(b""),
        of(b"PK\x03\x04 and so on"),
        of(&whole[..9]),
        of(&whole[..40]),
        of(&whole[..whole.len() - 5]),
        of(&long),
        of(&large_header),
        of(&new_version),
        of(&npy("<f8", "(3,)", &data)),
        of(&npy(">f4", "(3,)", &data)),
        elements(&[0; 10], false, Element::Float(32)).unwrap_err(),
        elements(&whole, false, Element::Float(32)).unwrap_err(),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

proptest! {
    #[test]
    fn no_bytes_are_a_panic(bytes: Vec<u8>, is_npy: bool) {
        let _ = elements(&bytes, is_npy, Element::Float(32));
    }

    #[test]
    fn no_header_is_a_panic(version in 1_u8..4, text in "[{}()\\[\\]',:<>|a-z0-9 \n-]{0,80}", data: Vec<u8>) {
        let mut file = b"\x93NUMPY".to_vec();
        file.extend([version, 0]);
        let length = text.len() as u32;
        file.extend(&length.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
        file.extend(text.bytes());
        file.extend(data);
        let _ = elements(&file, true, Element::Signed(8));
    }

    #[test]
    fn no_shape_is_a_panic(shape: Vec<u64>, cut in 0_usize..200) {
        let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
        let file = npy("<f8", &format!("({extents})"), &[1; 32]);
        let _ = elements(&file[..cut.min(file.len())], true, Element::Float(64));
        if let Ok(count) = elements(&file, true, Element::Float(64)) {
            prop_assert_eq!(count, 4);
        }
    }

    #[test]
    fn every_array_is_read_as_it_was_written(numbers: Vec<i32>) {
        let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let file = npy("<i4", &format!("({},)", numbers.len()), &data);
        let contents = read(&file[..], true, true).unwrap();
        prop_assert_eq!(contents.elements(Element::Signed(32)), Ok(numbers.len() as u64));
        let words: Vec<u32> = numbers.iter().map(|number| number.cast_unsigned()).collect();
        prop_assert_eq!(contents.words.to_vec(), words);
    }
}
