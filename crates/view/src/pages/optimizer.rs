//! The time that the optimizer used itself.

use campaign::budget::Budget;
use campaign::event::{Event, What};
use store::StoredEvent;

/// Returns the seconds that the optimizer has used in all sessions, as far as they are stored. Each session
/// counts its own time, up to its last stored progress.
pub(super) fn seconds(events: &[StoredEvent]) -> f64 {
    let (mut before, mut own, mut since) = (0.0, 0.0, 0.0);
    for stored in events {
        // Every session begins by storing its budget.
        if Budget::of_events(std::slice::from_ref(stored)).is_some() {
            before += own;
            (own, since) = (0.0, stored.at);
        } else if let Some(Event { at, what: What::Progress(progress) }) = Event::of_stored(stored) {
            own = progress.optimizer_share * (at - since).max(0.0);
        }
    }
    before + own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(at: f64) -> StoredEvent {
        let text = r#"{"wall":60.0,"cpu":null,"trials":null}"#.to_owned();
        StoredEvent { at, kind: "budget".to_owned(), text }
    }

    fn progress(at: f64, share: f64) -> StoredEvent {
        let text = format!(
            r#"{{"best":{{"config":0,"holdings":[],"interval":null,"mean":"NaN","pairs":0,"timeouts":0}},
            "configurations":0,"counts":[0,0,0,0,0,0,0,0],"default":null,"default_is_feasible":true,
            "fraction":0.1,"lost":0,"optimizer_share":{share},"others":0,"out":2,"racing":null,"saved":1.0,
            "spent":{{"cpu":0.0,"trials":0,"wall":{at}}},"unmeasured":0,"workers":2}}"#
        );
        StoredEvent { at, kind: "progress".to_owned(), text }
    }

    #[test]
    fn the_sessions_are_added_up() {
        let first = [budget(0.0), progress(1.0, 0.9), progress(20.0, 0.1)];
        assert_eq!(seconds(&first), 2.0);
        // A session that only ended the campaign has used no time yet.
        let resumed = [&first[..], &[budget(20.0), progress(20.1, 0.0)]].concat();
        assert_eq!(seconds(&resumed), 2.0);
        let killed = [&first[..], &[budget(19.0), progress(29.0, 0.2), budget(29.0)]].concat();
        assert_eq!(seconds(&killed), 4.0);
        assert_eq!(seconds(&[]), 0.0);
    }
}
