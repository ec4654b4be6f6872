import { agentTexts } from './en/agents.ts'
import { approvalTexts } from './en/approvals.ts'
import { chatTexts } from './en/chat.ts'
import { columnTexts } from './en/columns.ts'
import { composerTexts } from './en/composer.ts'
import { contentTexts } from './en/content.ts'
import { mcpTexts } from './en/mcp.ts'
import { modelTexts } from './en/models.ts'
import { pageTexts } from './en/page.ts'
import { sessionTexts } from './en/sessions.ts'
import type { LateTexts } from './en/settings.ts'

/** All page text, by area. Texts that contain numbers or names are functions. */
export const en = {
  /** The language's name for itself. */
  language: 'English',
  /** The language tag used to format dates and numbers. */
  tag: 'en',
  ...agentTexts,
  ...approvalTexts,
  ...chatTexts,
  ...columnTexts,
  ...composerTexts,
  ...contentTexts,
  ...mcpTexts,
  ...modelTexts,
  ...pageTexts,
  ...sessionTexts,
  /** Only texts of buttons. The rest is in `en/settings.ts` and loads later. */
  settings: { title: 'Settings' },
  share: { title: 'Share chat', print: 'Print…' },
}

/** The texts every language must provide. A language file that lacks one fails the type check. */
export type Texts = Omit<typeof en, keyof LateTexts> & LateTexts
