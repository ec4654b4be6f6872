import { z } from 'zod'
import type { SharedRules, StoredRules } from '../permission/rule-layers.ts'
import type { PersonSource } from './person-data.ts'
import type { TeamSettings } from './team-settings.ts'

const texts = z.array(z.string().min(1).max(2000)).max(10_000).optional()
const ruleTexts = z.object({ allow: texts, ask: texts, deny: texts })
const storedRules = z.object({ always: ruleTexts.optional(), folders: z.record(z.string(), ruleTexts).optional() })

export interface TeamRules extends SharedRules, PersonSource {
  /** Calls back after rules changed, here or on another node. */
  onChange(listener: () => void): void
}

/** Ids of people have no such character. */
const everyone = '*'

/**
 * Rules of people and folders in the database, one row for each owner. Every node holds all of them in memory, since
 * each tool call is decided by them.
 */
export async function openTeamRules(settings: TeamSettings): Promise<TeamRules> {
  const listeners: (() => void)[] = []
  const rules = await settings.openFamily<StoredRules>({
    name: 'rules',
    initial: {},
    load: (stored) => storedRules.parse(stored),
    save: (next) => next,
    onChange: () => listeners.forEach((listener) => listener()),
  })
  return {
    onChange: (listener) => void listeners.push(listener),
    get: (person = everyone) => rules.get(person),
    async update(person = everyone, change) {
      await rules.update(person, change)
    },
    async erase({ id }) {
      if (Object.keys(rules.get(id)).length > 0) await rules.update(id, () => ({}))
    },
  }
}
