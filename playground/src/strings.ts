/** Every text of the page, in every language it speaks, from the files in texts. */

import * as demo from './texts/demo.js';
import * as ensemble from './texts/ensemble.js';
import * as file from './texts/file.js';
import * as kfold from './texts/kfold.js';
import * as montecarlo from './texts/montecarlo.js';
import * as pool from './texts/pool.js';
import * as program from './texts/program.js';
import * as site from './texts/site.js';
import * as sweep from './texts/sweep.js';

const en = {
  ...site.en,
  ...demo.en,
  ...montecarlo.en,
  ...sweep.en,
  ...file.en,
  ...kfold.en,
  ...ensemble.en,
  ...program.en,
  ...pool.en,
};

const de = {
  ...site.de,
  ...demo.de,
  ...montecarlo.de,
  ...sweep.de,
  ...file.de,
  ...kfold.de,
  ...ensemble.de,
  ...program.de,
  ...pool.de,
};

/** The keys of the page's texts. */
export type Key = keyof typeof en;

/** The languages of the page. */
export type Language = 'en' | 'de';

export const texts: Record<Language, Record<Key, string>> = { en, de };
