/**
 * Shoal pools devices: a job is broken into pieces, a pool of peers computes
 * them, and a result counts only once it has been verified. A pool of one is an
 * ordinary offline run.
 *
 * Importing this has no effect and needs no page.
 */

export type { AssetOptions } from './assets.js';
export type { Finding, Report } from './doctor.js';
export { doctor } from './doctor.js';
export type { EngineOptions } from './engine.js';
export type { Carrying, Emitter } from './events.js';
export type {
  Axis,
  ByCombineSpec,
  BySplitSpec,
  Column,
  CombineOptions,
  CombineSpec,
  ContentSpec,
  CSVSpec,
  EntrySpec,
  FileSpec,
  FormulaSpec,
  InputSpec,
  Job,
  JobSpec,
  ModuleSpec,
  ProgramSpec,
  RecordsSpec,
  SkipNaN,
  Source,
  SplitSpec,
} from './job.js';
export { combine, job, split } from './job.js';
export type { Plan } from './plan.js';
export { plan } from './plan.js';
export type {
  Invite,
  InviteOptions,
  Knock,
  Lending,
  OwnDevicesOptions,
  Pool,
  PoolEvents,
  PoolOptions,
  PoolPeer,
  PoolState,
  PoolStatus,
  StopOptions,
} from './pool.js';
export { joinPool, ownDevices } from './pool.js';
export type { RefusalFields } from './refusal.js';
export { Refusal } from './refusal.js';
export type {
  Progress,
  Result,
  ResumeOptions,
  Run,
  RunEvents,
  RunOptions,
  RunState,
  SubmitOptions,
  Value,
} from './run.js';
export { resume, run } from './run.js';
export type { Shard, ShardStateName } from './shards.js';
export type {
  AnyValue,
  Bytes,
  Columns,
  ColumnValueOf,
  Counts,
  Covariance,
  Extremes,
  Histogram,
  Moments,
  Quantiles,
  Reduced,
  Regression,
  Sample,
  Sum,
  Table,
  Top,
  ValueOf,
} from './value.js';
export { version } from './version.js';
