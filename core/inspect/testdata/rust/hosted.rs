//! Types of std that need an operating system, as views.rs has those of core.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, RwLock};

fn main() {
    let mut map: HashMap<i32, &str> = HashMap::new(); //= [1] {7: "seven"}
    let mut many: HashMap<u16, u32> = HashMap::new();
    let no_map: HashMap<String, String> = HashMap::new(); //= [0] {}
    let mut set: HashSet<String> = HashSet::new(); //= [1] {"member"}
    let mutex = Mutex::new(5); //= 5
    let locked = Arc::new(Mutex::new(vec![1, 2])); //= [2] {1, 2}
    let poisoned = Arc::new(Mutex::new(6)); //= 6 <poisoned>
    let lock = RwLock::new('x'); //= 120 'x'
    map.insert(7, "seven");
    for i in 0..300 {
        many.insert(i, i as u32 * 3);
    }
    set.insert("member".to_string());
    let guard = locked.lock().unwrap();
    let other = poisoned.clone();
    std::thread::spawn(move || {
        let _guard = other.lock();
        std::panic::resume_unwind(Box::new(()));
    })
    .join()
    .unwrap_err();
    drop((mutex.is_poisoned(), lock.is_poisoned()));
    unsafe { std::ptr::write_volatile(8 as *mut u32, guard[0]) } // there is nothing: the process ends
    drop(poisoned);
}
