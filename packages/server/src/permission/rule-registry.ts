import { createHash } from 'node:crypto'
import { compileRules, parseRule, type Session, type SessionRule, type Store } from '@troupe/core'
import { NamedError, type RuleInfo } from '@troupe/protocol'
import type { LayeredRule, RememberScope, PolicyWorkspace, RuleLayers, SessionGrants } from './rule-layers.ts'

export interface RuleTarget {
  place: PolicyWorkspace
  session?: Session | undefined
  /** Whose rules are listed, besides those for everyone. */
  person?: string | undefined
}

export interface RuleRegistry {
  list(target: RuleTarget): RuleInfo[]
  /**
   * Adds missing rules. `own`: for the person of the target alone. Within a store transaction, session rules take
   * effect after `refresh`.
   */
  add(
    target: RuleTarget & { own?: boolean },
    scope: RememberScope,
    rules: readonly SessionRule[],
    inside?: Store,
  ): Promise<void>
  /** Throws `RuleNotFound` (404). */
  find(target: RuleTarget, id: string): RuleInfo
  /** Throws `RuleNotEditable` (403). */
  remove(target: RuleTarget, rule: RuleInfo): Promise<void>
}

export function createRuleRegistry({ layers, grants }: { layers: RuleLayers; grants: SessionGrants }): RuleRegistry {
  const registry: RuleRegistry = {
    list: (target) => [
      ...layers.rules(target.place, { person: target.person }).map((rule) => toListedRule(rule)),
      ...(target.session === undefined ? [] : sessionRules(target.session, target.place)),
    ],
    async add(target, scope, rules, inside) {
      if (scope === 'session')
        return grants.setRules(requireSession(target).id, (known) => withRules(known, rules), inside)
      const person = target.own === true ? target.person : undefined
      await layers.change({ workspace: target.place, scope, person }, (known) => {
        const next = { ...known }
        for (const { text, effect } of rules) {
          const texts = next[effect] ?? []
          if (!texts.includes(text)) next[effect] = [...texts, text]
        }
        return next
      })
    },
    find(target, id) {
      const rule = registry.list(target).find((one) => one.id === id)
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
      const scope = rule.layer === 'user' ? 'always' : 'project'
      const person = rule.own === true ? target.person : undefined
      await layers.change({ workspace: target.place, scope, person }, (known) => ({
        ...known,
        [effect]: (known[effect] ?? []).filter((one) => one !== text),
      }))
    },
  }
  return registry

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
  const { text, effect, layer, base, file, editable, own } = rule
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
    ...(own === true && { own }),
    problem: problem?.message,
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
