//! chart.
