//! Rule folders.

use std::borrow::Cow;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

use super::file::{Ask, scope_of};
use super::{Walk, never};
use crate::load::hosts::Class;
use crate::load::map::{Kind, SkipReason, Tier};
use crate::load::pattern::PathScope;
use crate::load::tree::{Child, Node, Real, Unreadable};

/// Folders of one rule tree that are entered; real ones have a handful.
const MOST_RULE_FOLDERS: usize = 20_000;

/// Where rules come from, the same for all of one folder.
#[derive(Clone, Copy)]
pub(super) struct RuleSource<'s> {
    /// The rule folder.
    pub(super) group: &'s Arc<Utf8Path>,
    pub(super) class: Class,
    /// The folder that patterns are relative to.
    pub(super) base: &'s Utf8Path,
    pub(super) tier: Tier,
    pub(super) reason: &'s Cow<'static, str>,
}

impl Walk<'_> {
    /// Loads the rules of a folder, in the order in which the system lists them.
    pub(super) fn rules(
        &mut self,
        folder: &Utf8Path,
        source: &RuleSource<'_>,
        entered: &mut FxHashSet<Utf8PathBuf>,
    ) {
        let real = match self.tree.real(folder) {
            Ok(real) if real.node == Node::Folder => real.path,
            Ok(_) | Err(Unreadable::Missing) => return,
            Err(why) => return self.unreadable(folder, &why, None),
        };
        if entered.len() >= MOST_RULE_FOLDERS || !entered.insert(real.clone()) {
            return;
        }
        let children = match self.tree.list_sized(folder) {
            Ok(children) => children,
            Err(why) => return self.unreadable(folder, &why, None),
        };
        for (Child { name, shown, node }, bytes) in children {
            let Some(name) = name else {
                let path = folder.join(&shown);
                let fix = "rename it: the host cannot open it either";
                self.skip_file(&path, SkipReason::NameNotUtf8, fix);
                continue;
            };
            let path = folder.join(&name);
            let node = if node == Node::Link {
                match self.tree.real(&path) {
                    Ok(real) => real.node,
                    Err(why) => {
                        self.unreadable(&path, &why, None);
                        continue;
                    }
                }
            } else {
                node
            };
            let is_rule = name.ends_with(self.profile.rules.extension);
            match node {
                Node::Folder => self.rules(&path, source, entered),
                Node::File if is_rule => {
                    let known = bytes.map(|bytes| Real { path: real.join(&name), node, bytes });
                    self.rule(&path, known, source);
                }
                Node::File if never::looks_like_a_rule(&name) => {
                    let fix = format!("rename it to end in `{}`", self.profile.rules.extension);
                    self.skip_file(&path, SkipReason::RuleExtension, &fix);
                }
                Node::Special if is_rule => {
                    self.unreadable(&path, &Unreadable::Special, None);
                }
                _ => {}
            }
        }
    }

    /// Loads one rule; `known` is its physical path where that was seen in passing.
    fn rule(&mut self, path: &Utf8Path, known: Option<Real>, source: &RuleSource<'_>) {
        let RuleSource { class, tier, .. } = *source;
        if self.profile.excludes_by_link && self.excluded(path, class) {
            return;
        }
        let real = match known.map_or_else(|| self.tree.real(path), Ok) {
            Ok(real) => real,
            Err(why) => return self.unreadable(path, &why, None),
        };
        let shared = !matches!(class, Class::User | Class::Managed);
        let at_home = self.inside(&real.path)
            || tier == Tier::OnPath && self.in_its_folder(&real.path, source.group);
        let linked_out = shared && real.path != path && !at_home;
        let refused = linked_out && !self.profile.rules.links_outside;
        let may = self.scene.outside_approved && tier == Tier::Always;
        // Approval holds for the start only, so what waits is never loaded; what it imports is.
        let only_imports = refused && may && self.waits(&real.path);
        if refused && (!may || only_imports) {
            let fix = "approve outside files when the host asks, or copy the file";
            self.skip_file(path, SkipReason::RuleOutside, fix);
        }
        if refused && !may {
            return;
        }
        let waiting = self.waiting.len();
        let rule = Ask {
            path: &real.path,
            class,
            kind: Kind::Rule,
            tier,
            reason: source.reason,
            from: None,
            hops: 0,
            base: Some(source.base),
            group: Some(source.group),
            no_copy: false,
        };
        self.resolved_file(&rule, &real);
        if only_imports {
            self.waiting.truncate(waiting);
        }
    }

    /// Returns whether a rule lies in the folder that holds its rule folder, links followed.
    fn in_its_folder(&self, rule: &Utf8Path, group: &Utf8Path) -> bool {
        let holder = group.parent().and_then(|holder| self.tree.real(holder).ok());
        holder.is_some_and(|holder| rule.starts_with(&holder.path))
    }

    /// Returns whether the rule at `path` waits for a file.
    fn waits(&self, path: &Utf8Path) -> bool {
        self.tree.read(path).is_ok_and(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            scope_of(&text, self.profile.dialect).0 != PathScope::Everywhere
        })
    }
}
