//! Dependencies between parameters: the order in which values are settled, and the groups that can be handled
//! one at a time.
//!
//! A parameter depends on the parameters that its condition or its bounds mention. Values are settled in
//! dependency order, so that a parameter's activity and bounds are known when its turn comes. Parameters
//! connected by dependencies or forbidden clauses form a group. Groups are independent: if one violates a
//! clause, it is drawn again without touching the others, and the distribution is the same as if everything
//! were drawn again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::expression::Formula;
use super::forbidden::ClauseIndex;
use super::parameter::{Domain, Parameter, ParameterId};
use super::range::Bound;

/// Parameters that must be settled together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// The parameters, in dependency order.
    pub(crate) parameters: Vec<u32>,
    /// Forbidden clauses that mention any of these parameters.
    pub(crate) clauses: ClauseIndex,
}

/// Calls `visit` with every parameter that `parameter` depends on.
pub(crate) fn parents(
    parameter: &Parameter,
    condition: Option<&Formula>,
    visit: &mut impl FnMut(ParameterId),
) {
    if let Some(condition) = condition {
        condition.parameters(visit);
    }
    if let Domain::Range(range) = &parameter.domain {
        for bound in [&range.lower, &range.upper] {
            if let Bound::Dependent(quantity) = bound {
                quantity.parameters(visit);
            }
        }
    }
}

/// Sorts the parameters so that each comes after the parameters it depends on, and otherwise keeps the order
/// of definition. Fails with the cycles that make this impossible.
pub(crate) fn order(
    parameters: &[Parameter],
    conditions: &[Option<Formula>],
) -> Result<Vec<u32>, Vec<Vec<ParameterId>>> {
    let count = parameters.len();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut waiting = vec![0usize; count];
    for (child, (parameter, condition)) in parameters.iter().zip(conditions).enumerate() {
        parents(parameter, condition.as_ref(), &mut |parent| {
            children[parent.index()].push(child as u32);
            waiting[child] += 1;
        });
    }
    let mut ready: BinaryHeap<Reverse<u32>> =
        (0..count as u32).filter(|&p| waiting[p as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(parent)) = ready.pop() {
        order.push(parent);
        for &child in &children[parent as usize] {
            waiting[child as usize] -= 1;
            if waiting[child as usize] == 0 {
                ready.push(Reverse(child));
            }
        }
    }
    if order.len() == count { Ok(order) } else { Err(cycles(parameters, conditions, &waiting)) }
}

/// Finds cycles by walking from each stuck parameter to its first stuck parent.
fn cycles(
    parameters: &[Parameter],
    conditions: &[Option<Formula>],
    waiting: &[usize],
) -> Vec<Vec<ParameterId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut walk_of = vec![UNSEEN; parameters.len()];
    let mut found = Vec::new();
    for start in 0..parameters.len() {
        let mut path = Vec::new();
        let mut at = start;
        while waiting[at] > 0 && walk_of[at] == UNSEEN {
            walk_of[at] = start as u32;
            path.push(ParameterId(at as u32));
            let mut next = None;
            parents(&parameters[at], conditions[at].as_ref(), &mut |parent| {
                if waiting[parent.index()] > 0 && next.is_none() {
                    next = Some(parent.index());
                }
            });
            // A stuck parameter has a stuck parent; otherwise it would be in the order.
            at = next.unwrap_or(at);
        }
        let closes = path.iter().position(|id| id.index() == at && walk_of[at] == start as u32);
        if let Some(first) = closes {
            found.push(path.split_off(first));
        }
    }
    found
}

/// Splits the parameters into independent groups; also returns the group of each parameter.
pub(crate) fn groups(
    parameters: &[Parameter],
    conditions: &[Option<Formula>],
    clauses: &[Formula],
    order: &[u32],
) -> (Vec<Group>, Vec<u32>) {
    let mut leader: Vec<u32> = (0..parameters.len() as u32).collect();
    for (child, (parameter, condition)) in parameters.iter().zip(conditions).enumerate() {
        parents(parameter, condition.as_ref(), &mut |parent| join(&mut leader, child as u32, parent.0));
    }
    for clause in clauses {
        let mut first = None;
        clause.parameters(&mut |id| join(&mut leader, *first.get_or_insert(id.0), id.0));
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of = vec![u32::MAX; parameters.len()];
    let mut group_of_leader = vec![u32::MAX; parameters.len()];
    for &p in order {
        let slot = &mut group_of_leader[find(&mut leader, p) as usize];
        if *slot == u32::MAX {
            *slot = groups.len() as u32;
            groups.push(Group::default());
        }
        group_of[p as usize] = *slot;
        groups[*slot as usize].parameters.push(p);
    }
    let mut numbers: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (number, clause) in clauses.iter().enumerate() {
        let mut group = None;
        clause.parameters(&mut |id| group = Some(group_of[id.index()]));
        if let Some(group) = group {
            numbers[group as usize].push(number as u32);
        }
    }
    for (group, numbers) in groups.iter_mut().zip(&numbers) {
        group.clauses = ClauseIndex::new(numbers, clauses, parameters);
    }
    (groups, group_of)
}

/// Merges all groups that no clause and no dependent bound can reject into one, because such groups are never
/// drawn again. The other groups are kept as they are.
pub(crate) fn batches(groups: &[Group], parameters: &[Parameter]) -> Vec<Group> {
    let dependent = |&p: &u32| parameters[p as usize].range().is_some_and(|range| range.scale.is_none());
    let safe = |group: &&Group| group.clauses.is_empty() && !group.parameters.iter().any(dependent);
    let merged = groups.iter().filter(safe).flat_map(|group| group.parameters.iter().copied()).collect();
    let mut batches = vec![Group { parameters: merged, ..Group::default() }];
    batches.extend(groups.iter().filter(|group| !safe(group)).cloned());
    batches
}

fn find(leader: &mut [u32], mut p: u32) -> u32 {
    while leader[p as usize] != p {
        // Halving the path keeps the trees flat.
        leader[p as usize] = leader[leader[p as usize] as usize];
        p = leader[p as usize];
    }
    p
}

fn join(leader: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(leader, a), find(leader, b));
    leader[a.max(b) as usize] = a.min(b);
}
