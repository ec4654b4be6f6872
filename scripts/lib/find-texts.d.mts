/** Texts in a source of the page that do not come from its language files. */
export function findTexts(file: string, source: string): { line: number; text: string }[]
