import type { Mode } from '@troupe/core'
import type { ParamValues } from '@troupe/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { type AppServices, type AppState, type ChosenProject, findSession } from './app-state.ts'

export interface ParamActions {
  /** Sets model parameters of the current session. A new session sends them with its first message. */
  chooseParams: (params: ParamValues) => Promise<void>
  /** Choice for a session that the server does not have yet. */
  pendingParams: (sessionId: string) => ParamValues | undefined
}

export function createParamActions(
  { getState, setState }: StoreApi<AppState>,
  { api, onError, onSession }: Pick<AppServices, 'api' | 'onError' | 'onSession'>,
): ParamActions {
  /** Requests run one at a time, so that the last choice wins on the server too. */
  const sending = new Map<string, Promise<void>>()

  return { chooseParams, pendingParams: untoldParams }

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
      setState(({ sessions, unlistedSessions: apart }) => ({
        sessions: sessions.map((known) => (known.id === sessionId ? { ...session, run: known.run } : known)),
        unlistedSessions: apart[sessionId] === undefined ? apart : { ...apart, [sessionId]: session },
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

/** Model parameters of the current session: a pending choice, or else the server's. */
export function currentParams(state: AppState): ParamValues {
  const { sessionId, chosenParams } = state
  return chosenParams[sessionId] ?? findSession(state, sessionId)?.params ?? none
}

const none: ParamValues = {}

export interface ModeActions {
  /** Sets the mode of the current session. A new session sends it with its first message. */
  chooseMode: (mode: Mode) => Promise<void>
  modeChanged: (sessionId: string, mode: Mode) => void
  /** Choice for a session that the server did not have yet. Undefined once the server decides. */
  pendingMode: (sessionId: string) => Mode | undefined
  /** Called after the list was reloaded. Its modes apply from now on. */
  modesRead: () => void
  /** Incremented with every reported change. */
  modeRevision: () => number
}

export function createModeActions(
  { getState, setState }: StoreApi<AppState>,
  { api, onError, onSession }: Pick<AppServices, 'api' | 'onError' | 'onSession'>,
): ModeActions {
  /** Requests run one at a time, so that the last choice wins on the server too. */
  const sending = new Map<string, Promise<void>>()

  let revision = 0

  return { chooseMode, modeChanged, pendingMode: untoldMode, modesRead, modeRevision: () => revision }

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
    setState(({ sessions, unlistedSessions: apart }) => ({
      sessions: sessions.map((session) => (session.id === changed ? { ...session, mode } : session)),
      unlistedSessions: apart[changed] === undefined ? apart : { ...apart, [changed]: { ...apart[changed], mode } },
    }))
    const { sessions, unlistedSessions: apart } = getState()
    const isKnown = apart[changed] !== undefined || sessions.some(({ id }) => id === changed)
    // A session that just started is not listed yet, so its choice stores the mode until then.
    if (isKnown) forgetChoices((id) => id === changed)
    else setState(({ chosenModes }) => ({ chosenModes: { ...chosenModes, [changed]: mode } }))
  }

  function untoldMode(sessionId: string): Mode | undefined {
    const { chosenModes, sessions, unlistedSessions: apart } = getState()
    const isTold = sending.has(sessionId) || apart[sessionId] !== undefined
    return isTold || sessions.some(({ id }) => id === sessionId) ? undefined : chosenModes[sessionId]
  }

  function modesRead(): void {
    const { sessions, unlistedSessions: apart } = getState()
    const known = new Set([...sessions.map(({ id }) => id), ...Object.keys(apart)])
    forgetChoices((id) => known.has(id))
  }

  /** Keeps a pending choice until the server has it. */
  function forgetChoices(isTold: (sessionId: string) => boolean): void {
    const { chosenModes } = getState()
    const kept = Object.entries(chosenModes).filter(([id]) => sending.has(id) || !isTold(id))
    if (kept.length < Object.keys(chosenModes).length) setState({ chosenModes: Object.fromEntries(kept) })
  }
}

export interface AgentActions {
  /** Sets the agent of the new current session. Null for the master. */
  chooseAgent: (name: string | null) => void
  /** Choice for a session that the server does not have yet. */
  pendingAgent: (sessionId: string) => string | undefined
}

export function createAgentActions({ getState, setState }: StoreApi<AppState>): AgentActions {
  return { chooseAgent, pendingAgent: untoldAgent }

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

export interface ProjectActions {
  /** Sets the project of the new current session. Null for the whole folder. */
  chooseProject: (project: ChosenProject | null) => void
  /** Choice for a session that the server does not have yet. */
  pendingProject: (sessionId: string) => string | undefined
}

export function createProjectActions({ getState, setState }: StoreApi<AppState>): ProjectActions {
  return {
    chooseProject(project) {
      setState(({ chosenProjects: { [getState().sessionId]: _, ...others }, sessionId }) => ({
        chosenProjects: project === null ? others : { ...others, [sessionId]: project },
      }))
    },
    pendingProject: (sessionId) =>
      findSession(getState(), sessionId) === undefined ? getState().chosenProjects[sessionId]?.id : undefined,
  }
}
