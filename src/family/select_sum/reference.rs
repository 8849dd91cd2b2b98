//! The query on the host, and what the host adds up behind the kernels.

use rayon::prelude::*;

use super::columns::{WORDS_OF_NUMBER, number_of, words_of};

/// Rows that a thread of the host looks at before it takes others.
const ROWS_OF_THREAD: usize = 1 << 16;

/// The sum over rows whose keys are below the threshold, modulo 2^64.
fn query(suppkey: &[u32], quantity: &[u32], extendedprice: &[u32], threshold: u64) -> i64 {
    let (quantity, _) = quantity.as_chunks::<WORDS_OF_NUMBER>();
    let (extendedprice, _) = extendedprice.as_chunks::<WORDS_OF_NUMBER>();
    let rows = suppkey.iter().zip(quantity).zip(extendedprice);
    rows.filter(|((key, _), _)| u64::from(**key) < threshold).fold(0, |sum: i64, ((_, quantity), price)| {
        sum.wrapping_add(number_of(*quantity).wrapping_mul(number_of(*price)))
    })
}

/// The query by one thread; the columns are `suppkey`, `quantity` and `extendedprice`.
pub(super) fn serial(columns: &[&[u32]], threshold: u64) -> Vec<u32> {
    let &[suppkey, quantity, extendedprice] = columns else { return Vec::new() };
    words_of(query(suppkey, quantity, extendedprice, threshold)).to_vec()
}

/// The same by all threads.
pub(super) fn multi_threaded(columns: &[&[u32]], threshold: u64) -> Vec<u32> {
    let &[suppkey, quantity, extendedprice] = columns else { return Vec::new() };
    let words = ROWS_OF_THREAD * WORDS_OF_NUMBER;
    let pieces = suppkey
        .par_chunks(ROWS_OF_THREAD)
        .zip(quantity.par_chunks(words))
        .zip(extendedprice.par_chunks(words))
        .map(|((suppkey, quantity), extendedprice)| query(suppkey, quantity, extendedprice, threshold));
    words_of(pieces.reduce(|| 0, i64::wrapping_add)).to_vec()
}

/// The sum of 64-bit numbers, as the host adds what the kernels leave to it.
pub(super) fn add(numbers: &[&[u32]], _: u64) -> Vec<u32> {
    let sum = numbers.iter().flat_map(|words| words.as_chunks::<WORDS_OF_NUMBER>().0);
    words_of(sum.fold(0_i64, |sum, words| sum.wrapping_add(number_of(*words)))).to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::columns::Columns;
    use super::*;

    fn words(numbers: &[i64]) -> Vec<u32> {
        numbers.iter().flat_map(|number| words_of(*number)).collect()
    }

    #[test]
    fn a_query_by_hand() {
        let (suppkey, quantity, price) = (vec![29, 30, 1, 31], words(&[2, 50, 3, 7]), words(&[1 << 40, 5, -6, 1000]));
        let columns: [&[u32]; 3] = [&suppkey, &quantity, &price];
        for (threshold, sum) in [(1, 0), (30, (2 << 40) - 18), (31, (2 << 40) - 18 + 250), (100, (2 << 40) + 7232)] {
            assert_eq!(serial(&columns, threshold), words_of(sum), "{threshold}");
            assert_eq!(multi_threaded(&columns, threshold), words_of(sum), "{threshold}");
        }
    }

    #[test]
    fn threads_come_to_the_same_sum() {
        let columns = Columns::generate(3 * ROWS_OF_THREAD + 11, 7);
        let all: [&[u32]; 3] = [&columns.suppkey, &columns.quantity, &columns.extendedprice];
        for threshold in [30, 5001] {
            assert_eq!(serial(&all, threshold), multi_threaded(&all, threshold));
        }
        assert_ne!(serial(&all, 30), serial(&all, 31));
    }

    #[test]
    fn numbers_are_added_with_their_carries() {
        assert_eq!(add(&[&words(&[u32::MAX.into(), 1, -1, 5])], 0), words_of(i64::from(u32::MAX) + 5));
        assert_eq!(add(&[&words(&[i64::MAX, 1])], 0), words_of(i64::MIN));
    }
}
