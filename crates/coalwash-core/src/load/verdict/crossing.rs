//! When a verdict is told: once when it gets worse, and again only when there is more to tell.

use super::Band;

/// What stands to be told, or was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The band that was reached.
    pub band: Band,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether it was told.
    pub consumed: bool,
    /// Whether it asks for more than a cut by code.
    pub escalation: bool,
    /// The session in which it was reached, if one is known.
    pub session: Option<String>,
}

/// What is remembered from one clean state to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Episode {
    /// The last crossing.
    pub crossing: Option<Crossing>,
    /// Whether a cut by code was asked for.
    pub quick_tried: bool,
    /// Repeats when more was asked for the last time.
    pub last_escalation_fat: Option<u64>,
    /// Repeats when a cut by code was offered the last time.
    pub last_obese_fat: Option<u64>,
    /// Whether a run that shortens took something out.
    pub removed: bool,
}

/// Something to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The band.
    pub band: Band,
    /// When it was reached.
    pub at: i64,
    /// Whether it asks for more than a cut by code.
    pub escalation: bool,
}

impl Episode {
    /// Takes in a new measurement. The first rule that holds decides.
    pub fn update(
        &mut self,
        now: Band,
        before: Option<Band>,
        fat: u64,
        at: i64,
        session: Option<&str>,
    ) {
        let crossing = |escalation| {
            Some(Crossing {
                band: now,
                at,
                consumed: false,
                escalation,
                session: session.map(str::to_owned),
            })
        };
        if now == Band::Lean {
            *self = Self::default();
            return;
        }
        if now > before.unwrap_or(Band::Lean) {
            self.crossing = crossing(false);
            if now == Band::Obese {
                self.last_obese_fat = Some(fat);
            }
            return;
        }
        let Some(last) = self.crossing.as_ref().filter(|last| last.consumed) else { return };
        // Nothing told yet is less than no repeats at all.
        let grew = self.last_escalation_fat.is_none_or(|mark| fat > mark);
        match now {
            Band::Full if self.quick_tried && !last.escalation && grew => {
                self.crossing = crossing(true);
                self.last_escalation_fat = Some(fat);
            }
            Band::Full => {
                let elsewhere = session.is_some() && last.session.as_deref() != session;
                if grew && (self.quick_tried || elsewhere) {
                    self.crossing = crossing(false);
                }
            }
            Band::Obese => {
                if fat > self.last_obese_fat.unwrap_or(0) + super::ARM {
                    self.crossing = crossing(false);
                    self.last_obese_fat = Some(fat);
                }
            }
            Band::Lean => {}
        }
    }

    /// Returns what is to be told; a crossing of the future is none.
    pub fn pending(&self, now_ms: i64) -> Option<Pending> {
        let last = self.crossing.as_ref()?;
        let tells = !last.consumed && last.band != Band::Lean && last.at <= now_ms;
        tells.then_some(Pending { band: last.band, at: last.at, escalation: last.escalation })
    }

    /// Notes that it was told.
    pub fn consume(&mut self) {
        if let Some(crossing) = &mut self.crossing {
            crossing.consumed = true;
        }
    }
}
