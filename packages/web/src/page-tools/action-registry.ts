import type { Action } from './action.ts'

// The folder is the list of what a page may be asked to do: `actions/open-url.ts` is `open-url`.
const files = import.meta.glob<Action>('../actions/*.ts', { import: 'default' })

export interface ActionRegistry {
  names: readonly string[]
  load: (name: string) => Promise<Action | undefined>
}

export const pageActions: ActionRegistry = {
  names: Object.keys(files).map((path) => path.replace(/^.*\//, '').replace(/\.ts$/, '')),
  load: (name) => files[`../actions/${name}.ts`]?.() ?? Promise.resolve(undefined),
}
