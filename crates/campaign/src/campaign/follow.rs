//! Turns the optimizer's decisions into events.

use engine::racing::News;

use super::{Campaign, Sink};
use crate::event::{NewIncumbent, Warning, What};
use crate::progress;

impl Campaign<'_> {
    /// Emits events for the latest changes in the races, and for a change of the learner that proposes
    /// configurations.
    pub(super) fn follow(&mut self, sink: Sink<'_>) {
        if let Some(choice) = self.optimizer.choice()
            && self.chosen != Some(choice.learner)
        {
            self.chosen = Some(choice.learner);
            self.emit(sink, What::Chosen(choice));
        }
        for (id, cap) in std::mem::take(&mut self.lowered) {
            self.emit(sink, What::CapLowered { id, cap });
        }
        for news in self.optimizer.news() {
            match news {
                News::Opened(config) => {
                    let is_new = self.optimizer.history().readings(config).next().is_none();
                    let foretold = self.optimizer.forecast(config).filter(|_| is_new);
                    self.emit(sink, What::RaceOpened { config, foretold });
                }
                News::Dropped(config, pairs, why) => {
                    self.emit(sink, What::RaceDropped { config, pairs, why });
                }
                News::Dethroned(config, pairs, before) => {
                    let (history, objective) = (self.optimizer.history(), &self.settings.problem.objective);
                    let cost = progress::standing(history, objective, config).mean;
                    let values = history.configuration(config).into();
                    let holdings = progress::holdings(history, objective, config);
                    let told = history.trials().len();
                    self.ledger.new_incumbent(config, pairs, cost, self.spent(), told);
                    self.emit(sink, What::Warning(Warning::Dethroned { config: before, by: config }));
                    let new = NewIncumbent {
                        config,
                        values,
                        pairs,
                        cost,
                        before: f64::NAN,
                        holdings,
                        holdings_before: Vec::new(),
                    };
                    self.emit(sink, What::NewIncumbent(Box::new(new)));
                }
                News::NewIncumbent(config, _, before) => {
                    let objective = &self.settings.problem.objective;
                    let compared = progress::compare(self.optimizer.history(), self.settings, before, config);
                    let Some(compared) = compared else { continue };
                    let values = self.optimizer.history().configuration(config).into();
                    let shown = |config| progress::holdings(self.optimizer.history(), objective, config);
                    let (holdings, holdings_before) = (shown(config), shown(before));
                    // If runs were imported, both may be known on more pairs than those of the race.
                    let (pairs, cost, before) = (compared.pairs, compared.incumbent, compared.default);
                    self.ledger.new_incumbent(
                        config,
                        pairs,
                        cost,
                        self.spent(),
                        self.optimizer.history().trials().len(),
                    );
                    let new = NewIncumbent { config, values, pairs, cost, before, holdings, holdings_before };
                    self.emit(sink, What::NewIncumbent(Box::new(new)));
                }
            }
        }
    }
}
