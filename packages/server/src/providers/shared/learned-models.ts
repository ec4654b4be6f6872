import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { LearnedModelFacts } from '@troupe/core'
import type { ModelDefinition } from '@troupe/protocol'
import { z } from 'zod'

const fileSchema = z.record(z.string(), z.int().positive())
/** Maximum models remembered. The oldest is dropped first. */
const maxModels = 500

/** Facts about models learned from provider errors, by full id. Context windows are stored in a file. */
export interface LearnedModels {
  add(id: string, found: LearnedModelFacts): void
  apply(model: ModelDefinition): ModelDefinition
  takesNone(id: string): boolean
}

export function openLearnedModels(file: string | undefined): LearnedModels {
  let windows: Map<string, number> | undefined
  const blind = new Set<string>()
  return {
    add(id, { contextWindow, exact, accepts: takes }) {
      if (takes?.length === 0) blind.add(id)
      // Keep a guess only if nothing better is known.
      if (contextWindow === undefined || (exact !== true && known().has(id))) return
      known().delete(id)
      known().set(id, contextWindow)
      const [oldest] = known().keys()
      if (known().size > maxModels && oldest !== undefined) known().delete(oldest)
      save()
    },
    apply(model) {
      const contextWindow = known().get(`${model.provider}/${model.id}`)
      return contextWindow === undefined ? model : { ...model, contextWindow }
    },
    takesNone: (id) => blind.has(id),
  }

  function known(): Map<string, number> {
    return (windows ??= new Map(Object.entries(read())))
  }

  /** Ignores an unreadable file, since its facts can be learned again. */
  function read(): Record<string, number> {
    if (file === undefined) return {}
    try {
      return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch {
      return {}
    }
  }

  function save(): void {
    if (file === undefined) return
    try {
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(known())), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch {
      // The fact stays in memory until the process ends.
    }
  }
}
