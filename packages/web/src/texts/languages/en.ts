import { approvalTexts, buttonTexts } from './en/buttons.ts'
import type { CardTexts } from './en/cards.ts'
import { chatTexts } from './en/chat.ts'
import { composerTexts } from './en/composer.ts'
import { contentTexts } from './en/content.ts'
import { modelTexts } from './en/models.ts'
import { pageTexts } from './en/page.ts'
import { sessionTexts } from './en/sessions.ts'
import type { LateTexts } from './en/settings.ts'
import type { TeamTexts } from './en/team.ts'

/** All page text, by area. Texts that contain numbers or names are functions. */
export const en = {
  /** The language's name for itself. */
  language: 'English',
  /** The language tag used to format dates and numbers. */
  tag: 'en',
  ...approvalTexts,
  ...chatTexts,
  ...composerTexts,
  ...contentTexts,
  ...modelTexts,
  ...pageTexts,
  ...sessionTexts,
  /** The rest of these areas is in `en/settings.ts` and loads later. */
  ...buttonTexts,
}

/** The texts every language must provide. A language file that lacks one fails the type check. */
export type Texts = Omit<typeof en, keyof LateTexts | keyof CardTexts> & LateTexts & CardTexts & TeamTexts
