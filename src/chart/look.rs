//! How a chart is to look, whatever it shows.

/// Colours and size of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// The width of the picture, in pixels.
    pub width: f64,
    /// The height of the picture, in pixels: the plot takes what the texts around it leave. `None`: as much as it needs.
    pub height: Option<f64>,
}

impl Default for Look {
    fn default() -> Self {
        Self { theme: Theme::Light, width: 880.0, height: None }
    }
}

/// The colours of a chart: ink on white, or the other way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on a dark ground.
    Dark,
}
