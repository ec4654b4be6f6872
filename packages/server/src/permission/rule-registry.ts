import { createHash } from 'node:crypto'
import { compileRules, type Mode, parseRule, type Session, type SessionRule, type Store } from '@troupe/core'
import { NamedError, type RuleInfo } from '@troupe/protocol'
import type { LayeredRule, PolicyWorkspace, RememberScope, RuleLayers } from './rule-layers.ts'

export interface RuleTarget {
  place: PolicyWorkspace
  session?: Session
}

export interface RuleRegistry {
  list(target: RuleTarget): RuleInfo[]
  /** Adds missing rules. Within a store transaction, session rules take effect after `refresh`. */
  add(target: RuleTarget, scope: RememberScope, rules: readonly SessionRule[], inside?: Store): Promise<void>
  /** Throws `RuleNotFound` (404). */
  find(target: RuleTarget, id: string): RuleInfo
  /** Throws `RuleNotEditable` (403). */
  remove(target: RuleTarget, rule: RuleInfo): Promise<void>
}

export function createRuleRegistry({ layers, grants }: { layers: RuleLayers; grants: SessionGrants }): RuleRegistry {
  const book: RuleRegistry = {
    list: (target) => [
      ...layers.rules(target.place).map((rule) => toListedRule(rule)),
      ...(target.session === undefined ? [] : sessionRules(target.session, target.place)),
    ],
    async add(target, scope, rules, inside) {
      if (scope === 'session')
        return grants.setRules(requireSession(target).id, (known) => withRules(known, rules), inside)
      await layers.change(target.place, scope, (known) => {
        const next = { ...known }
        for (const { text, effect } of rules) {
          const texts = next[effect] ?? []
          if (!texts.includes(text)) next[effect] = [...texts, text]
        }
        return next
      })
    },
    find(target, id) {
      const rule = book.list(target).find((one) => one.id === id)
      if (rule === undefined)
        throw new NamedError('RuleNotFound', 'This rule does not exist.', { status: 404, data: { id } })
      return rule
    },
    async remove(target, rule) {
      const { text, effect, editable, file } = rule
      if (!editable)
        throw new NamedError('RuleNotEditable', `This rule is in ${file}. Edit that file to change it.`, {
          status: 403,
          data: { file },
        })
      if (file === null)
        return grants.setRules(requireSession(target).id, (known) =>
          known.filter((one) => one.text !== text || one.effect !== effect),
        )
      await layers.change(target.place, rule.layer === 'user' ? 'always' : 'project', (known) => ({
        ...known,
        [effect]: (known[effect] ?? []).filter((one) => one !== text),
      }))
    },
  }
  return book

  function sessionRules(session: Session, place: PolicyWorkspace): RuleInfo[] {
    const { rules } = grants.of(session)
    return rules.map((rule) =>
      toListedRule({ ...rule, layer: 'session', base: place.path, file: null, editable: true }, session.id),
    )
  }
}

/** Returns the normalized rule text. Throws `BadRule` (422). */
export function checkRule(text: string): string {
  try {
    return parseRule(text).text
  } catch (error) {
    throw new NamedError('BadRule', (error as Error).message, { status: 422, data: { rule: text.slice(0, 200) } })
  }
}

function toListedRule(rule: Omit<LayeredRule, 'file'> & { file: string | null }, sessionId = ''): RuleInfo {
  const { text, effect, layer, base, file, editable } = rule
  const [problem] = compileRules([{ text, effect, layer, base }]).problems
  return {
    id: `rule_${createHash('sha256')
      .update(JSON.stringify([sessionId, file, effect, text]))
      .digest('hex')
      .slice(0, 24)}`,
    text,
    effect,
    layer,
    file,
    editable,
    ...(problem !== undefined && { problem: problem.message }),
  }
}

function withRules(known: SessionRule[], added: readonly SessionRule[]): SessionRule[] {
  const isKnown = ({ text, effect }: SessionRule): boolean =>
    known.some((rule) => rule.text === text && rule.effect === effect)
  return [...known, ...added.filter((rule) => !isKnown(rule)).map(({ text, effect }) => ({ text, effect }))]
}

function requireSession({ session }: RuleTarget): Session {
  if (session !== undefined) return session
  throw new NamedError('BadRequest', 'A rule for a chat needs its sessionId.')
}

type Grants = Pick<Session, 'mode' | 'rules'>

/** The user's grants per session, cached for every call. Changes go to the store first. */
export interface SessionGrants {
  of(session: Session): Grants
  setMode(sessionId: string, mode: Mode): Promise<Session>
  /** With a store, runs in its transaction. Call `refresh` afterwards to apply the change. */
  setRules(sessionId: string, change: (rules: SessionRule[]) => SessionRule[], inside?: Store): Promise<void>
  refresh(sessionId: string): Promise<void>
  forget(sessionId: string): void
}

export function createSessionGrants(store: Store): SessionGrants {
  const changed = new Map<string, Grants>()

  function take(session: Session): Session {
    changed.set(session.id, { mode: session.mode, rules: session.rules })
    return session
  }

  async function refresh(sessionId: string): Promise<void> {
    const session = await store.sessions.get(sessionId)
    if (session !== undefined) take(session)
  }

  return {
    of: (session) => changed.get(session.id) ?? session,
    setMode: async (sessionId, mode) => take(await store.sessions.update(sessionId, { mode })),
    async setRules(sessionId, change, inside) {
      const write = async (to: Store): Promise<void> => {
        const session = await to.sessions.get(sessionId)
        await to.sessions.update(sessionId, { rules: change(session?.rules ?? []) })
      }
      if (inside !== undefined) return write(inside)
      await store.transaction(write)
      await refresh(sessionId)
    },
    refresh,
    forget: (sessionId) => void changed.delete(sessionId),
  }
}
