import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import { toErrorInfo } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { ruleScope } from '../api/rule-info.ts'
import type { NewRule, RuleInfo, RuleList } from '../api/rule-info.ts'

export interface RulesState {
  /** Null until they are read. */
  list: RuleList | null
  failure: string | null
  /** What was taken back here and can be put back. */
  revoked: readonly RuleInfo[]
}

export type RulesStore = StoreApi<RulesState> & {
  load: () => Promise<void>
  /** Resolves with the open asks that it answered; throws what the server says of a rule that it refuses. */
  add: (rule: NewRule) => Promise<string[]>
  /** One thing at a time: what is asked for meanwhile is not done. */
  revoke: (rule: RuleInfo) => Promise<void>
  putBack: (rule: RuleInfo) => Promise<void>
}

/** The rules as the dialog shows them. `sessionId`: the session in sight, where it has rules of its own. */
export function createRulesStore(api: Api, sessionId: string | undefined): RulesStore {
  const store = createStore<RulesState>(() => ({ list: null, failure: null, revoked: [] }))
  const { getState, setState } = store
  let busy = false
  const here = sessionId === undefined ? {} : { sessionId }

  return { ...store, load, add, revoke, putBack }

  /** The list and what was taken back change together, so that a rule is always in one of them. */
  async function load(revoked = getState().revoked): Promise<void> {
    try {
      const list = await api.rules(sessionId)
      const standing = new Set(list.rules.map(({ id }) => id))
      setState({ list, failure: null, revoked: revoked.filter(({ id }) => !standing.has(id)) })
    } catch (error) {
      setState({ failure: toErrorInfo(error).message })
    }
  }

  async function add(rule: NewRule): Promise<string[]> {
    const { settled } = await api.addRule({ ...rule, ...here })
    await load()
    return settled
  }

  function revoke(rule: RuleInfo): Promise<void> {
    return change(async () => {
      await api.deleteRule(rule.id, sessionId)
      await load([...getState().revoked, rule])
    })
  }

  function putBack(rule: RuleInfo): Promise<void> {
    const { text, effect } = rule
    return change(async () => {
      await api.addRule({ text, effect, scope: ruleScope(rule), ...here })
      await load()
    })
  }

  async function change(action: () => Promise<void>): Promise<void> {
    if (busy) return
    busy = true
    try {
      await action()
    } catch (error) {
      setState({ failure: toErrorInfo(error).message })
    } finally {
      busy = false
    }
  }
}
