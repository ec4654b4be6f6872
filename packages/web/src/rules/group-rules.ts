import type { Layer } from '@troupe/core'
import type { RuleInfo } from '../api/rule-info.ts'
import { t } from '../texts/t.ts'

/** Rules that stand in one place. */
export interface RuleGroup {
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
