import type { Effect, Layer } from '@troupe/core'
import { useEffect, useState } from 'react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import { type NewRule, type RuleInfo, type RuleList, ruleScope, type RuleTest } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'

interface RulesState {
  /** Null until they are read. */
  list: RuleList | null
  failure: string | null
  /** What was taken back here and can be put back. */
  revoked: readonly RuleInfo[]
}

type RulesStore = StoreApi<RulesState> & {
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

/** Rules that stand in one place. */
interface RuleGroup {
  title: string
  /** Who sets them and where they hold. */
  about: string
  file: string | null
  rules: ShownRule[]
}

export type ShownRule = RuleInfo & { revoked: boolean }

const layers: readonly Layer[] = ['managed', 'user', 'project', 'session', 'flag']
const effects = ['deny', 'ask', 'allow']
const inOrder = new Intl.Collator('en', { numeric: true })

/** By layer, the widest first, and in the order in which they are asked; those that were taken back stand among them. */
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

/** What the past says about a rule that is being typed. */
export type RuleTestState =
  | { state: 'none' }
  /** `test`: of what was typed before. It stays in sight until its successor is there. */
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

/** Tries the rule on the last real calls as soon as the person pauses; nothing is saved by it. */
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
