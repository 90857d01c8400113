//! What surrogates learn from: configurations as rows, and what is known of their costs on instances.

use crate::{Column, FitError, InstanceTable, Interrupt, Reading, Scale};

/// Where a reading was taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Point {
    /// Which of the set's configurations.
    pub configuration: u32,
    /// Which row of the instance table.
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
    /// Without any point: the columns of configurations, what is known of instances, and the largest
    /// cost any trial may reach.
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

    /// The same; fits to it, and to parts of it, break off when the flag is raised.
    #[must_use]
    pub fn until(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), ..self }
    }

    /// The flag.
    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether a fit is still wanted: an error if it is to break off.
    pub fn wanted(&self) -> Result<(), FitError> {
        if self.interrupt.is_raised() { Err(FitError::Interrupted) } else { Ok(()) }
    }

    /// Adds a configuration by its row; its number.
    ///
    /// # Panics
    /// If the row has not one value for each column of configurations.
    pub fn push_configuration(&mut self, row: &[f64]) -> u32 {
        assert_eq!(row.len(), self.configuration_width(), "a value for each column");
        let number = self.rows.len() / row.len().max(1);
        self.rows.extend_from_slice(row);
        number as u32
    }

    /// Adds what is known of the cost of a configuration on an instance.
    ///
    /// # Panics
    /// If the configuration or the instance is unknown, or the cost no finite number.
    pub fn push(&mut self, configuration: u32, instance: usize, cost: Reading) {
        assert!(cost.lower_bound().is_finite(), "costs are finite numbers");
        assert!(instance < self.instances.count(), "instance {instance} has no row");
        assert!((configuration as usize) < self.configurations(), "configuration {configuration} has no row");
        self.points.push(Point { configuration, instance: instance as u32 });
        self.readings.push(self.scale.reading(cost));
    }

    /// The points that are wanted, of the same configurations.
    pub fn subset(&self, wanted: impl Fn(&Point) -> bool) -> Self {
        let kept = self.points.iter().zip(&self.readings).filter(|(point, _)| wanted(point));
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

    /// What its columns mean: those of configurations, then those of instances.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// What is known of the instances.
    pub fn instances(&self) -> &'a InstanceTable {
        self.instances
    }

    /// How many columns belong to configurations.
    pub fn configuration_width(&self) -> usize {
        self.columns.len() - self.instances.columns().len()
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> usize {
        self.rows.len() / self.configuration_width().max(1)
    }

    /// The rows of all configurations, one after the other.
    pub fn configuration_rows(&self) -> &[f64] {
        &self.rows
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is nothing to learn from.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Where the readings were taken.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// What was read, on the model's scale.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The deviation of what was read, bounds included.
    pub fn spread(&self) -> f64 {
        let count = self.readings.len().max(1) as f64;
        let unit = self.unit();
        let values = || self.readings.iter().map(|reading| reading.lower_bound() / unit);
        let mean = values().map(|value| value / count).sum::<f64>();
        unit * values().map(|value| (value - mean) * (value - mean) / count).sum::<f64>().sqrt()
    }

    /// What readings are divided by before they are summed or squared: 1, unless that would overflow.
    pub(super) fn unit(&self) -> f64 {
        let largest = self.readings.iter().map(|reading| reading.lower_bound().abs()).fold(1.0, f64::max);
        if largest > 1e140 { largest } else { 1.0 }
    }

    /// The largest cost any trial may reach, on the model's scale.
    pub fn cutoff(&self) -> Option<f64> {
        self.cutoff
    }

    /// The scale of the readings.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// The values of a point's columns.
    pub fn row(&self, point: usize) -> impl Iterator<Item = f64> {
        let Point { configuration, instance } = self.points[point];
        let width = self.configuration_width();
        let own = &self.rows[configuration as usize * width..(configuration as usize + 1) * width];
        own.iter().chain(self.instances.row(instance as usize)).copied()
    }
}
