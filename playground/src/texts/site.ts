/** The texts around all computations. */

export const en = {
  language: 'Language',
  skip: 'Skip to the computation',
  lead: 'Runs a computation in this page or on several of your devices, and counts a result only after it has been verified. The same job has the same digest in every browser, on every device and on the command line.',
  demos: 'Computations',
  footer:
    'No account, no tracking, no request to anyone but the server that sent this page. Once loaded, it runs offline.',
  aboutErrors: 'All refusals explained',
};

export const de: Record<keyof typeof en, string> = {
  language: 'Sprache',
  skip: 'Zur Berechnung springen',
  lead: 'Führt eine Berechnung auf dieser Seite oder auf mehreren Ihrer Geräte aus und zählt ein Ergebnis erst, wenn es geprüft ist. Derselbe Auftrag hat dieselbe Prüfsumme: in jedem Browser, auf jedem Gerät und auf der Kommandozeile.',
  demos: 'Berechnungen',
  footer:
    'Kein Konto, keine Verfolgung, keine Anfrage an irgendwen außer dem Server, von dem diese Seite kommt. Einmal geladen, läuft sie ohne Netz.',
  aboutErrors: 'Alle Ablehnungen erklärt (englisch)',
};
