/** The texts of the ensemble. */

export const en = {
  ensembleTab: 'Ensemble',
  ensembleTitle: 'How far a forecast reaches',
  ensembleAbout:
    'Each item is one member: the Lorenz system, started a random hair’s breadth from the control, and integrated to the end. Where the members end tells how much of the forecast is left. Make the run longer and the cloud spreads over the whole attractor.',
  members: 'Members',
  spread: 'Spread at the start',
  integration: 'Steps',
  dt: 'Length of a step',
  rho: 'ρ',
  sigma: 'σ',
  lorenzBeta: 'β',
  plane: 'Show',
  planeXZ: 'x and z',
  planeXY: 'x and y',
  planeYZ: 'y and z',
  ensembleFigure:
    'Each dot is a verified member at the end, and the ring is their mean. The thin line is the path of the control, drawn by this page for orientation.',
  distanceFigure: 'Distance of the members from the control, and how many end there.',
  ensembleSummary:
    '{n} members: x {x}, y {y}, z {z}, each with its standard deviation; mean distance from the control {distance}.',
  ensembleNothing: 'No member has been verified yet.',
  coordinate: '{what} at the end',
  distance: 'Distance from the control',
  median: 'Median distance',
  tooManyMembers: 'These are too many members to draw.',
  tooManyMembersWhy: 'This page draws {most} members at most.',
  tooManyMembersFix: 'Take fewer members, or run the job on the command line.',
};

export const de: Record<keyof typeof en, string> = {
  ensembleTab: 'Ensemble',
  ensembleTitle: 'Wie weit eine Vorhersage reicht',
  ensembleAbout:
    'Jedes Element ist ein Mitglied: das Lorenz-System, um Haaresbreite zufällig neben dem Kontrolllauf gestartet und bis zum Ende gerechnet. Wo die Mitglieder enden, zeigt, was von der Vorhersage übrig ist. Bei längeren Läufen verteilt sich die Wolke über den ganzen Attraktor.',
  members: 'Mitglieder',
  spread: 'Streuung am Anfang',
  integration: 'Schritte',
  dt: 'Länge eines Schritts',
  rho: 'ρ',
  sigma: 'σ',
  lorenzBeta: 'β',
  plane: 'Zeigen',
  planeXZ: 'x und z',
  planeXY: 'x und y',
  planeYZ: 'y und z',
  ensembleFigure:
    'Jeder Punkt ist ein geprüftes Mitglied am Ende, der Ring ist ihr Mittelwert. Die dünne Linie ist der Weg des Kontrolllaufs, von dieser Seite zur Orientierung gezeichnet.',
  distanceFigure: 'Abstand der Mitglieder vom Kontrolllauf, und wie viele dort enden.',
  ensembleSummary:
    '{n} Mitglieder: x {x}, y {y}, z {z}, je mit Standardabweichung; mittlerer Abstand vom Kontrolllauf {distance}.',
  ensembleNothing: 'Noch ist kein Mitglied geprüft.',
  coordinate: '{what} am Ende',
  distance: 'Abstand vom Kontrolllauf',
  median: 'Mittlerer Abstand (Median)',
  tooManyMembers: 'Das sind zu viele Mitglieder zum Zeichnen.',
  tooManyMembersWhy: 'Diese Seite zeichnet höchstens {most} Mitglieder.',
  tooManyMembersFix: 'Nehmen Sie weniger Mitglieder oder starten Sie den Auftrag auf der Kommandozeile.',
};
