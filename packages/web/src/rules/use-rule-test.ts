import type { Effect } from '@troupe/core'
import { useEffect, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import type { RuleTest } from '../api/rule-info.ts'

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
        const rule = { text, effect, ...(sessionId !== undefined && { sessionId }) }
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
