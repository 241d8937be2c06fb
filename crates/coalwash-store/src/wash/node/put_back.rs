//! Putting a deleted file back from a bin.

use coalwash_core::load::Unread;
use coalwash_core::wash::{Action, Change, Plan};

use super::BinItem;
use super::target::{Scope, Standing};
use crate::disk::Disk;

impl BinItem {
    /// Returns a plan that makes the file again that this was, or `None` where the file holds just
    /// that.
    ///
    /// Of a file that was rewritten a bin holds only the lines that went, and nothing tells the two
    /// apart. So what is there is never replaced. Where it belongs is only what a file in the project
    /// claims: the plan has to be shown before it is carried out.
    ///
    /// # Errors
    /// Why nothing may be written there from here.
    pub fn put_back<D: Disk>(
        &self,
        disk: &D,
        scope: Scope<'_>,
        bytes: Vec<u8>,
    ) -> Result<Option<Plan>, Unread> {
        let Some(path) = &self.original else {
            let why = "no index says which file it was".to_owned();
            return Err(Unread::new(&*self.id, why));
        };
        let no = |why: &str| Unread::new(path.clone(), why.to_owned());
        match scope.standing(disk, path)? {
            Standing::File(now) if now == bytes => return Ok(None),
            Standing::File(_) => {
                return Err(no("it is there, and what a bin holds may be a part of it only"));
            }
            Standing::Nothing => {}
        }
        let content = String::from_utf8(bytes).map_err(|_| no("what the bin holds isn't UTF-8"))?;
        let change = Change::Create { path: path.clone(), content };
        let reason = format!("back from {}", self.bin.name());
        let action = Action { change, reason, approvals: Vec::new() };
        Ok(Some(Plan::new("bin restore", vec![action])))
    }
}
