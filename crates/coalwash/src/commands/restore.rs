//! `coalwash restore ID`: the bytes of something that the Node engine cut, on standard output.

use camino::{Utf8Path, Utf8PathBuf};
use coalwash_core::load::Unread;
use coalwash_core::text::escaped;
use coalwash_store::disk::RealDisk;
use coalwash_store::wash::node::NodeStore;

use crate::cli::{Global, RestoreArgs};
use crate::env::Env;
use crate::exit::{Exit, Failure};
use crate::settings;
use crate::ui::Ui;

/// Runs the command. Its lines and codes are those of the Node engine.
pub(crate) fn run(
    env: &Env,
    global: &Global,
    args: &RestoreArgs,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let Some(id) = &args.id else {
        ui.note("usage: coalwash restore <id>");
        return Ok(Exit::No);
    };
    let project = project(env, global)?;
    let found = opened(&project)?.item(id).map_err(|unread| refused(&unread))?;
    let Some((item, bytes)) = found else {
        ui.note(&format!("restore: id '{}' not found in fat-bin or store.old", escaped(id)));
        return Ok(Exit::No);
    };
    ui.data(&bytes)?;
    let from = item.original.map(|path| format!(", cut from {}", escaped(path.as_str())));
    ui.note(&format!(
        "[CoalWash] restored {} from {} ({} bytes{}) — content on stdout; nothing was written to the \
         store",
        escaped(id),
        item.bin.name(),
        bytes.len(),
        from.unwrap_or_default(),
    ));
    Ok(Exit::Ok)
}

/// Returns the physical folder of the project that is looked at.
pub(super) fn project(env: &Env, global: &Global) -> Result<Utf8PathBuf, Failure> {
    Ok(settings::read(env, &env.folder(global.project.as_deref())?).root)
}

/// Opens the stores of a project.
pub(super) fn opened(project: &Utf8Path) -> Result<NodeStore<'static, RealDisk>, Failure> {
    NodeStore::open(&RealDisk, project).map_err(|unread| refused(&unread))
}

/// Says that something was not read.
pub(super) fn refused(unread: &Unread) -> Failure {
    let next = "a store of CoalWash 1.x is read only where it is plain files in plain folders";
    Failure::refused(said(unread), next)
}

/// Returns what could not be read, in one line.
pub(super) fn said(unread: &Unread) -> String {
    format!("`{}`: {}", unread.path, unread.why)
}
