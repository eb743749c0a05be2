/** The compute role: executes one task at a time, for the control worker. */

import type { Assignment, Outcome, ToWorker } from '../protocol.js';
import { textOf } from '../text.js';
import { instance, type Peer } from './instance.js';

type Start = Extract<ToWorker, { t: 'compute' }>;

/** The compute role, ready for the page's messages. */
export interface Compute {
  readonly receive: (message: ToWorker) => void;
}

/** A result must not depend on it, and a secret must not come from it. */
const zeros = (into: Uint8Array): void => {
  into.fill(0);
};

/**
 * How long the worker computes before it looks at its messages. A worker that
 * never does is ended by Chromium only after two seconds; the look costs about
 * 0.05 ms.
 */
const SLICE = 20;

/** Starts the compute role. It throws if the module cannot run here. */
export function startCompute(start: Start): Compute {
  const programs = new Map(start.programs);
  let peer: Peer | undefined = instance(start.module, zeros, programs);
  let waiting: Assignment | undefined;

  const answer = (outcome: Outcome, transfer: Transferable[] = []): void => start.port.postMessage(outcome, transfer);
  const execute = (): void => {
    const job = waiting;
    // The page sends a program before the control worker can ask for it, but
    // over another channel, so the task may be here first.
    if (!job?.programs.every((name) => programs.has(name))) return;
    waiting = undefined;
    guard(() => {
      peer ??= instance(start.module, zeros, programs);
      peer.begin(job.task);
      goOn();
    });
  };
  const guard = (f: () => void): void => {
    try {
      f();
    } catch (e) {
      peer = undefined; // it has panicked; a new one stands in its place
      answer({ lost: textOf(e) });
    }
  };
  const pause = new MessageChannel();
  const goOn = (): void => {
    for (const end = performance.now() + SLICE; performance.now() < end; ) {
      const bytes = peer?.step();
      if (!bytes) continue;
      answer({ answer: bytes }, [bytes.buffer]);
      return;
    }
    pause.port2.postMessage(0);
  };
  pause.port1.onmessage = () => guard(goOn);

  start.port.onmessage = ({ data }: MessageEvent<Assignment>) => {
    waiting = data;
    execute();
  };
  return {
    receive: (m) => {
      if (m.t === 'forget') programs.delete(m.name);
      if (m.t !== 'program') return;
      programs.set(m.name, m.module);
      execute();
    },
  };
}
