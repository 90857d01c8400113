//! Training sets: configurations as rows, and readings of their costs on instances.

use std::collections::HashSet;

use crate::{Column, FitError, InstanceTable, Interrupt, Reading, Scale};

/// The configuration and instance of a reading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// Index of the configuration in the training set.
    pub configuration: u32,
    /// Row of the instance table.
    pub instance: u32,
}

/// Configurations, instances and readings, on the model's scale.
#[derive(Clone, Debug)]
pub struct TrainingSet<'a> {
    columns: Vec<Column>,
    instances: &'a InstanceTable,
    scale: Scale,
    cutoff: Option<f64>,
    rows: Vec<f64>,
    points: Vec<Point>,
    readings: Vec<Reading>,
    interrupt: Interrupt,
}

impl<'a> TrainingSet<'a> {
    /// Creates an empty training set from the configuration columns, the instance table, the scale, and the
    /// cutoff: the largest cost that any trial may reach.
    pub fn new(
        configuration: &[Column],
        instances: &'a InstanceTable,
        scale: Scale,
        cutoff: Option<f64>,
    ) -> Self {
        let columns = configuration.iter().chain(instances.columns()).copied().collect();
        let cutoff = cutoff.map(|cutoff| scale.model(cutoff));
        Self {
            columns,
            instances,
            scale,
            cutoff,
            rows: Vec::new(),
            points: Vec::new(),
            readings: Vec::new(),
            interrupt: Interrupt::default(),
        }
    }

    /// Makes fits to this set and to its subsets stop when the flag is raised.
    #[must_use]
    pub fn until(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// Returns the flag that stops fits.
    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns an error if the fit should stop because the flag was raised.
    pub fn check_interrupt(&self) -> Result<(), FitError> {
        if self.interrupt.is_raised() { Err(FitError::Interrupted) } else { Ok(()) }
    }

    /// Adds a configuration by its row and returns its index.
    ///
    /// # Panics
    /// If the row does not have one value for each configuration column.
    pub fn push_configuration(&mut self, row: &[f64]) -> u32 {
        assert_eq!(row.len(), self.configuration_width(), "the row must have one value per column");
        let number = self.rows.len() / row.len().max(1);
        self.rows.extend_from_slice(row);
        number as u32
    }

    /// Adds a reading of the cost of a configuration on an instance.
    ///
    /// # Panics
    /// If the configuration or the instance is unknown, or the cost is not finite.
    pub fn push(&mut self, configuration: u32, instance: usize, cost: Reading) {
        assert!(cost.lower_bound().is_finite(), "costs must be finite");
        assert!(instance < self.instances.count(), "instance {instance} has no row");
        assert!((configuration as usize) < self.configurations(), "configuration {configuration} has no row");
        self.points.push(Point { configuration, instance: instance as u32 });
        self.readings.push(self.scale.reading(cost));
    }

    /// Returns a training set with the points selected by `keep` and the same configurations.
    pub fn subset(&self, keep: impl Fn(&Point) -> bool) -> Self {
        let kept = self.points.iter().zip(&self.readings).filter(|(point, _)| keep(point));
        let (points, readings) = kept.map(|(&point, &reading)| (point, reading)).unzip();
        Self {
            points,
            readings,
            columns: self.columns.clone(),
            rows: self.rows.clone(),
            interrupt: self.interrupt.clone(),
            ..*self
        }
    }

    /// Changes the rows of all configurations. `change` receives the index and the row of each.
    #[must_use]
    pub fn with_rows(mut self, mut change: impl FnMut(usize, &mut [f64])) -> Self {
        let width = self.configuration_width().max(1);
        self.rows.chunks_exact_mut(width).enumerate().for_each(|(index, row)| change(index, row));
        self
    }

    /// Returns the columns: configuration columns first, then instance columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the instance table.
    pub fn instances(&self) -> &'a InstanceTable {
        self.instances
    }

    /// Returns the number of configuration columns.
    pub fn configuration_width(&self) -> usize {
        self.columns.len() - self.instances.columns().len()
    }

    /// Returns the number of configurations.
    pub fn configurations(&self) -> usize {
        self.rows.len() / self.configuration_width().max(1)
    }

    /// Returns the rows of all configurations in one slice.
    pub fn configuration_rows(&self) -> &[f64] {
        &self.rows
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the points, one for each reading.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the readings on the model's scale.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Returns the number of readings that remain if the exact readings of each point are merged into one.
    pub fn merged_len(&self) -> usize {
        let is_exact = |reading: &Reading| !reading.is_censored();
        let exact = self.points.iter().zip(&self.readings).filter(|(_, reading)| is_exact(reading));
        let points: HashSet<Point> = exact.map(|(&point, _)| point).collect();
        points.len() + self.readings.iter().filter(|reading| reading.is_censored()).count()
    }

    /// Returns the standard deviation of the readings; bounds count as exact values.
    pub fn spread(&self) -> f64 {
        let count = self.readings.len().max(1) as f64;
        let unit = self.unit();
        let values = || self.readings.iter().map(|reading| reading.lower_bound() / unit);
        let mean = values().map(|value| value / count).sum::<f64>();
        unit * values().map(|value| (value - mean) * (value - mean) / count).sum::<f64>().sqrt()
    }

    /// Returns the number to divide readings by before they are summed or squared: 1 unless a sum could
    /// overflow.
    pub(super) fn unit(&self) -> f64 {
        let largest = self.readings.iter().map(|reading| reading.lower_bound().abs()).fold(1.0, f64::max);
        if largest > 1e140 { largest } else { 1.0 }
    }

    /// Returns the cutoff, the largest cost that any trial may reach, on the model's scale.
    pub fn cutoff(&self) -> Option<f64> {
        self.cutoff
    }

    /// Returns the scale of the readings.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Returns the values of all columns at a point.
    pub fn row(&self, point: usize) -> impl Iterator<Item = f64> {
        let Point { configuration, instance } = self.points[point];
        let width = self.configuration_width();
        let own = &self.rows[configuration as usize * width..(configuration as usize + 1) * width];
        own.iter().chain(self.instances.row(instance as usize)).copied()
    }
}
