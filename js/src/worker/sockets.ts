/** The WebSockets that the peer module dials. */

import { clip, textOf } from '../text.js';
import type { Event as PeerEvent } from '../wire.gen.js';

/** The limit of an event's reason, in bytes. */
const MAX_WHY = 1024;
/** The largest message in either direction, as the wire states. */
const MAX_MESSAGE = 1 << 20;
/**
 * Bounds the bytes that wait for a slow connection. Past it the connection is
 * given up: what waits is only worth sending while it is fresh.
 */
const MAX_QUEUE = 8 << 20;
/** Bounds dialling. A phone network that wakes up takes some seconds. */
const DIAL_MS = 15_000;

/** Dials and serves connections by number. */
export interface Sockets {
  readonly dial: (conn: number, url: string) => void;
  readonly transmit: (conn: number, data: Uint8Array<ArrayBuffer>) => void;
  /** Closes a connection. Nothing more is delivered for it. */
  readonly hangup: (conn: number) => void;
  /** Closes everything and holds back dialling until the page is back. */
  readonly sleep: (asleep: boolean) => void;
}

/**
 * Makes the connections of one peer. deliver is never called from inside one of
 * the functions above.
 */
export function sockets(deliver: (event: PeerEvent) => void): Sockets {
  const open = new Map<number, WebSocket>();
  const held = new Map<number, string>(); // to dial when the page is back
  let asleep = false;

  const release = (conn: number): WebSocket | undefined => {
    const ws = open.get(conn);
    open.delete(conn);
    held.delete(conn);
    return ws;
  };
  const close = (ws: WebSocket | undefined): void => {
    // Some engines throw when a connection that is still opening is closed.
    try {
      ws?.close();
    } catch {}
  };
  /** Ends a connection from this side and says so. */
  const drop = (conn: number, ws: WebSocket, why: string): void => {
    if (open.get(conn) !== ws) return;
    release(conn);
    close(ws);
    deliver({ type: 'closed', conn, why });
  };
  const later = (conn: number, why: string): void => {
    setTimeout(() => deliver({ type: 'closed', conn, why }));
  };

  const dial = (conn: number, url: string): void => {
    close(release(conn));
    if (asleep) {
      held.set(conn, url);
      return;
    }
    let ws: WebSocket;
    try {
      ws = new WebSocket(url);
    } catch (e) {
      later(conn, clip(`the connection was not tried: ${textOf(e)}`, MAX_WHY));
      return;
    }
    ws.binaryType = 'arraybuffer';
    open.set(conn, ws);
    const mine = (): boolean => open.get(conn) === ws;
    const late = setTimeout(() => drop(conn, ws, `no answer within ${DIAL_MS / 1000} seconds`), DIAL_MS);
    ws.onopen = () => {
      clearTimeout(late);
      if (mine()) deliver({ type: 'opened', conn });
    };
    ws.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!mine()) return;
      if (!(data instanceof ArrayBuffer)) drop(conn, ws, 'the server sent text');
      else if (data.byteLength > MAX_MESSAGE) drop(conn, ws, 'the server sent a message over the limit');
      else deliver({ type: 'received', conn, data: new Uint8Array(data) });
    };
    ws.onclose = ({ code, reason }) => {
      clearTimeout(late);
      if (!mine()) return;
      release(conn);
      deliver({ type: 'closed', conn, why: reason ? `${code}: ${reason}` : `the connection ended with code ${code}` });
    };
  };

  return {
    dial,
    hangup: (conn) => close(release(conn)),
    transmit: (conn, data) => {
      const ws = open.get(conn);
      if (ws?.readyState !== WebSocket.OPEN) return;
      if (ws.bufferedAmount + data.length > MAX_QUEUE) {
        setTimeout(() => drop(conn, ws, 'the connection is too slow for what is sent over it'));
      } else {
        ws.send(data);
      }
    },
    sleep: (now) => {
      asleep = now;
      if (now) {
        for (const [conn, ws] of [...open]) drop(conn, ws, 'the page is put aside');
      } else {
        const waiting = [...held];
        held.clear();
        for (const [conn, url] of waiting) dial(conn, url);
      }
    },
  };
}
