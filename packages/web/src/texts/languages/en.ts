/** Every text of the page, by the folder that shows it. Texts with numbers or names in them are functions. */
export const en = {
  /** How the language calls itself. */
  language: 'English',
  ui: {
    close: 'Close',
    cancel: 'Cancel',
  },
}

/** What a language must have: a file without one of the texts does not pass the type check. */
export type Texts = typeof en
