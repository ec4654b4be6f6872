import type { Mode } from '@troupe/core'
import type { Chunk, ParamValues } from '@troupe/core/protocol'
import type { Api } from '../api/api.ts'
import type { ClientIds } from '../api/client-ids.ts'
import type { Queue } from '../composer/queue.ts'
import type { Panels } from '../panels/panels.ts'
import type { SubAgents } from '../sub-agents/sub-agents.ts'
import type { WakeSource } from './follow-run.ts'
import type { SessionState } from './session-state.ts'

/** What a session stands on. */
export interface SessionServices {
  api: Api
  ids: ClientIds
  wake: WakeSource
  now: () => number
  /** The model that the next answer is to come from; undefined leaves it to the server. */
  model: () => string | undefined
  /** The mode that the session is to begin in; undefined leaves it as it is. */
  mode: () => Mode | undefined
  /** The agent that the session is to talk to from its beginning; undefined leaves it to the server. */
  agent: () => string | undefined
  /** Settings of the model that the session is to begin with; undefined leaves them as they are. */
  params?: () => ParamValues | undefined
  /** The sub-agents of the session, also where it is the conversation of one of them. */
  agents: SubAgents
  /** What stands beside the session. */
  panels: Panels
  /** What is to be sent when the run has ended. */
  queue: Queue
  /** Chunks that concern more than this session: its title, asks. */
  onChunk: (chunk: Chunk) => void
  /** These asks have their answer. */
  onAnswered: (askIds: readonly string[]) => void
  /** A run began or ended, messages changed. */
  onChange: () => void
  /** Something that was asked for did not work. */
  onError: (error: unknown) => void
  /** The server has something to say about what was sent. */
  onHint?: (text: string) => void
  keepDraft: (draft: string) => void
  keepAttachments: (attachments: SessionState['attachments']) => void
  /** These were taken out before they were sent: where nothing else holds them they need not be kept. */
  freeFiles: (urls: readonly string[]) => void
}
