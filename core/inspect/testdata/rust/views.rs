//! Types of core and alloc with what a debugger has to show of them, behind "//=".
//! "//~" is for an expression of its own: expression == text.
#![no_std]
#![no_main]
extern crate alloc;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use alloc::rc::{Rc, Weak};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::{Cell, RefCell, UnsafeCell};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::num::{NonZeroU32, NonZeroU8, Wrapping};
use core::sync::atomic::{AtomicBool, AtomicU32};
use core::time::Duration;

const HEAP: usize = 32 * 1024;

/// Gives memory away and takes none back.
struct Bump {
    heap: UnsafeCell<[u64; HEAP / 8]>,
    used: UnsafeCell<usize>,
}

unsafe impl Sync for Bump {}

unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let at = (*self.used.get() + layout.align() - 1) / layout.align() * layout.align();
        if at + layout.size() > HEAP {
            return core::ptr::null_mut();
        }
        *self.used.get() = at + layout.size();
        (self.heap.get() as *mut u8).add(at)
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Bump = Bump { heap: UnsafeCell::new([0; HEAP / 8]), used: UnsafeCell::new(0) };

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn stop_here() {
    unsafe { core::ptr::write_volatile(core::ptr::addr_of_mut!(STOPS), 1) }
}
static mut STOPS: u32 = 0;

trait Shape {
    fn area(&self) -> u32;
}
struct Square {
    side: u32,
}
struct Circle(u16, bool);
impl Shape for Square {
    fn area(&self) -> u32 {
        self.side * self.side
    }
}
impl Shape for Circle {
    fn area(&self) -> u32 {
        self.0 as u32 * 3
    }
}

#[allow(dead_code)]
enum Message {
    Quit,
    Move { x: i32, y: i32 },
    Write(String),
    Color(u8, u8, u8),
}
#[allow(dead_code)]
enum Level {
    Low = 1,
    High = 10,
}

fn keep<T>(x: &T) {
    unsafe { core::ptr::read_volatile(&(x as *const T)) };
}

