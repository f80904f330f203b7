/**
 * Sums as torch makes them on a CPU in float32, bit for bit, so that the rounding residue of equal rewards and of tiny
 * spreads comes out as it does in the trainer.
 *
 * Source: ATen `native/cpu/SumKernel.cpp` (`cascade_sum`, `row_sum`, `multi_row_sum`) as built into torch 2.15, whose
 * `nansum` kernel is compiled without AVX on every machine: vectors of 8 lanes, 4 of them in flight. Order seen:
 *
 * - a contiguous run of 8 or more: 4 × 8 running sums over blocks of 32, left-over vectors into the first 8, the four
 *   vectors added up, then the tail (n mod 8) one by one from 0, then the 8 lanes in order;
 * - a shorter or strided run: 4 running sums over blocks of 4, left-over values into the first, then added up;
 * - a reduction over the middle axis of (groups, n, functions): functions in blocks of 4 (of 32, then 8, where there are
 *   8 or more) are summed one by one along n, the others as a strided run.
 *
 * Running sums spill into up to three further levels every 16 steps or more (`cascade`). Holds for reductions of fewer
 * than 32,768 values; from there on torch splits the work by threads.
 */
const LANES = 8;
const FLIGHT = 4;
const LEVELS = 4;
const BLOCK = LANES * FLIGHT;

const scratch = new Float32Array(LEVELS * BLOCK);

/** `multi_row_sum`: sums over `size` steps of `width` values each; leaves them in `scratch[0 … width)`. NaN counts as 0. */
function cascade(
  x: Float32Array,
  start: number,
  step: number,
  lane: number,
  width: number,
  size: number,
): void {
  const acc = scratch;
  const power = Math.max(4, Math.floor(ceilLog2(size) / LEVELS));
  const every = 1 << power;
  acc.fill(0, 0, size >= every ? width * LEVELS : width);
  let i = 0;
  let at = start;
  while (i + every <= size) {
    for (const end = i + every; i < end; i++, at += step) addStep(x, at, lane, width);
    for (let level = 1; level < LEVELS; level++) {
      const to = level * width;
      const from = to - width;
      for (let k = 0; k < width; k++) {
        acc[to + k] = (acc[to + k] ?? 0) + (acc[from + k] ?? 0);
        acc[from + k] = 0;
      }
      if ((i & ((every - 1) << (level * power))) !== 0) break;
    }
  }
  for (; i < size; i++, at += step) addStep(x, at, lane, width);
  if (size < every) return;
  for (let level = 1; level < LEVELS; level++) {
    for (let k = 0; k < width; k++) acc[k] = (acc[k] ?? 0) + (acc[level * width + k] ?? 0);
  }
}

function addStep(x: Float32Array, at: number, lane: number, width: number): void {
  for (let k = 0, j = at; k < width; k++, j += lane) {
    const value = x[j] ?? 0;
    if (!Number.isNaN(value)) scratch[k] = (scratch[k] ?? 0) + value;
  }
}

function ceilLog2(n: number): number {
  return n <= 1 ? 0 : 32 - Math.clz32(n - 1);
}

/** `row_sum` of single values: a strided run of `n`, or a contiguous one of fewer than 8. */
function stridedSum(x: Float32Array, start: number, stride: number, n: number): number {
  if (n < 2 * FLIGHT) {
    let sum = add(0, x[start]);
    for (let i = FLIGHT; i < n; i++) sum = add(sum, x[start + i * stride]);
    for (let i = 1; i < Math.min(n, FLIGHT); i++) sum = add(sum, x[start + i * stride]);
    return sum;
  }
  const whole = Math.floor(n / FLIGHT);
  cascade(x, start, stride * FLIGHT, stride, FLIGHT, whole);
  for (let i = whole * FLIGHT; i < n; i++) addStep(x, start + i * stride, 0, 1);
  let sum = scratch[0] ?? 0;
  for (let k = 1; k < FLIGHT; k++) sum = Math.fround(sum + (scratch[k] ?? 0));
  return sum;
}

/** `torch.nansum` over `n` neighbours: a row of a (groups, n) tensor, or a whole one-dimensional tensor. */
export function nansum(x: Float32Array, start: number, n: number): number {
  if (n < LANES) return stridedSum(x, start, 1, n);
  if (n < BLOCK) return laneSum(x, start, n);
  const vectors = Math.floor(n / LANES);
  const whole = Math.floor(vectors / FLIGHT);
  cascade(x, start, BLOCK, 1, BLOCK, whole);
  for (let v = whole * FLIGHT; v < vectors; v++) addStep(x, start + v * LANES, 1, LANES);
  for (let k = 1; k < FLIGHT; k++) {
    for (let lane = 0; lane < LANES; lane++) {
      scratch[lane] = (scratch[lane] ?? 0) + (scratch[k * LANES + lane] ?? 0);
    }
  }
  let sum = 0;
  for (let i = start + vectors * LANES; i < start + n; i++) {
    sum = add(sum, x[i]);
  }
  for (let lane = 0; lane < LANES; lane++) sum = Math.fround(sum + (scratch[lane] ?? 0));
  return sum;
}

/** The same for 8 to 31 values, the usual size of a group: no block is full, so each lane is a sum of its own. */
function laneSum(x: Float32Array, start: number, n: number): number {
  const tail = start + n - (n % LANES);
  let sum = 0;
  for (let i = tail; i < start + n; i++) sum = add(sum, x[i]);
  for (let lane = start; lane < start + LANES; lane++) {
    let partial = 0;
    for (let i = lane; i < tail; i += LANES) partial = add(partial, x[i]);
    sum = Math.fround(sum + partial);
  }
  return sum;
}

function add(sum: number, value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? sum : Math.fround(sum + value);
}

/** `torch.nansum` of column `column` of a (n, columns) tensor, taken as `x[:, column]`. */
export function nansumColumn(x: Float32Array, column: number, columns: number, n: number): number {
  return columns === 1 ? nansum(x, 0, n) : stridedSum(x, column, columns, n);
}

/** `torch.nansum(dim=1)` of one group of a (groups, n, columns) tensor, for one column; `start` is the group's first value. */
export function nansumMiddle(
  x: Float32Array,
  start: number,
  column: number,
  columns: number,
  n: number,
): number {
  if (columns === 1) return nansum(x, start, n);
  if (!sequential(column, columns)) return stridedSum(x, start + column, columns, n);
  cascade(x, start + column, columns, 0, 1, n);
  return scratch[0] ?? 0;
}

/** Columns in a full block of four vectors (or of four values) are summed along n without interleaving. */
function sequential(column: number, columns: number): boolean {
  const block = columns >= LANES ? BLOCK : FLIGHT;
  return column < columns - (columns % block);
}
