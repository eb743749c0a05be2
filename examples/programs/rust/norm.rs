// Norm: an item is a record. Results: how far its columns are from the centre, as
// the crow flies, and the column that is farthest from it, counted from 0.
//
// Param: centre, the same for all columns.

#[path = "../../../wasm/programs/abi/shoal.rs"]
mod shoal;

#[no_mangle]
pub extern "C" fn run(frame: *const u8, len: u32) -> u64 {
    let mut call = shoal::Call::open(frame, len, 2);
    let centre = match call.params {
        [centre] => *centre,
        _ => shoal::trap(),
    };
    for row in 0..call.items {
        let (mut sum, mut most, mut farthest) = (0.0, -1.0, 0);
        for (i, column) in call.row(row).iter().enumerate() {
            let off = (column - centre).abs();
            sum += off * off;
            if off > most {
                (most, farthest) = (off, i);
            }
        }
        call.put(row, 0, sum.sqrt());
        call.put(row, 1, farthest as f64);
    }
    call.done()
}
