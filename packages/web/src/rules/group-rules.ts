import type { Layer } from '@troupe/core'
import type { RuleInfo } from '../api/rule-info.ts'

export interface RuleGroup {
  title: string
  /** Who sets them and where they hold. */
  about: string
  rules: ShownRule[]
}

export type ShownRule = RuleInfo & { revoked: boolean }

const layers: Record<Layer, Omit<RuleGroup, 'rules'>> = {
  managed: { title: 'This machine', about: 'Set by whoever looks after this machine. They hold for everybody on it.' },
  user: { title: 'Always', about: 'Yours, in every project.' },
  project: { title: 'This project', about: 'Yours for this folder, and what the project itself brings.' },
  session: { title: 'This session', about: 'They end with the session.' },
  flag: { title: 'This run', about: 'Given with the run.' },
}

const effects = ['deny', 'ask', 'allow']

/** By layer, the widest first, and in the order in which they are asked; those that were taken back stand among them. */
export function groupRules(rules: readonly RuleInfo[], revoked: readonly RuleInfo[], search: string): RuleGroup[] {
  const words = search.toLowerCase().split(/\s+/)
  const shown = [
    ...rules.map((rule) => ({ ...rule, revoked: false })),
    ...revoked.map((rule) => ({ ...rule, revoked: true })),
  ].filter((rule) => {
    const text = `${rule.text} ${rule.effect} ${rule.file ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const byLayer = Map.groupBy(shown, ({ layer }) => layer)
  return Object.entries(layers).flatMap(([layer, heading]) => {
    const members = byLayer.get(layer as Layer) ?? []
    if (members.length === 0) return []
    const order = (rule: RuleInfo) => effects.indexOf(rule.effect)
    return {
      ...heading,
      rules: members.toSorted((one, other) => order(one) - order(other) || one.text.localeCompare(other.text)),
    }
  })
}
