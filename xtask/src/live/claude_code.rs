//! One fresh tree, asked of Claude Code.

use anyhow::{Context as _, Result};
use coalwash_core::load::hosts::claude_code::{markdown::Dialect, table};

use super::{Compared, Tables};
use crate::{
    answer::FX,
    client::Client,
    compare::{Case, differs, ours_on_disk, rows_differ},
    trees::{Kind, Tree},
};

/// Asks about the tree of a seed, and says how the answers differ.
///
/// Ours is worked out three times: in memory, on the disk before the client comes, and on the disk
/// as the client leaves it.
pub(super) fn compare(client: &Client, seed: u64, with_table: bool) -> Result<Compared> {
    let profile = table::profile(Some(client.version()));
    let tree = Tree::generate(seed);
    let folder = tree.lay_out_anew()?;
    let real = folder.path().canonicalize().context("no temporary folder")?;
    let root = real.to_str().context("the temporary folder has to be valid UTF-8")?;
    let before = ours_on_disk(&profile, &tree, root)?;
    let answer = client.ask(&tree, &real)?;
    let after = ours_on_disk(&profile, &tree, root)?;
    let ours = [
        ("in memory", Case::of(&tree)?.ours(&profile), FX),
        ("on disk", before, root),
        ("on disk afterwards", after, root),
    ];
    for (place, ours, root) in &ours {
        if let Some(how) = differs(ours, &answer, root) {
            // Of two agents of one name the older client keeps the one that the system lists last.
            let by_order = *place == "in memory" && how.starts_with("agents:");
            if by_order && profile.dialect == Dialect::V2_1_197 {
                continue;
            }
            return Ok(Err(format!("{place}: {how}")));
        }
    }
    if with_table && has_true_table(&tree) {
        let rows = client.table(&tree, root).context("asked for its table")?;
        return Ok(rows_differ(&ours[1].1, &answer, &rows, root).map_or(Ok(Tables::With), Err));
    }
    Ok(Ok(Tables::Without))
}

/// Returns whether the client's own table tells the truth in a tree. Where only the organisation's
/// files may be sent, it lists the others too.
fn has_true_table(tree: &Tree) -> bool {
    const MODE: &[u8] = b"\"managed-only\"";
    !tree.items.iter().any(|item| {
        matches!(&item.kind, Kind::File(text) if text.windows(MODE.len()).any(|it| it == MODE))
    })
}
