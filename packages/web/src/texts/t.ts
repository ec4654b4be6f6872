import { en, type Texts } from './languages/en.ts'

/**
 * The texts of the page in the language of the person: `t.inbox.title`. Read it where it is shown, never into a constant
 * of a module: `setLanguage` fills it anew. What reads a text of `late.ts` imports `show-late.ts`.
 */
export const t = { ...en } as unknown as Texts
