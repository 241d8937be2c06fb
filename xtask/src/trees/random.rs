//! Random numbers that never change.

/// A stream of numbers from a seed: SplitMix64.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 when there is none.
    ///
    /// The lower numbers are likelier by a share of `end / 2⁶⁴`, which nothing here can see.
    pub fn below(&mut self, end: usize) -> usize {
        let end = end.max(1) as u64;
        usize::try_from(self.next_u64() % end).expect("it is below a `usize`")
    }

    /// Returns true in `percent` of 100 calls.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `from`.
    ///
    /// # Panics
    /// When `from` is empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns one of `from`, each as often as its weight says.
    ///
    /// # Panics
    /// When `from` is empty.
    pub fn weighted<T: Copy>(&mut self, from: &[(usize, T)]) -> T {
        let mut left = self.below(from.iter().map(|(weight, _)| weight).sum());
        for &(weight, value) in from {
            if left < weight {
                return value;
            }
            left -= weight;
        }
        from[0].1
    }
}
