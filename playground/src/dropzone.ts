/** A place for a file: to drop it on, to choose it, or to take a sample. */

import { h } from './dom.js';
import type { Key } from './strings.js';

/** A sample that the site has below samples/, or in the page itself. */
export interface Sample {
  readonly name: string;
  readonly label: Key;
  readonly text?: string;
}

/** The place. */
export interface DropZone {
  readonly element: HTMLElement;
  /** Loads a sample as if its button had been pressed. */
  readonly take: (name: string) => Promise<void>;
}

interface Options {
  readonly prompt: Key;
  readonly accept: string;
  readonly samples: readonly Sample[];
  /** What stands before the samples. */
  readonly or?: Key;
  readonly chosen: (file: File, sample: boolean) => Promise<void>;
  readonly failed: (thrown: unknown) => void;
}

/** Loads a sample. */
export async function sampleFile({ name, text }: Sample): Promise<File> {
  if (text !== undefined) return new File([text], name);
  const response = await fetch(`samples/${name}`);
  if (!response.ok) throw new Error(`samples/${name}: ${response.status}`);
  return new File([await response.blob()], name);
}

/** Makes the place. below stands in it, under the buttons. */
export function dropZone(options: Options, ...below: readonly HTMLElement[]): DropZone {
  const { prompt, accept, samples, or, chosen, failed } = options;
  const picker = h('input', { type: 'file', accept, class: 'unseen', tabindex: -1, 'aria-hidden': 'true' });
  picker.addEventListener('change', () => {
    const [file] = picker.files ?? [];
    if (file) chosen(file, false).catch(failed);
    picker.value = ''; // so that the same file can be chosen again
  });
  const take = async (name: string): Promise<void> => {
    const sample = samples.find((s) => s.name === name);
    if (!sample) return;
    try {
      await chosen(await sampleFile(sample), true);
    } catch (e) {
      failed(e);
    }
  };
  const buttons = samples.map((s) =>
    h('button', {
      type: 'button',
      class: 'quiet',
      text: s.label,
      'data-sample': s.name,
      click: () => void take(s.name),
    }),
  );
  const element = h(
    'div',
    { class: 'drop' },
    h(
      'div',
      {},
      h('p', { text: prompt }),
      h('button', { type: 'button', text: 'choose', click: () => picker.click() }),
      picker,
    ),
    samples.length > 0 ? h('div', {}, or ? h('p', { text: or }) : null, ...buttons) : null,
    ...below,
  );
  const over =
    (on: boolean) =>
    (e: DragEvent): void => {
      e.preventDefault();
      element.classList.toggle('over', on);
    };
  element.addEventListener('dragover', over(true));
  element.addEventListener('dragleave', over(false));
  element.addEventListener('drop', (e) => {
    over(false)(e);
    const [file] = e.dataTransfer?.files ?? [];
    if (file) chosen(file, false).catch(failed);
  });
  return { element, take };
}
