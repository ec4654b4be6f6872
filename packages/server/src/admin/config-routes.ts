import { isSameOrigin, NamedError } from '@troupe/protocol'
import { z } from 'zod'
import { type Config, type ConfigFile, configSchema, dropSecrets } from '../config/config.ts'
import { route, type Route } from '../http/route.ts'

const { shape } = configSchema
const limits = shape.limits.unwrap().shape
const media = shape.media.unwrap().shape
const browser = shape.browser.unwrap().shape
const search = shape.search.unwrap().shape

/** Settings without a route of their own. Null removes a setting. Omitted settings stay unchanged. */
const configPatchSchema = z
  .strictObject({
    model: shape.model.unwrap().nullable(),
    useTools: shape.useTools.unwrap(),
    recovery: shape.recovery.unwrap().nullable(),
    titles: shape.titles.unwrap().nullable(),
    limits: z.strictObject(nullable(limits)).partial().nullable(),
    media: z.strictObject(nullable(media)).partial().nullable(),
    browser: z.strictObject(nullable(browser)).partial().nullable(),
    search: z
      .strictObject({ ...nullable({ baseURL: search.baseURL, apiKey: search.apiKey }), provider: search.provider })
      .partial()
      .nullable(),
  })
  .partial()
type Patch = z.infer<typeof configPatchSchema>

export interface ConfigRoutesOptions {
  config: ConfigFile
  /** The model set in the environment. Overrides the one in the settings. */
  environmentModel: string | null
  /** Throws if the model cannot be used. */
  modelId: (id: string | undefined) => Promise<string>
}

/** Routes for the settings in `config.json`, except providers, rules, hooks and MCP servers. */
export function configRoutes(options: ConfigRoutesOptions): Route[] {
  const { config } = options
  return [
    route({
      method: 'GET',
      path: '/ai/config',
      summary: 'The settings of config.json that have no route of their own. A key never comes out.',
      answers: {
        200: '{path, config: {model, environmentModel, useTools, recovery, titles, limits, media, browser: {path, allow}, search: {provider, baseURL, hasKey}}}',
      },
      handle: (c) => c.json({ path: config.path, config: shown() }),
    }),
    route({
      method: 'PATCH',
      path: '/ai/config',
      summary:
        'Changes these settings; null takes one away. What is being done goes on as it began. A key stays with the server that it was given for.',
      body: configPatchSchema,
      answers: { 200: '{path, config, dropped}', 400: 'BadRequest', 404: 'ModelNotFound, ProviderNotFound' },
      async handle(c, { body }) {
        if (typeof body.model === 'string') await options.modelId(body.model)
        let dropped: string[] = []
        await config.update((current) => {
          const next = applyPatch(current, body)
          dropped = dropKey(current, next, body)
          return next
        })
        return c.json({ path: config.path, config: shown(), dropped })
      },
    }),
  ]

  function shown(): Record<string, unknown> {
    const {
      model,
      useTools,
      recovery,
      titles,
      limits: limited,
      media: made,
      browser: browsing,
      search: searched,
    } = config.get()
    return {
      model: model ?? null,
      environmentModel: options.environmentModel,
      useTools: useTools ?? null,
      recovery: recovery ?? 'continue',
      titles: titles ?? 'model',
      limits: pick(limited, limits),
      media: pick(made, media),
      browser: pick(browsing, browser),
      search:
        searched === undefined
          ? null
          : { provider: searched.provider, baseURL: searched.baseURL ?? null, hasKey: Boolean(searched.apiKey) },
    }
  }
}

/** Merges one level deep: omitted fields of limits, media, browser and search stay unchanged. */
function applyPatch(config: Config, patch: Patch): Config {
  const next = mergeSection(config, patch)
  const { limits: limited, media: made, browser: browsing, search: searched } = patch
  if (limited) next['limits'] = mergeSection(config.limits, limited)
  if (made) next['media'] = mergeSection(config.media, made)
  if (browsing) next['browser'] = mergeSection(config.browser, browsing)
  if (searched) {
    // Settings of one search provider do not apply to another.
    const moved = searched.provider !== undefined && searched.provider !== config.search?.provider
    const search = mergeSection(moved ? { apiKey: config.search?.apiKey } : config.search, searched)
    next['search'] = search
    if (search['provider'] === undefined)
      throw new NamedError('BadRequest', 'Web search needs a provider: searxng, brave or tavily.')
  }
  return next as Config
}

/** Removes the search API key if a different provider or server would receive it. Returns the dropped keys. */
function dropKey({ search: before }: Config, { search: after }: Config, { search: change }: Patch): string[] {
  if (!after || !change) return []
  const isSame = before?.provider === after.provider && isSameOrigin(before.baseURL, after.baseURL)
  return isSame ? [] : dropSecrets(after, change, ['apiKey'])
}

function mergeSection(before: object | undefined, patch: object): Record<string, unknown> {
  const next: Record<string, unknown> = { ...before }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete next[key]
    else if (value !== undefined) next[key] = value
  }
  return next
}

function pick(value: object | undefined, keys: object): Record<string, unknown> {
  const all = (value ?? {}) as Record<string, unknown>
  return Object.fromEntries(Object.keys(keys).map((key) => [key, all[key] ?? null]))
}

function nullable<Shape extends Record<string, z.ZodOptional<z.ZodType>>>(
  fields: Shape,
): { [Key in keyof Shape]: z.ZodNullable<Shape[Key] extends z.ZodOptional<infer Inner> ? Inner : never> } {
  const entries = Object.entries(fields).map(([key, field]) => [key, field.unwrap().nullable()])
  return Object.fromEntries(entries) as never
}
