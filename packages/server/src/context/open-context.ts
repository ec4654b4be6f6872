import type { AgentFrame, SandboxFinding, Session, Store, StoredMessage, Workspace } from '@troupe/core'
import { instructionBlocks } from '../instructions.ts'
import type { Logger } from '../logger.ts'
import type { RunManagerOptions } from '../run-parts.ts'
import { createLastCalls, type LastCalls } from './last-call.ts'
import { createPrefaces, type PromptBlock, type PrefaceOptions } from './preface.ts'

/** What model calls of a session start with, and what the newest one did. */
export interface Context {
  blocks(
    session: Session,
    frame: AgentFrame,
    prompt: string,
    now?: { history?: readonly StoredMessage[]; page?: string | undefined },
  ): Promise<PromptBlock[]>
  onStart: RunManagerOptions['onStart']
  lastCalls: LastCalls
  forget(sessionId: string): Promise<void>
}

export function openContext(
  options: Omit<PrefaceOptions, 'store'> & {
    store: Store
    sandbox: SandboxFinding
    logger: Logger
    workspace(session: Session): Promise<Workspace>
    /** The plan file of a session in plan mode. */
    planFile(session: Session, workspace: Workspace): string | undefined
  },
): Context {
  const { store, sandbox, logger } = options
  const prefaces = createPrefaces(options)
  const lastCalls = createLastCalls(store)
  return {
    lastCalls,
    async blocks(session, frame, prompt, { history, page } = {}) {
      const workspace = await options.workspace(session)
      const planFile = options.planFile(session, workspace)
      const preface = await prefaces.of(session, workspace, history)
      return instructionBlocks({
        prompt,
        frame,
        preface,
        sandbox,
        ...(page !== undefined && { page }),
        ...(planFile !== undefined && { planFile }),
      })
    },
    onStart(session, { model, ...call }) {
      lastCalls
        .note(session.id, { ...call, model: model.id })
        .catch((error: unknown) => logger({ level: 'warn', message: 'a call was not noted', error: String(error) }))
    },
    async forget(sessionId) {
      await prefaces.forget(sessionId)
      await lastCalls.forget(sessionId)
    },
  }
}
