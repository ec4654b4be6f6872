import type { Effect, Layer } from '@troupe/core'
import { useEffect, useState } from 'react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import { type NewRule, type RuleInfo, type RuleList, ruleScope, type RuleTest } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'

interface RulesState {
  list: RuleList | null
  failure: string | null
  revoked: readonly RuleInfo[]
}

type RulesStore = StoreApi<RulesState> & {
  load: () => Promise<void>
  /** Resolves with the open asks that the rule answered. Throws the server's validation error. */
  add: (rule: NewRule) => Promise<string[]>
  /** Ignores calls while another change is pending. */
  revoke: (rule: RuleInfo) => Promise<void>
  putBack: (rule: RuleInfo) => Promise<void>
  /** Throws the server's validation error. Resolves with the open asks that the rule answered. */
  edit: (rule: RuleInfo, next: { text: string; effect: Effect }) => Promise<string[]>
}

/** `sessionId` is the current session, if it has rules of its own. */
export function createRulesStore(api: Api, sessionId: string | undefined): RulesStore {
  const store = createStore<RulesState>(() => ({ list: null, failure: null, revoked: [] }))
  const { getState, setState } = store
  let busy = false
  const here = sessionId === undefined ? {} : { sessionId }

  return { ...store, load, add, revoke, putBack, edit }

  /** Updates the list and the revoked rules together, so that a rule is always in one of them. */
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

  async function edit({ id }: RuleInfo, next: { text: string; effect: Effect }): Promise<string[]> {
    const { settled } = await api.changeRule(id, { ...next, ...here })
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
    const { text, effect, own } = rule
    return change(async () => {
      await api.addRule({ text, effect, scope: ruleScope(rule), own, ...here })
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

interface RuleGroup {
  title: string
  about: string
  file: string | null
  rules: ShownRule[]
}

export type ShownRule = RuleInfo & { revoked: boolean }

const layers: readonly Layer[] = ['managed', 'user', 'project', 'session', 'flag']
const effects = ['deny', 'ask', 'allow']
const inOrder = new Intl.Collator('en', { numeric: true })

/** Groups rules by layer, widest first, in evaluation order. Includes revoked rules. */
export function groupRules(rules: readonly RuleInfo[], revoked: readonly RuleInfo[], search: string): RuleGroup[] {
  const words = search.toLowerCase().split(/\s+/)
  const shown = [
    ...rules.map((rule) => ({ ...rule, revoked: false })),
    ...revoked.map((rule) => ({ ...rule, revoked: true })),
  ].filter(({ text, effect, file }) => {
    const searched = `${text} ${effect} ${file ?? ''}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const order = (rule: ShownRule) =>
    [layers.indexOf(rule.layer), rule.file ?? '', effects.indexOf(rule.effect)] as const
  const sorted = shown.toSorted((one, other) => {
    const [a, b] = [order(one), order(other)]
    return a[0] - b[0] || inOrder.compare(a[1], b[1]) || a[2] - b[2] || inOrder.compare(one.text, other.text)
  })
  const places = Map.groupBy(sorted, ({ layer, file }) => `${layer} ${file ?? ''}`)
  return [...places.values()].map((members) => {
    const { layer, file, editable } = members[0] as ShownRule
    return { title: t.rules.layers[layer], about: layerDescription(layer, editable), file, rules: members }
  })
}

function layerDescription(layer: Layer, editable: boolean): string {
  if (layer === 'project') return editable ? t.rules.about.ownProject : t.rules.about.project
  return t.rules.about[layer]
}

export type RuleTestState =
  | { state: 'none' }
  /** `test` is the previous result, shown until the new one arrives. */
  | { state: 'testing'; test: RuleTest | null }
  | { state: 'bad'; problem: string }
  | { state: 'tested'; test: RuleTest }

interface Tried {
  text: string
  effect: Effect
  sessionId: string | undefined
  trial: Extract<RuleTestState, { state: 'bad' | 'tested' }>
}

const typingPause = 350

/** Tests the rule against recent calls once the user pauses typing. Saves nothing. */
export function useRuleTest(api: Api, text: string, effect: Effect, sessionId: string | undefined): RuleTestState {
  const [tried, setTried] = useState<Tried | null>(null)
  useEffect(() => {
    if (text === '') return
    const controller = new AbortController()
    const run = async () => {
      try {
        const rule = { text, effect, sessionId }
        const test = await api.testRule(rule, controller.signal)
        setTried({ text, effect, sessionId, trial: { state: 'tested', test } })
      } catch (error) {
        if (controller.signal.aborted) return
        setTried({ text, effect, sessionId, trial: { state: 'bad', problem: toErrorInfo(error).message } })
      }
    }
    const timer = setTimeout(() => void run(), typingPause)
    return () => {
      clearTimeout(timer)
      controller.abort(new Error('the rule has changed'))
    }
  }, [api, text, effect, sessionId])
  if (text === '') return { state: 'none' }
  if (tried?.text === text && tried.effect === effect && tried.sessionId === sessionId) return tried.trial
  return { state: 'testing', test: tried?.trial.state === 'tested' ? tried.trial.test : null }
}
