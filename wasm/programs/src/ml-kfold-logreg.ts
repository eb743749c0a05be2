// ml/kfold-logreg: an item is one fold × one penalty of a cross-validation. A
// logistic regression is trained on the rows outside the fold and tested on
// those inside.
//
// The table is input 0: numbers, the last column of each row the label, 0 or 1.
// Which fold a row is in depends on nothing but the labels and the params folds
// and shuffle, so that all items, and all jobs on the same table, test the same
// rows together:
//
//   1. The row numbers are shuffled after Fisher and Yates: for i from the last
//      place down to 1, swap places i and j, with j the upper half of
//      (upper 32 bits of draw i)·(i+1). The draws are those of item 0 under the
//      key (shuffle mod 2³², shuffle ÷ 2³²).
//   2. In the order of the shuffle, rows of label 0 and then those of label 1 are
//      dealt to the folds in turn. So folds differ by one row at most, in all and
//      of either label.
//
// Columns are standardised by mean and population deviation of the training
// rows; a column that does not vary there becomes 0. The fit minimises
//
//   Σ log(1 + exp(−s·(w·x + b))) + penalty/2·|w|²,  s = ±1 by label
//
// by Newton steps from w = b = 0, halved until they do not lead uphill, until one
// promises to go down by less than 1e-12. The intercept b is not penalised. Everything is + − × ÷ √ and our own exp and log
// in a written order.

import * as shoal from "../abi/shoal";
import { exp, log } from "../abi/math";
export { alloc } from "../abi/shoal";

// The params, in the order of the catalog entry.
const FOLDS: u32 = 0;
const SHUFFLE: u32 = 1;
const STEPS: u32 = 2;

/** The step that promises less than this is the last, because the next one would change no digit. */
const DONE: f64 = 1e-12;
/** A step is halved so often before the fit is taken to be done. */
const HALVINGS: u32 = 30;

let rows: u32 = 0; // of the table
let features: u32 = 0; // columns without the label
let table: usize = 0; // its cells in the frame, f64
let held: usize = 0; // bytes that the arrays below had room for
let order: usize = 0; // u32 per row: the shuffle
let fold: usize = 0; // u32 per row
let z: usize = 0; // f64 per row and feature: the standardised table
let score: usize = 0; // f64 per row: w·x + b
let weights: usize = 0; // f64 per feature, then b
let trial: usize = 0; // the same after a step
let slope: usize = 0; // gradient, then the Newton step
let bend: usize = 0; // Hessian, then its Cholesky factor, lower half

/** Three numbers per item: accuracy, log-loss and rows of the test. */
export function run(ptr: usize, len: usize): u64 {
  shoal.open(ptr, len, 3);
  const items = shoal.items();
  if (shoal.columns() != 2) unreachable();
  const folds = whole(shoal.param(FOLDS), 2.0, 1e6);
  const shuffle = whole(shoal.param(SHUFFLE), 0.0, 9007199254740991.0);
  const steps = whole(shoal.param(STEPS), 0.0, 1e6);
  if (items == 0) return shoal.done();

  read();
  if (<u64>rows < folds) unreachable();
  deal(<u32>folds, shuffle);
  for (let item: u32 = 0; item < items; ++item) {
    const tested = <u32>whole(shoal.column(item, 0), 0.0, <f64>(folds - 1));
    const penalty = shoal.column(item, 1);
    if (!(penalty > 0.0 && penalty <= f64.MAX_VALUE)) unreachable();
    standardise(tested);
    fit(tested, penalty, <u32>steps);
    test(item, tested);
  }
  return shoal.done();
}

function whole(x: f64, least: f64, most: f64): u64 {
  if (!(x >= least && x <= most) || floor(x) != x) unreachable();
  return <u64>x;
}

function at(base: usize, index: u32): usize {
  return base + (<usize>index << 3);
}

function get(base: usize, index: u32): f64 {
  return load<f64>(at(base, index));
}

function set(base: usize, index: u32, value: f64): void {
  store<f64>(at(base, index), value);
}

function label(row: u32): f64 {
  return get(table, row * (features + 1) + features);
}

