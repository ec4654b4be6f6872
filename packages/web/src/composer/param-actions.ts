import type { AppServices } from '../find-session.ts'
import type { AppState } from '../find-session.ts'
import type { ParamValues } from '@troupe/core/protocol'
import type { StoreApi } from 'zustand/vanilla'
import { findSession } from '../find-session.ts'

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
