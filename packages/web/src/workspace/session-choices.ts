import type { Mode } from '@troupe/core'
import type { ParamValues } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { type AppServices, type AppState, findSession } from './app-state.ts'

export interface ParamActions {
  /** Settings of the model for the session in sight. A new one takes them along with its first message. */
  chooseParams: (params: ParamValues) => Promise<void>
  /** What was chosen for a session that the server does not have yet. */
  untoldParams: (sessionId: string) => ParamValues | undefined
}

export function createParamActions(
  { getState, setState }: StoreApi<AppState>,
  { api, onError, onSession }: Pick<AppServices, 'api' | 'onError' | 'onSession'>,
): ParamActions {
  /** Sent one after the other: the last one must win there too. */
  const sending = new Map<string, Promise<void>>()

  return { chooseParams, untoldParams }

  async function chooseParams(params: ParamValues): Promise<void> {
    const { sessionId, isNew } = getState()
    setState(({ chosenParams }) => ({ chosenParams: { ...chosenParams, [sessionId]: params } }))
    if (isNew) return
    const sent = (sending.get(sessionId) ?? Promise.resolve()).then(() => send(sessionId, params))
    sending.set(sessionId, sent)
    await sent
    if (sending.get(sessionId) === sent) sending.delete(sessionId)
  }

  async function send(sessionId: string, params: ParamValues): Promise<void> {
    const isLast = () => getState().chosenParams[sessionId] === params
    if (!isLast()) return
    try {
      const { session } = await api.setParams(sessionId, params)
      if (!isLast()) return
      setState(({ sessions, apart }) => ({
        sessions: sessions.map((known) => (known.id === sessionId ? { ...session, run: known.run } : known)),
        apart: apart[sessionId] === undefined ? apart : { ...apart, [sessionId]: session },
      }))
      if (findSession(getState(), sessionId) !== undefined) forget(sessionId)
      onSession(sessionId, 'changed')
    } catch (error) {
      if (isLast()) forget(sessionId)
      onError(error)
    }
  }

  function forget(sessionId: string): void {
    setState(({ chosenParams: { [sessionId]: _, ...others } }) => ({ chosenParams: others }))
  }

  function untoldParams(sessionId: string): ParamValues | undefined {
    return findSession(getState(), sessionId) === undefined ? getState().chosenParams[sessionId] : undefined
  }
}

/** Settings of the model of the session in sight: chosen here and on their way, else the server's word. */
export function currentParams(state: AppState): ParamValues {
  const { sessionId, chosenParams } = state
  return chosenParams[sessionId] ?? findSession(state, sessionId)?.params ?? none
}

const none: ParamValues = {}

export interface ModeActions {
  /** For the session in sight. A new one takes it along with its first message. */
  chooseMode: (mode: Mode) => Promise<void>
  /** The server's word. */
  modeChanged: (sessionId: string, mode: Mode) => void
  /** What was chosen for a session that the server did not have yet; undefined once it decides. */
  untoldMode: (sessionId: string) => Mode | undefined
  /** The list was read anew: what it says of a session's mode counts from now on. */
  modesRead: () => void
  /** Goes up with every change that was told. */
  modeRevision: () => number
}

export function createModeActions(
  { getState, setState }: StoreApi<AppState>,
  { api, onError, onSession }: Pick<AppServices, 'api' | 'onError' | 'onSession'>,
): ModeActions {
  /** Choices are sent one after the other: the last one must win there too. */
  const sending = new Map<string, Promise<void>>()

  let revision = 0

  return { chooseMode, modeChanged, untoldMode, modesRead, modeRevision: () => revision }

  async function chooseMode(mode: Mode): Promise<void> {
    const { sessionId, isNew } = getState()
    setState(({ chosenModes }) => ({ chosenModes: { ...chosenModes, [sessionId]: mode } }))
    if (isNew) return
    const sent = (sending.get(sessionId) ?? Promise.resolve()).then(() => send(sessionId, mode))
    sending.set(sessionId, sent)
    await sent
    if (sending.get(sessionId) !== sent) return
    sending.delete(sessionId)
    forgetChoices((id) => id === sessionId)
  }

  async function send(sessionId: string, mode: Mode): Promise<void> {
    try {
      const { session } = await api.setMode(sessionId, mode)
      modeChanged(sessionId, session.mode)
      onSession(sessionId, 'changed')
    } catch (error) {
      onError(error)
    }
  }

  function modeChanged(changed: string, mode: Mode): void {
    revision++
    setState(({ sessions, apart }) => ({
      sessions: sessions.map((session) => (session.id === changed ? { ...session, mode } : session)),
      apart: apart[changed] === undefined ? apart : { ...apart, [changed]: { ...apart[changed], mode } },
    }))
    const { sessions, apart } = getState()
    const isKnown = apart[changed] !== undefined || sessions.some(({ id }) => id === changed)
    // A session that has just begun is not listed yet: until then its choice is where the mode is kept.
    if (isKnown) forgetChoices((id) => id === changed)
    else setState(({ chosenModes }) => ({ chosenModes: { ...chosenModes, [changed]: mode } }))
  }

  function untoldMode(sessionId: string): Mode | undefined {
    const { chosenModes, sessions, apart } = getState()
    const isTold = sending.has(sessionId) || apart[sessionId] !== undefined
    return isTold || sessions.some(({ id }) => id === sessionId) ? undefined : chosenModes[sessionId]
  }

  function modesRead(): void {
    const { sessions, apart } = getState()
    const known = new Set([...sessions.map(({ id }) => id), ...Object.keys(apart)])
    forgetChoices((id) => known.has(id))
  }

  /** A choice that is on its way holds until it has arrived. */
  function forgetChoices(isTold: (sessionId: string) => boolean): void {
    const { chosenModes } = getState()
    const kept = Object.entries(chosenModes).filter(([id]) => sending.has(id) || !isTold(id))
    if (kept.length < Object.keys(chosenModes).length) setState({ chosenModes: Object.fromEntries(kept) })
  }
}

export interface AgentActions {
  /** Whom the new session in sight is to talk to; null for the master. */
  chooseAgent: (name: string | null) => void
  /** What was chosen for a session that the server does not have yet. */
  untoldAgent: (sessionId: string) => string | undefined
}

export function createAgentActions({ getState, setState }: StoreApi<AppState>): AgentActions {
  return { chooseAgent, untoldAgent }

  function chooseAgent(name: string | null): void {
    setState(({ chosenAgents, sessionId }) => {
      const { [sessionId]: _, ...others } = chosenAgents
      return { chosenAgents: name === null ? others : { ...others, [sessionId]: name } }
    })
  }

  function untoldAgent(sessionId: string): string | undefined {
    return findSession(getState(), sessionId) === undefined ? getState().chosenAgents[sessionId] : undefined
  }
}