#[no_mangle]
pub extern "C" fn main() {
    let vec: Vec<i32> = [1, 2, 3].into(); //= [3] {1, 2, 3}
    let no_vec: Vec<u8> = Vec::new(); //= [0] {}
    let units: Vec<()> = [(), (), ()].into(); //= [3] {(), (), ()}
    let text = String::from("grüße"); //= "grüße"
    let no_text = String::new(); //= ""
    let slice: &[i32] = &vec[1..]; //= [2] {2, 3}
    let borrowed: &str = &text[..2]; //= "gr"
    let boxed: Box<i32> = Box::new(5);
    //~ *boxed == 5 (0x5)
    let boxed_text: Box<str> = Box::from("boxed"); //= "boxed"
    let boxed_slice: Box<[u8]> = Box::new([1, 2, 3]); //= [3] {1, 2, 3}
    let shape: Box<dyn Shape> = Box::new(Square { side: 4 }); //= {side = 4}
    let other: &dyn Shape = &Circle(9, true); //= (9, true)
    let rc = Rc::new(7); //= 7
    let rc2 = rc.clone(); //= 7
    let weak: Weak<i32> = Rc::downgrade(&rc); //= 7
    let dangling: Weak<i32> = Weak::new(); //= <dangling>
    let dropped: Weak<i32> = Rc::downgrade(&Rc::new(8)); //= <dropped>
    let rc_text: Rc<str> = Rc::from("shared text"); //= "shared text"
    let rc_slice: Rc<[u16]> = Rc::from([4u16, 5, 6]); //= [3] {4, 5, 6}
    let rc_shape: Rc<dyn Shape> = Rc::new(Square { side: 3 }); //= {side = 3}
    let arc = Arc::new(String::from("in an arc")); //= "in an arc"
    let cell = Cell::new(11u8); //= 11
    let ref_cell = RefCell::new(12); //= 12
    let mutable = RefCell::new(13); //= 13 <mutably borrowed>
    let shared = RefCell::new(14); //= 14 <2 shared borrows>
    let nested: Rc<RefCell<Vec<u8>>> = Rc::new(RefCell::new([1u8, 2].into())); //= [2] {1, 2}
    let some: Option<i32> = Some(5); //= Some(5)
    let none: Option<i32> = None; //= None
    let niche: Option<Box<i32>> = Some(Box::new(6));
    let no_box: Option<Box<i32>> = None; //= None
    let some_text: Option<String> = Some(String::from("some")); //= Some("some")
    let no_string: Option<String> = None; //= None
    let some_ref: Option<&str> = Some("ref"); //= Some("ref")
    let fine: Result<u16, String> = Ok(3); //= Ok(3)
    let failed: Result<u16, String> = Err(String::from("why")); //= Err("why")
    let deep: Option<Option<bool>> = Some(None); //= Some(None)
    let quit = Message::Quit; //= Quit
    let moved = Message::Move { x: 1, y: -1 }; //= Move {x = 1, y = -1}
    let written = Message::Write(String::from("hi")); //= Write("hi")
    let color = Message::Color(1, 2, 3); //= Color(1, 2, 3)
    let level = Level::High; //= views::Level::High
    let mut deque: VecDeque<i32> = VecDeque::with_capacity(4); //= [4] {8, 9, 10, 11}
    let no_deque: VecDeque<i32> = VecDeque::new(); //= [0] {}
    let mut map: BTreeMap<i32, String> = BTreeMap::new(); //= [2] {1: "one", 2: "two"}
    let no_map: BTreeMap<i32, i32> = BTreeMap::new(); //= [0] {}
    let mut big: BTreeMap<u16, u32> = BTreeMap::new();
    //~ big[0] == 0 (0x0)
    //~ big[199] == 39601 (0x9ab1)
    let mut set: BTreeSet<char> = BTreeSet::new(); //= [2] {97 'a', 122 'z'}
    let mut heap: BinaryHeap<u8> = BinaryHeap::new(); //= [1] {3}
    let tuple = (1u8, "two", 3.5f32); //= (1, "two", 3.5)
    let unit = (); //= ()
    let array = [String::from("a"), String::from("b")]; //= {"a", "b"}
    let span = Duration::new(3, 250_000_000); //= 3.25s
    let small = Duration::from_micros(1500); //= 0.0015s
    let non_zero = NonZeroU32::new(9).unwrap(); //= 9
    let maybe: Option<NonZeroU8> = NonZeroU8::new(0); //= None
    let wrapping = Wrapping(200u8); //= 200
    let atomic = AtomicU32::new(21); //= 21
    let flag = AtomicBool::new(true); //= true
    let manual = ManuallyDrop::new(22); //= 22
    let unset: MaybeUninit<u16> = MaybeUninit::new(23);
    let h_vec = heapless::vec::Vec::<_, 4> { buffer: heapless::room([1, 2, 3]), len: 2 }; //= [2] {1, 2}
    let inner = |len| heapless::vec::VecInner {
        phantom: PhantomData,
        len,
        buffer: heapless::vec::VecStorageInner { buffer: heapless::room::<u8, 3, 4>(*b"abc") },
    };
    let h_inner = inner(3u8); //= [3] {97, 98, 99}
    let h_text = heapless::string::String::<4> { vec: heapless::vec::Vec { buffer: heapless::room(*b"old"), len: 3 } }; //= "old"
    let h_string = heapless::string::StringInner { vec: inner(2u8) }; //= "ab"
    let h_deque = heapless::deque::Deque::<_, 4> { buffer: heapless::room([1, 2, 3, 4]), front: 3, back: 1, full: false }; //= [2] {4, 1}
    let h_full = heapless::deque::Deque::<_, 3> { buffer: heapless::room([1, 2, 3]), front: 1, back: 1, full: true }; //= [3] {2, 3, 1}
    let slot = |n| UnsafeCell::new(MaybeUninit::new(n));
    let h_queue = heapless::spsc::Queue { head: 2.into(), tail: 1.into(), buffer: [slot(1), slot(2), slot(3)] }; //= [2] {3, 1}
    let h_map = heapless::linear_map::LinearMap::<_, _, 3> { buffer: heapless::vec::Vec { buffer: heapless::room([(1u8, "one")]), len: 1 } }; //= [1] {1: "one"}
    let h_buf = heapless::history_buf::HistoryBufInner {
        phantom: PhantomData::<u8>,
        write_at: 1,
        filled: true,
        data: heapless::vec::VecStorageInner { buffer: heapless::room::<u8, 3, 3>([3, 1, 2]) },
    };
    //~ h_buf == [3] {1, 2, 3}
    let letter = 'ß'; //= 223 'ß'
    let unsafe_cell = UnsafeCell::new(24); //= 24
    for i in 8..12 {
        deque.push_back(i - 2);
        if i > 9 {
            deque.pop_front();
        }
    }
    deque.push_back(10);
    deque.push_back(11);
    map.insert(2, String::from("two"));
    map.insert(1, String::from("one"));
    for i in 0..200u16 {
        big.insert(i * 37 % 200, (i as u32 * 37 % 200) * (i as u32 * 37 % 200));
    }
    set.insert('z');
    set.insert('a');
    heap.push(3);
    let writer = mutable.borrow_mut(); //= 13
    let (one, two) = (shared.borrow(), shared.borrow()); //~ *one == 14 (0xe)
    stop_here();
    keep(&(&vec, &no_vec, &units, &text, &no_text, &slice, &borrowed, &boxed, &boxed_text, &boxed_slice));
    keep(&(&shape, &other, &rc, &rc2, &weak, &dangling, &dropped, &rc_text, &rc_slice, &rc_shape, &arc));
    keep(&(&cell, &ref_cell, &writer, &one, &two, &nested, &some, &none, &niche, &no_box, &some_text));
    keep(&(&no_string, &some_ref, &fine, &failed, &deep, &quit, &moved, &written, &color, &level, &deque));
    keep(&(&no_deque, &map, &no_map, &big, &set, &heap, &tuple, &unit, &array, &span, &small, &non_zero));
    keep(&(&maybe, &wrapping, &atomic, &flag, &manual, &unset, &letter, &unsafe_cell, shape.area(), other.area()));
    keep(&(&h_vec, &h_inner, &h_text, &h_string, &h_deque, &h_full, &h_queue, &h_map, &h_buf));
}
