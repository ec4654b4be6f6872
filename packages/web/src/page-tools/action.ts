import type { Api } from '../api/api.ts'
import type { Panels } from '../panels/panels.ts'
import type { ReaderPages } from './reader-pages.ts'

export interface ActionContext {
  sessionId: string
  /** What stands beside the session that asks. */
  panels: Panels
  /** The name of an agent of that session. */
  agentName: (agentId: string) => string | undefined
  /** The newest call of that session, as far as it is loaded, that has shown a chart with this title. */
  findChart: (title: string) => Promise<string | undefined>
  /** Whether that session is what the person looks at. */
  isInSight: () => boolean
  api: Api
  reader: ReaderPages
  /** Tells the person; by the browser where that is allowed and they look elsewhere. */
  tell: (title: string, body: string | undefined, tag: string) => Promise<'notification' | 'notice'>
}

/** What a file of `actions/` exports. Gives what the tool is told; throws words for the model where it cannot. */
export type Action = (input: Record<string, unknown>, context: ActionContext, call: { toolCallId: string }) => unknown