/** Finds the table and makes room for the arrays. Traps if it is not a table of finite numbers with labels. */
function read(): void {
  const from = shoal.inputPtr(0), len = <u64>shoal.inputLen(0);
  if (len < 8) unreachable();
  rows = load<u32>(from);
  const columns = load<u32>(from, 4);
  if (columns < 2 || columns > 1 << 12 || rows > 1 << 26) unreachable();
  const cells = <u64>rows * <u64>columns;
  if (cells > 1 << 28 || len < 8 + (cells << 3)) unreachable();
  features = columns - 1;
  table = from + 8;
  for (let i: u32 = 0; i < <u32>cells; ++i) {
    if (!(abs(get(table, i)) <= f64.MAX_VALUE)) unreachable();
  }
  for (let row: u32 = 0; row < rows; ++row) {
    if (label(row) != 0.0 && label(row) != 1.0) unreachable();
  }

  const perRow = <usize>rows << 3, perWeight = <usize>columns << 3;
  const need: usize = perRow * <usize>(features + 2) + perWeight * <usize>(columns + 3);
  if (need > held) {
    order = heap.alloc(need);
    held = need;
  }
  fold = order + (perRow >> 1);
  z = order + perRow;
  score = z + perRow * <usize>features;
  weights = score + perRow;
  trial = weights + perWeight;
  slope = trial + perWeight;
  bend = slope + perWeight;
}

/** Deals the rows to the folds. */
function deal(folds: u32, shuffle: u64): void {
  const word = <usize>4;
  for (let row: u32 = 0; row < rows; ++row) store<u32>(order + <usize>row * word, row);
  for (let i = rows - 1; i > 0; --i) {
    shoal.block(<u32>shuffle, <u32>(shuffle >> 32), <u64>(i >> 1), 0);
    const draw = i & 1 ? shoal.odd : shoal.even;
    const j = <u32>((draw >> 32) * (<u64>i + 1) >> 32);
    const here = order + <usize>i * word, there = order + <usize>j * word;
    const row = load<u32>(here);
    store<u32>(here, load<u32>(there));
    store<u32>(there, row);
  }
  let next: u32 = 0;
  for (let dealt = 0.0; dealt <= 1.0; dealt += 1.0) {
    for (let i: u32 = 0; i < rows; ++i) {
      const row = load<u32>(order + <usize>i * word);
      if (label(row) != dealt) continue;
      store<u32>(fold + <usize>row * word, next);
      if (++next == folds) next = 0;
    }
  }
}

function isTested(row: u32, tested: u32): bool {
  return load<u32>(fold + (<usize>row << 2)) == tested;
}

/** Fills z. Traps if one of the labels does not occur outside the fold. */
function standardise(tested: u32): void {
  const columns = features + 1;
  let n = 0.0, ones = 0.0;
  for (let row: u32 = 0; row < rows; ++row) {
    if (isTested(row, tested)) continue;
    n += 1.0;
    ones += label(row);
  }
  if (!(ones > 0.0 && ones < n)) unreachable();
  for (let f: u32 = 0; f < features; ++f) {
    let sum = 0.0;
    for (let row: u32 = 0; row < rows; ++row) {
      if (!isTested(row, tested)) sum += get(table, row * columns + f);
    }
    const mean = sum / n;
    let squares = 0.0;
    for (let row: u32 = 0; row < rows; ++row) {
      if (isTested(row, tested)) continue;
      const d = get(table, row * columns + f) - mean;
      squares += d * d;
    }
    const deviation = sqrt(squares / n);
    for (let row: u32 = 0; row < rows; ++row) {
      const d = get(table, row * columns + f) - mean;
      set(z, row * features + f, deviation > 0.0 ? d / deviation : 0.0);
    }
  }
}

/** Trains on the rows outside the fold and leaves the result in weights. */
function fit(tested: u32, penalty: f64, steps: u32): void {
  const n = features + 1;
  for (let i: u32 = 0; i < n; ++i) set(weights, i, 0.0);
  let now = cost(weights, tested, penalty);
  for (let step: u32 = 0; step < steps; ++step) {
    derive(tested, penalty);
    const last = !(solve() > DONE);
    let share = 1.0;
    let halvings: u32 = 0;
    for (; halvings < HALVINGS; ++halvings) {
      for (let i: u32 = 0; i < n; ++i) set(trial, i, get(weights, i) - share * get(slope, i));
      if (last) break;
      const then = cost(trial, tested, penalty);
      if (then <= now) {
        now = then;
        break;
      }
      share *= 0.5;
    }
    if (halvings == HALVINGS) return;
    for (let i: u32 = 0; i < n; ++i) set(weights, i, get(trial, i));
    if (last) return;
  }
}

/** w·x + b of a row. */
function dot(w: usize, row: u32): f64 {
  let sum = get(w, features);
  let x = at(z, row * features);
  for (const end = at(w, features); w < end; w += 8, x += 8) sum += load<f64>(w) * load<f64>(x);
  return sum;
}

