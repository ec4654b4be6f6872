import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { adapterNames, findAdapter } from './provider-directory.ts'
import {
  modelSettingsSchema,
  type ProviderDefinition,
  type ProviderSettings,
  providerSettingsSchema,
} from './provider.ts'

export interface ImportedTemplates {
  /** Ready for config.json. Templates contain no keys. */
  providers: Record<string, ProviderSettings>
  problems: { id: string; message: string }[]
}

const maxTemplateBytes = 5 * 1024 * 1024

/** Reads a list of provider templates from a file or over http(s). The adapter is `template.adapter ?? template.id`. */
export async function importTemplates(
  source: string,
  definitions: ReadonlyMap<string, ProviderDefinition>,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<ImportedTemplates> {
  const list = templatesSchema.safeParse(parse(await read(source, fetch), source))
  if (!list.success)
    throw new NamedError(
      'BadTemplates',
      `${source} is not a list of provider templates: ${z.prettifyError(list.error)}`,
    )
  const imported: ImportedTemplates = { providers: {}, problems: [] }
  for (const entry of list.data) {
    const template = templateSchema.safeParse(entry)
    const { id: named } = (entry ?? {}) as { id?: unknown }
    const id = typeof named === 'string' ? named : '?'
    if (!template.success) imported.problems.push({ id, message: z.prettifyError(template.error) })
    else {
      const type = template.data.adapter ?? template.data.id
      if (findAdapter(type, definitions)) imported.providers[template.data.id] = toSettings(template.data, type)
      else
        imported.problems.push({
          id,
          message: `there is no adapter "${type}"; available: ${adapterNames(definitions).join(', ')}`,
        })
    }
  }
  return imported
}

const templateSchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i),
  adapter: z.string().optional(),
  name: providerSettingsSchema.shape.name,
  baseURL: providerSettingsSchema.shape.baseURL,
  familyId: providerSettingsSchema.shape.familyId,
  models: z
    .array(z.union([z.string().min(1).max(300), modelSettingsSchema.strip()]))
    .max(1000)
    .optional(),
})

const templatesSchema = z.union([
  z.array(z.unknown()),
  z.object({ providers: z.array(z.unknown()) }).transform(({ providers }) => providers),
])

function toSettings(
  { name, baseURL, familyId, models }: z.infer<typeof templateSchema>,
  type: string,
): ProviderSettings {
  return {
    type,
    name: name || undefined,
    baseURL: baseURL || undefined,
    familyId: familyId || undefined,
    models,
  }
}

async function read(source: string, fetch: typeof globalThis.fetch): Promise<string> {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(source)?.[1]?.toLowerCase()
  try {
    if (scheme === 'http' || scheme === 'https') return await download(source, fetch)
    if (scheme === 'file') return await readFile(fileURLToPath(source))
    if (scheme === undefined) return await readFile(source)
  } catch (error) {
    throw new NamedError('BadTemplates', `${source} could not be read: ${(error as Error).message}`, { cause: error })
  }
  throw new NamedError('BadTemplates', `Templates must be a file or an http(s) URL, not ${scheme}:`)
}

async function download(url: string, fetch: typeof globalThis.fetch): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000), headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`it answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length
    if (size > maxTemplateBytes) throw new Error('it is larger than 5 MiB')
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function readFile(path: string): Promise<string> {
  await using file = await open(path)
  if ((await file.stat()).size > maxTemplateBytes) throw new Error('it is larger than 5 MiB')
  return await file.readFile('utf8')
}

function parse(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which could be any local file.
    throw new NamedError('BadTemplates', `${source} is not JSON.`)
  }
}
