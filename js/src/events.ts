/** Events of handles: an EventTarget whose event names and fields are typed. */

/** An event that carries plain fields. */
export type Carrying<F> = Event & Readonly<F>;

/** The listener methods of a handle whose events are M: fields by event name. */
export interface Emitter<M> extends EventTarget {
  addEventListener<K extends keyof M & string>(
    type: K,
    listener: ((event: Carrying<M[K]>) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  removeEventListener<K extends keyof M & string>(
    type: K,
    listener: ((event: Carrying<M[K]>) => void) | null,
    options?: EventListenerOptions | boolean,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: EventListenerOptions | boolean,
  ): void;
}

/** Makes an event that has the fields as properties. */
export const carrying = <F extends object>(type: string, fields: F): Carrying<F> => {
  const event = new Event(type);
  for (const [key, value] of Object.entries(fields)) Object.defineProperty(event, key, { value, enumerable: true });
  return event as Carrying<F>;
};
