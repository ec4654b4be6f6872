import { en, type Texts } from './languages/en.ts'

/**
 * Page texts in the user's language, such as `t.inbox.title`. Read them while rendering, never into a module constant:
 * `showLanguage` replaces them. Modules that read texts of `en/settings.ts` import `show-late.ts`, those of
 * `en/cards.ts` import `show-cards.ts`.
 */
export const t = { ...en } as unknown as Texts
