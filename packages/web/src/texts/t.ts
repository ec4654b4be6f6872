import { en, type Texts } from './languages/en.ts'

/**
 * The texts of the page in the language of the person: `t.inbox.title`. Read it where it is shown, never into a constant
 * of a module: `setLanguage` fills it anew.
 */
export const t: Texts = { ...en }
