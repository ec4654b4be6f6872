import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { providerSettingsSchema } from './provider.ts'

export const configSchema = z.looseObject({
  model: z.string().optional(),
  providers: z.record(z.string(), providerSettingsSchema).optional(),
  permissions: z.looseObject({ mode: z.string().optional(), allow: z.array(z.string()).optional(), ask: z.array(z.string()).optional(), deny: z.array(z.string()).optional() }).optional(),
  useTools: z.array(z.string()).nullable().optional(),
  mcpServers: z.record(z.string(), z.unknown()).optional(),
  recovery: z.enum(['continue', 'wait']).optional(),
  limits: z.looseObject({ steps: z.number().optional(), tokens: z.number().optional(), seconds: z.number().optional() }).optional(),
})
export type Config = z.infer<typeof configSchema>

export interface ConfigFile {
  get(): Config
  update(change: (config: Config) => Config): Promise<void>
}

export function openConfig(home: { path: string }): ConfigFile {
  const file = path.join(home.path, 'config.json')
  return {
    get() {
      try {
        return configSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
        throw error
      }
    },
    async update(change) {
      const next = change(this.get())
      writeFileSync(`${file}.new`, JSON.stringify(next, null, 2), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
  }
}
