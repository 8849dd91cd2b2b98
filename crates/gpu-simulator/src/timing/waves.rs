//! What blocks that are not timed are taken to take: as long as waves of blocks did that were.

/// What waves of blocks take that follow each other on a multiprocessor that is full.
pub(super) struct Waves {
    /// What each further block takes: from the end of the first wave to that of the last whole one.
    pub(super) cycles_per_block: f64,
    /// Its standard error, where there are at least two waves besides the first.
    pub(super) standard_error_cycles: Option<f64>,
}

impl Waves {
    /// That of blocks which ended at these cycles, `resident` at a time, in so many waves.
    pub(super) fn of(ends: &[f64], resident: usize, waves: usize) -> Self {
        let ends: Vec<f64> = (1..=waves).map_while(|wave| ends.get(wave * resident - 1).copied()).collect();
        let each: Vec<f64> = ends.windows(2).map(|pair| (pair[1] - pair[0]) / resident as f64).collect();
        let count = each.len() as f64;
        if each.len() + 1 < waves || each.is_empty() {
            return Self { cycles_per_block: 0.0, standard_error_cycles: None };
        }
        let mean = each.iter().sum::<f64>() / count;
        let squares: f64 = each.iter().map(|own| (own - mean).powi(2)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        Self { cycles_per_block: mean, standard_error_cycles: Some(error).filter(|_| each.len() > 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::Waves;

    #[test]
    fn further_blocks_take_what_the_waves_behind_the_first_took() {
        // Two blocks at a time; the first wave begins cold.
        let ends = [95.0, 100.0, 118.0, 120.0, 139.0, 140.0];
        let waves = Waves::of(&ends, 2, 3);
        assert_eq!((waves.cycles_per_block, waves.standard_error_cycles), (10.0, Some(0.0)));
        let uneven = Waves::of(&[100.0, 120.0, 150.0], 1, 3);
        assert_eq!((uneven.cycles_per_block, uneven.standard_error_cycles), (25.0, Some(5.0)));
        let two = Waves::of(&[100.0, 120.0], 1, 2);
        assert_eq!((two.cycles_per_block, two.standard_error_cycles), (20.0, None));
    }
}
