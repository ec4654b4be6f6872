import type { AgentFrame, SandboxFinding, Session, Store, StoredMessage, Workspace } from '@troupe/core'
import { instructionBlocks } from '../instructions.ts'
import type { Logger } from '../logger.ts'
import type { LiveOptions } from '../run-parts.ts'
import { createLastCalls, type LastCalls } from './last-call.ts'
import { createLateSettings } from './late-settings.ts'
import { createPrefaces, type Block, type PrefaceOptions } from './preface.ts'

/** What model calls of a session start with, and what the newest one did. */
export interface Context {
  blocks(session: Session, frame: AgentFrame, prompt: string, history?: readonly StoredMessage[]): Promise<Block[]>
  onStart: LiveOptions['onStart']
  lastCalls: LastCalls
  forget(sessionId: string): Promise<void>
  /** Writes what is not written yet. */
  close(): Promise<void>
}

export function openContext(
  options: Omit<PrefaceOptions, 'settings'> & {
    store: Store
    sandbox: SandboxFinding
    logger: Logger
    workspace(session: Session): Promise<Workspace>
    /** The plan file of a session in plan mode. */
    planFile(session: Session, workspace: Workspace): string | undefined
  },
): Context {
  const { store, sandbox, logger } = options
  const settings = createLateSettings(store, {
    onError: (error) => logger({ level: 'warn', message: 'what calls start with was not noted', error: String(error) }),
  })
  const prefaces = createPrefaces({ ...options, settings })
  const lastCalls = createLastCalls(settings)
  return {
    lastCalls,
    async blocks(session, frame, prompt, history) {
      const workspace = await options.workspace(session)
      const planFile = options.planFile(session, workspace)
      const preface = await prefaces.of(session, workspace, history)
      return instructionBlocks({ prompt, frame, preface, sandbox, ...(planFile !== undefined && { planFile }) })
    },
    onStart(session, { model, ...call }) {
      lastCalls.note(session.id, { ...call, model: model.id })
    },
    async forget(sessionId) {
      prefaces.forget(sessionId)
      lastCalls.forget(sessionId)
      await settings.write()
    },
    close: settings.write,
  }
}
