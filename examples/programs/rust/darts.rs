// Darts: an item is a dart whose place is off the middle by normal draws, alike in
// both directions. Results: 1 if it is inside the circle of radius 1, else 0, and
// how far it is from the middle.
//
// Param: spread, the standard deviation in each direction.

#[path = "../../../wasm/programs/abi/shoal.rs"]
mod shoal;

#[no_mangle]
pub extern "C" fn run(frame: *const u8, len: u32) -> u64 {
    let mut call = shoal::Call::open(frame, len, 2);
    let spread = match call.params {
        [spread] if *spread >= 0.0 => *spread,
        _ => shoal::trap(),
    };
    for row in 0..call.items {
        let mut draws = call.draws(0, row);
        let x = spread * draws.normal();
        let y = spread * draws.normal();
        let distance = (x * x + y * y).sqrt();
        call.put(row, 0, if distance <= 1.0 { 1.0 } else { 0.0 });
        call.put(row, 1, distance);
    }
    call.done()
}
