//! A comparison as annotations of a GitHub workflow.

use super::{Diffed, text};
use crate::commands::check::github::{data, property};

/// Returns one line for each finding that fails, and the summary.
pub(super) fn text(diffed: &Diffed) -> String {
    let mut out = String::new();
    for file in &diffed.files {
        for told in file.failing(diffed.strict) {
            // A place that is gone is shown where it was, which is near.
            let place = told.new.or(told.old);
            let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
            let finding = &told.finding;
            out.push_str(&format!(
                "::error file={},line={line},col={column},title={}::{}\n",
                property(&file.new),
                finding.class.id(),
                data(&format!("{}: {}", finding.class.word(), finding.text))
            ));
        }
    }
    for (name, why) in &diffed.unread {
        out.push_str(&format!("::error file={}::not compared: {}\n", property(name), data(why)));
    }
    out.push_str(&text::summary(diffed));
    out.push('\n');
    out
}
