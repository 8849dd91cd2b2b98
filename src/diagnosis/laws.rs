//! What a pattern costs by the laws of a GPU: what was counted beyond the least, times what each of it costs where nothing hides it.

use super::{Counted, Kind};
use crate::estimate::Coefficients;
use gpu_simulator::hardware::coalescing::{LINE_BYTES, SECTOR_BYTES};

/// What the pattern costs by the laws; `None` where they say nothing of it, or the law is missing.
pub fn by_laws(kind: Kind, counted: &Counted, coefficients: &Coefficients) -> Option<f64> {
    let excess = counted.accesses.parts - counted.accesses.least;
    let (law, count) = match kind {
        Kind::UncoalescedLoad => ("t_byte", f64::from(SECTOR_BYTES) * excess),
        // Lanes that far apart write to sectors of which nothing else of the line is written.
        Kind::UncoalescedStore if counted.stride_bytes.is_some_and(|stride| stride.abs() >= i64::from(LINE_BYTES)) => {
            ("t_lone_store", excess)
        }
        Kind::UncoalescedStore => ("t_partial_store", excess),
        Kind::BankConflictLoad | Kind::BankConflictStore => ("t_pass", excess),
        Kind::BarrierWait => ("t_barrier", counted.affected),
        Kind::AtomicContention => ("t_atomic", counted.atomics_at_one_address),
        Kind::Divergence
        | Kind::UnevenWork
        | Kind::Fence
        | Kind::LocalMemory
        | Kind::IdleThreads
        | Kind::Division
        | Kind::ConstantPlaces => return None,
    };
    coefficients.cost_us(law, count).filter(|_| count > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Coefficient, Part};
    use gpu_simulator::Accesses;

    fn laws() -> Coefficients {
        let known =
            |name, value: f64| Coefficient { name, part: Some(Part::Shared), value: Ok(value), unit: "", from: "" };
        Coefficients::with(
            vec![known("t_pass", 0.5), known("t_lone_store", 2.0), known("t_partial_store", 1.0)],
            1.0,
            1.0,
        )
    }

    #[test]
    fn what_is_beyond_the_least_is_priced() {
        let accesses = Accesses { parts: 32.0, least: 4.0, ..Accesses::default() };
        let counted = |stride| Counted { accesses: accesses.clone(), stride_bytes: Some(stride), ..Counted::default() };
        assert_eq!(by_laws(Kind::BankConflictLoad, &counted(128), &laws()), Some(14.0));
        assert_eq!(by_laws(Kind::UncoalescedStore, &counted(4096), &laws()), Some(56.0));
        assert_eq!(by_laws(Kind::UncoalescedStore, &counted(12), &laws()), Some(28.0));
        assert_eq!(by_laws(Kind::UncoalescedLoad, &counted(12), &laws()), None, "its law is missing");
        assert_eq!(by_laws(Kind::Divergence, &counted(12), &laws()), None, "there is none");
    }
}
