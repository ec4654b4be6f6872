import { offeredKinds } from '../panels/offered-kinds.ts'
import type { Action } from './action.ts'

// The folder is the list of what a page may be asked to do: `actions/open-url.ts` is `open-url`.
const files = import.meta.glob<Action>('../actions/*.ts', { import: 'default' })

export interface ActionRegistry {
  names: readonly string[]
  /** What models are to know of an action beyond what its tool says. */
  notes?: Readonly<Record<string, readonly string[]>>
  load: (name: string) => Promise<Action | undefined>
}

export const pageActions: ActionRegistry = {
  names: Object.keys(files).map((path) => path.replace(/^.*\//, '').replace(/\.ts$/, '')),
  notes: { 'show-panel': [...offeredKinds].map(([kind, about]) => `"${kind}" is a panel, too: ${about}`) },
  load: (name) => files[`../actions/${name}.ts`]?.() ?? Promise.resolve(undefined),
}
