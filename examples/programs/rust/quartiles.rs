// Quartiles: a reducer that keeps all numbers. Of one number of each item it yields
// the exact quartiles: of n numbers in order, those with a quarter, a half and three
// quarters of them below.
//
// Param: column, which number of an item it is, from 0.

#[path = "../../../wasm/programs/abi/shoal.rs"]
mod shoal;

static mut NUMBERS: Vec<f64> = Vec::new();
static mut RESULT: [f64; 3] = [0.0; 3];

#[no_mangle]
pub extern "C" fn init(frame: *const u8, len: u32) {
    shoal::Call::open(frame, len, 0);
}

#[no_mangle]
pub extern "C" fn fold(frame: *const u8, len: u32) {
    let call = shoal::Call::open(frame, len, 0);
    let column = call.params[0] as usize;
    for row in 0..call.items {
        // One thread calls one function at a time.
        unsafe { NUMBERS.push(call.row(row)[column]) }
    }
}

#[no_mangle]
pub extern "C" fn finish() -> u64 {
    unsafe {
        NUMBERS.sort_unstable_by(f64::total_cmp);
        for (i, quartile) in RESULT.iter_mut().enumerate() {
            *quartile = NUMBERS[(i + 1) * NUMBERS.len() / 4];
        }
        shoal::pack(RESULT.as_ptr() as *const u8, 24)
    }
}