/** log(1 + exp(−margin)). */
function loss(margin: f64): f64 {
  return margin > 0.0 ? log(1.0 + exp(-margin)) : log(1.0 + exp(margin)) - margin;
}

/** What fit minimises. Leaves the scores of the training rows in score. */
function cost(w: usize, tested: u32, penalty: f64): f64 {
  let squares = 0.0;
  for (let f: u32 = 0; f < features; ++f) squares += get(w, f) * get(w, f);
  let sum = 0.5 * penalty * squares;
  for (let row: u32 = 0; row < rows; ++row) {
    if (isTested(row, tested)) continue;
    const s = dot(w, row);
    set(score, row, s);
    sum += loss(label(row) != 0.0 ? s : -s);
  }
  return sum;
}

/** Fills slope and the lower half of bend at the weights, whose scores are in score. */
function derive(tested: u32, penalty: f64): void {
  const n = features + 1;
  for (let i: u32 = 0; i < n; ++i) {
    set(slope, i, i < features ? penalty * get(weights, i) : 0.0);
    for (let j: u32 = 0; j <= i; ++j) set(bend, i * n + j, 0.0);
    if (i < features) set(bend, i * n + i, penalty);
  }
  for (let row: u32 = 0; row < rows; ++row) {
    if (isTested(row, tested)) continue;
    const s = get(score, row);
    const e = exp(-abs(s));
    const p = s > 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
    const miss = p - label(row);
    const weight = p * (1.0 - p);
    const x = at(z, row * features);
    for (let i: u32 = 0; i < features; ++i) {
      const xi = get(x, i);
      set(slope, i, get(slope, i) + miss * xi);
      const wxi = weight * xi;
      // The innermost loop of a fit: bend[i][j] += wxi·x[j] for j up to i.
      let to = at(bend, i * n), from = x;
      const end = at(to, i + 1);
      do {
        store<f64>(to, load<f64>(to) + wxi * load<f64>(from));
        to += 8;
        from += 8;
      } while (to < end);
      const last = at(bend, features * n + i);
      store<f64>(last, load<f64>(last) + wxi);
    }
    set(slope, features, get(slope, features) + miss);
    const corner = at(bend, features * n + features);
    store<f64>(corner, load<f64>(corner) + weight);
  }
}

/**
 * Replaces the gradient in slope by the Newton step, by Cholesky's
 * decomposition, and returns how far the step would lead down: half of the
 * gradient times the step. Traps if the Hessian is not positive definite.
 */
function solve(): f64 {
  const n = features + 1;
  for (let i: u32 = 0; i < n; ++i) {
    const line = at(bend, i * n);
    for (let j: u32 = 0; j <= i; ++j) {
      const other = at(bend, j * n);
      let sum = get(line, j);
      for (let k: u32 = 0; k < j; ++k) sum -= get(line, k) * get(other, k);
      if (j < i) {
        set(line, j, sum / get(other, j));
      } else {
        if (!(sum > 0.0 && sum <= f64.MAX_VALUE)) unreachable();
        set(line, i, sqrt(sum));
      }
    }
  }
  let promise = 0.0; // with L·v = gradient, gradient·step = v·v
  for (let i: u32 = 0; i < n; ++i) {
    const line = at(bend, i * n);
    let sum = get(slope, i);
    for (let k: u32 = 0; k < i; ++k) sum -= get(line, k) * get(slope, k);
    const v = sum / get(line, i);
    set(slope, i, v);
    promise += v * v;
  }
  for (let i = n; i-- > 0;) {
    let sum = get(slope, i);
    for (let k = i + 1; k < n; ++k) sum -= get(bend, k * n + i) * get(slope, k);
    set(slope, i, sum / get(bend, i * n + i));
  }
  return 0.5 * promise;
}

/** Writes the results of an item. A score of 0 counts as label 0. */
function test(item: u32, tested: u32): void {
  let n = 0.0, right = 0.0, sum = 0.0;
  for (let row: u32 = 0; row < rows; ++row) {
    if (!isTested(row, tested)) continue;
    const s = dot(weights, row);
    const one = label(row) != 0.0;
    n += 1.0;
    if (one == s > 0.0) right += 1.0;
    sum += loss(one ? s : -s);
  }
  shoal.put(item, 0, right / n);
  shoal.put(item, 1, sum / n);
  shoal.put(item, 2, n);
}
