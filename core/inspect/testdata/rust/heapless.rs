//! Structures with the names and members of the crate heapless: of 0.7 and 0.8,
//! and those that end in Inner of 0.9.
#![no_std]
use core::mem::MaybeUninit;

/// An array of M elements of which the first N are there.
pub fn room<T, const N: usize, const M: usize>(from: [T; N]) -> [MaybeUninit<T>; M] {
    let mut out: [MaybeUninit<T>; M] = unsafe { MaybeUninit::uninit().assume_init() };
    for (to, from) in out.iter_mut().zip(from) {
        *to = MaybeUninit::new(from);
    }
    out
}

pub mod vec {
    use core::{marker::PhantomData, mem::MaybeUninit};
    pub struct Vec<T, const N: usize> {
        pub buffer: [MaybeUninit<T>; N],
        pub len: usize,
    }
    pub struct VecInner<T, L, S> {
        pub phantom: PhantomData<T>,
        pub len: L,
        pub buffer: S,
    }
    pub struct VecStorageInner<S> {
        pub buffer: S,
    }
}
pub mod string {
    use crate::vec::{Vec, VecInner};
    pub struct String<const N: usize> {
        pub vec: Vec<u8, N>,
    }
    pub struct StringInner<L, S> {
        pub vec: VecInner<u8, L, S>,
    }
}
pub mod deque {
    use core::mem::MaybeUninit;
    pub struct Deque<T, const N: usize> {
        pub buffer: [MaybeUninit<T>; N],
        pub front: usize,
        pub back: usize,
        pub full: bool,
    }
}
pub mod spsc {
    use core::{cell::UnsafeCell, mem::MaybeUninit, sync::atomic::AtomicUsize};
    pub struct Queue<T, const N: usize> {
        pub head: AtomicUsize,
        pub tail: AtomicUsize,
        pub buffer: [UnsafeCell<MaybeUninit<T>>; N],
    }
}
pub mod linear_map {
    pub struct LinearMap<K, V, const N: usize> {
        pub buffer: crate::vec::Vec<(K, V), N>,
    }
}
pub mod history_buf {
    use core::marker::PhantomData;
    pub struct HistoryBufInner<T, S> {
        pub phantom: PhantomData<T>,
        pub write_at: usize,
        pub filled: bool,
        pub data: S,
    }
}
